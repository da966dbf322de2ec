"""A prompt's tokens in the shape of the wire."""

from engine.port.text.tokenizer import Tokenizer
from generated.operation import EncodedAnswer
from handlers.tgi_family import tokenize as family


def tokenize(tokenizer: Tokenizer, text: str) -> EncodedAnswer:
    """A list of `SimpleToken`, which a test compares with the model's own text."""
    return family.write_tokens(
        {"id": token.id, "start": token.start, "stop": token.stop, "text": token.text}
        for token in family.tokenize(tokenizer, text)
    )
