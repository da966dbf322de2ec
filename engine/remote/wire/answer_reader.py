"""The tokens in one answer of a server, and the checks that any kind of answer must pass; no torch."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from math import inf
from typing import Any, ClassVar, Final, NamedTuple

import msgspec

from engine.port.events import PromptToken, TokenLogprob
from engine.port.request import GenerationRequest
from engine.port.text.sampled import Sampled
from engine.port.text.tokenizer import Tokenizer

DONE: Final = b"[DONE]"

Scores = Iterable[tuple[int, float]]
"""Token ids with their log-probabilities."""


class Malformed(Exception):
    """An answer is not what the API defines; the message says how."""


class UpstreamError(Exception):
    """The server reports in the answer that it failed. status: the status that a whole answer would have."""

    def __init__(self, status: int, reason: str, parameter: str | None = None) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.parameter = parameter


class NewToken(Sampled, frozen=True):
    """A token of an answer.

    is_complete: whether the server ended the sequence after it by a "stop" of its own.
    is_at_limit: whether the server ended it by its length, which a server may bound by its cache too.
    """

    is_complete: bool = False
    is_at_limit: bool = False


class ErrorReason(NamedTuple):
    """A server's message in one line of a bounded length, and the parameter at fault, if it names one."""

    message: str = ""
    parameter: str | None = None


class AnswerReader(ABC):
    """The tokens in one answer, checked against the request and the vocabulary.

    finish_reason: the server's reason, once the sequence has ended there.
    prompt: the prompt's log-probabilities, once they have come.
    num_cached_tokens, queue_s: the values of TokenEvent, where the server reports them.
    chunk_decoder: the decoder of an event's data.
    """

    chunk_decoder: ClassVar[msgspec.json.Decoder[Any]]

    def __init__(self, request: GenerationRequest, tokenizer: Tokenizer) -> None:
        self._request = request
        self._tokenizer = tokenizer
        self._num_logprobs = request.sampling.num_logprobs
        self.finish_reason: str | None = None
        self.prompt: tuple[PromptToken, ...] | None = None
        self.num_cached_tokens = 0
        self.queue_s = 0.0

    def read(self, data: bytes) -> list[NewToken]:
        """Return the tokens in an event's data, or in a whole body.

        Raises Malformed, and UpstreamError for an error that takes the place of tokens.
        """
        if data == DONE:
            return self.rest()
        try:
            chunk = self.chunk_decoder.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise Malformed(f"no event of the API: {error}") from error
        return self._read_chunk(chunk)

    def rest(self) -> list[NewToken]:
        """Return the tokens that were held back until the end, once nothing follows; each once."""
        return []

    @abstractmethod
    def _read_chunk(self, chunk: Any) -> list[NewToken]:
        """Return the tokens in what was decoded. Raises as `read` does."""

    def _check(self, token_id: int) -> None:
        if not 0 <= token_id < self._tokenizer.vocab_size:
            raise Malformed(f"token id {token_id} is outside the vocabulary of {self._tokenizer.vocab_size}")

    def _ranked(self, scores: Scores, num_ranked: int) -> tuple[TokenLogprob, ...]:
        """Return the most likely tokens, descending, ties by id."""
        best = sorted(scores, key=lambda one: (-one[1], one[0]))[:num_ranked]
        return tuple([self._logprob(token_id, logprob) for token_id, logprob in best if logprob > -inf])

    def _logprob(self, token_id: int, logprob: float) -> TokenLogprob:
        self._check(token_id)
        text = self._tokenizer.token_text(token_id)
        return TokenLogprob(token_id, text, logprob, self._tokenizer.is_special(token_id))

    def _prompt_tokens(
        self, logprobs: Sequence[float | None], ranked: Sequence[Scores]
    ) -> tuple[PromptToken, ...]:
        """Return the prompt's tokens with their log-probabilities. Raises Malformed."""
        token_ids = self._request.prompt.token_ids
        if not len(logprobs) == len(ranked) == len(token_ids):
            raise Malformed("the log-probabilities of the prompt are not as many as its tokens")
        num_ranked = self._request.sampling.num_prompt_logprobs or 0
        return tuple(
            PromptToken(token_id, self._tokenizer.token_text(token_id), own, self._ranked(others, num_ranked))
            for token_id, own, others in zip(token_ids, logprobs, ranked, strict=True)
        )


class _Error(msgspec.Struct):
    message: str = ""
    param: str | None = None


class _ErrorBody(msgspec.Struct):
    """The three forms of an error: an object, a text (what SGLang's schema refuses), or neither.

    message, param: the parts of an error without `error`, which SGLang answers when it is full or cannot read
    a field.
    """

    error: _Error | str | None = None
    message: str = ""
    param: str | None = None


_error_decoder: Final = msgspec.json.Decoder(_ErrorBody)


def error_reason(body: bytes) -> ErrorReason:
    """Return what the body of an error says; nothing where it cannot be read."""
    try:
        found = _error_decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ErrorReason()
    if isinstance(found.error, str):
        return ErrorReason(in_one_line(found.error))
    error = found.error or found
    return ErrorReason(in_one_line(error.message), error.param)


def in_one_line(message: str) -> str:
    """Return a server's message in one line of a bounded length."""
    return " ".join(message.split())[:300]
