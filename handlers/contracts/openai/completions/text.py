"""A completion's text with the prompt before it, and the log-probabilities of both."""

from collections.abc import Iterable, Sequence

from engine.port.events import PromptToken, TokenEvent, TokenLogprob
from engine.port.text.tokenizer import Tokenizer
from generated.openai import models as m
from handlers.chat.reading.logprobs import LEAST_LOGPROB, bounded
from handlers.contracts.openai.answers.token_details import id_text


class LogprobWriter:
    """Writes the four lists of one text, piece by piece; offsets go on from piece to piece."""

    def __init__(self, tokenizer: Tokenizer, *, offset: int, names_ids: bool = False) -> None:
        """Begin a text.

        offset: the number of characters before the first token. names_ids: whether a token is written as its
        id.
        """
        self._names_ids = names_ids
        self._tokenizer = tokenizer
        self._offset = offset

    def write(self, tokens: Iterable[TokenEvent | PromptToken]) -> m.CompletionLogprobs:
        written = m.CompletionLogprobs(tokens=[], token_logprobs=[], top_logprobs=[], text_offset=[])
        for token in tokens:
            text, name = self._text(token.token_id), self._name(token.token_id)
            is_first = isinstance(token, PromptToken) and token.logprob is None
            written.tokens.append(name)
            written.text_offset.append(self._offset)
            written.token_logprobs.append(None if is_first else bounded(token.logprob))
            written.top_logprobs.append(
                None if is_first else self._top(name, token.logprob, token.top_logprobs)
            )
            self._offset += len(text)
        return written

    def _top(self, name: str, logprob: float | None, top: Sequence[TokenLogprob]) -> dict[str, float]:
        """Return log-probabilities by text, the token's own too. Of one text the likeliest counts."""
        listed: dict[str, float] = {}
        for other, value in (*((self._name(one.token_id), one.logprob) for one in top), (name, logprob)):
            listed[other] = max(bounded(value), listed.get(other, LEAST_LOGPROB))
        return listed

    def _name(self, token_id: int) -> str:
        return id_text(token_id) if self._names_ids else self._text(token_id)

    def _text(self, token_id: int) -> str:
        return self._tokenizer.token_bytes(token_id).decode(errors="replace")
