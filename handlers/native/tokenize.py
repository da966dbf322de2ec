"""A prompt's tokens with the part of the text that each covers."""

from typing import NamedTuple

from engine.tokenizer import Tokenizer, byte_spans


class TextToken(NamedTuple):
    """text: what the token covers. start, stop: where that stands, in bytes of UTF-8."""

    id: int
    text: str
    start: int
    stop: int


def tokenize(tokenizer: Tokenizer, text: str, *, add_special_tokens: bool = True) -> list[TextToken]:
    """add_special_tokens: with those that the tokenizer adds, which cover nothing.

    Tokens that share a character all show it.
    """
    spans = tokenizer.encode_with_offsets(text, add_special_tokens=add_special_tokens)
    return [
        TextToken(span.token_id, text[span.start : span.stop], in_bytes.start, in_bytes.stop)
        for span, in_bytes in zip(spans, byte_spans(text, spans), strict=True)
    ]
