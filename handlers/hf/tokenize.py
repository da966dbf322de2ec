"""A text's tokens in the shape of the wire."""

from engine.tokenizer import Tokenizer
from generated.hf import models as m
from handlers.native import tokenize as native


def tokenize(tokenizer: Tokenizer, body: m.TokenizeRequest) -> list[m.TextToken]:
    return [
        m.TextToken(
            id=token.id,
            text=token.text,
            start=token.start,
            stop=token.stop,
            special=tokenizer.is_special(token.id),
        )
        for token in native.tokenize(tokenizer, body.inputs, add_special_tokens=body.add_special_tokens)
    ]
