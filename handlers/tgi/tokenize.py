"""A prompt's tokens with the part of the text that each covers."""

from engine.tokenizer import Tokenizer, byte_spans
from generated.tgi import models as m


def tokenize(tokenizer: Tokenizer, text: str) -> list[m.SimpleToken]:
    """With the special tokens that the tokenizer adds, which cover nothing; start and stop in bytes of UTF-8.

    Tokens that share a character all show it.
    """
    spans = tokenizer.encode_with_offsets(text)
    return [
        m.SimpleToken(
            id=span.token_id, text=text[span.start : span.stop], start=in_bytes.start, stop=in_bytes.stop
        )
        for span, in_bytes in zip(spans, byte_spans(text, spans), strict=True)
    ]
