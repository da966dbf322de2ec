"""A prompt's tokens in the shape of the wire."""

from engine.tokenizer import Tokenizer
from generated.tgi import models as m
from handlers.native import tokenize as native


def tokenize(tokenizer: Tokenizer, text: str) -> list[m.SimpleToken]:
    """As `handlers.native.tokenize.tokenize`."""
    return [
        m.SimpleToken(id=token.id, text=token.text, start=token.start, stop=token.stop)
        for token in native.tokenize(tokenizer, text)
    ]
