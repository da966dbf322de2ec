"""A prompt's tokens with the part of the text that each covers."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final, NamedTuple

import orjson

from engine.port.text.tokenizer import Tokenizer, byte_spans
from verbatim_kit.runtime.operation import EncodedAnswer

# So many tokens are written in a millisecond, for which no other thread runs.
_MAX_SLICE: Final = 1_000


class TextToken(NamedTuple):
    """A token. text: the text that it covers. start, stop: the range of that text, in bytes of UTF-8."""

    id: int
    text: str
    start: int
    stop: int


def tokenize(tokenizer: Tokenizer, text: str) -> EncodedAnswer:
    """Return a list of `SimpleToken`, which a test compares with the model's own text."""
    return write_tokens(
        {"id": token.id, "start": token.start, "stop": token.stop, "text": token.text}
        for token in text_tokens(tokenizer, text)
    )


def text_tokens(tokenizer: Tokenizer, text: str, *, add_special_tokens: bool = True) -> Iterator[TextToken]:
    """Yield the tokens of a text. Tokens that share a character all show it.

    add_special_tokens: whether tokens that the tokenizer adds are there too, which cover nothing.
    """
    spans = tokenizer.encode_with_offsets(text, add_special_tokens=add_special_tokens)
    for span, in_bytes in zip(spans, byte_spans(text, spans), strict=True):
        yield TextToken(span.token_id, text[span.start : span.stop], in_bytes.start, in_bytes.stop)


def write_tokens(tokens: Iterable[Mapping[str, object]]) -> EncodedAnswer:
    """Return an array of a contract's objects, written in slices: a megabyte of text has a million tokens.

    To make and to write a model for each would take a second for eighty thousand.
    """
    remaining = iter(tokens)
    written = []
    while part := list(islice(remaining, _MAX_SLICE)):
        written.append(orjson.dumps(part)[1:-1])
    return EncodedAnswer(b"[%b]" % b",".join(written))
