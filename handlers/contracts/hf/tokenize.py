"""A text's tokens in the shape of the wire."""

from engine.port.text.tokenizer import Tokenizer
from generated.hf import models as m
from handlers.contracts.tgi.tokenize import text_tokens, write_tokens
from verbatim_kit.runtime.operation import EncodedAnswer


def tokenize(tokenizer: Tokenizer, body: m.TokenizeRequest) -> EncodedAnswer:
    """A list of `TextToken`, which a test compares with the model's own text."""
    return write_tokens(
        {
            "id": token.id,
            "text": token.text,
            "start": token.start,
            "stop": token.stop,
            "special": tokenizer.is_special(token.id),
        }
        for token in text_tokens(tokenizer, body.inputs, add_special_tokens=body.add_special_tokens)
    )
