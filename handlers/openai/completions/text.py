"""A completion's text with the prompt before it, and the log-probabilities of both."""

from collections.abc import Iterable, Sequence

from engine.events import PromptToken, TokenEvent, TokenLogprob
from engine.text.tokenizer import Tokenizer
from generated.openai import models as m
from handlers.chat.reading.logprobs import bounded


class LogprobWriter:
    """Writes the four lists of one text, piece by piece; offsets go on from piece to piece."""

    def __init__(self, tokenizer: Tokenizer, *, offset: int) -> None:
        """offset: characters that stand before the first token."""
        self._tokenizer = tokenizer
        self._offset = offset

    def write(self, tokens: Iterable[TokenEvent | PromptToken]) -> m.CompletionLogprobs:
        written = m.CompletionLogprobs(tokens=[], token_logprobs=[], top_logprobs=[], text_offset=[])
        for token in tokens:
            text = self._text(token.token_id)
            is_first = isinstance(token, PromptToken) and token.logprob is None
            written.tokens.append(text)
            written.text_offset.append(self._offset)
            written.token_logprobs.append(None if is_first else bounded(token.logprob))
            written.top_logprobs.append(
                None if is_first else self._top(text, token.logprob, token.top_logprobs)
            )
            self._offset += len(text)
        return written

    def _top(self, text: str, logprob: float | None, top: Sequence[TokenLogprob]) -> dict[str, float]:
        """Return log-probabilities by text, the token's own too. Of one text the likeliest counts."""
        ranked: dict[str, float] = {}
        for one in top:
            ranked.setdefault(self._text(one.token_id), bounded(one.logprob))
        ranked.setdefault(text, bounded(logprob))
        return ranked

    def _text(self, token_id: int) -> str:
        return self._tokenizer.token_bytes(token_id).decode(errors="replace")
