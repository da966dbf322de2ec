"""vLLM's token-in, token-out API (`POST /inference/v1/generate`): requests and answers; no torch."""

import hashlib
from collections.abc import Iterator, Mapping
from math import inf
from typing import Any, Final

import msgspec

from engine.capabilities import Capabilities
from engine.events import PromptToken, TokenLogprob
from engine.request import GenerationRequest, Grammar, GrammarKind, SamplingParams
from engine.text.tokenizer import Tokenizer

GENERATE: Final = "/inference/v1/generate"
DONE: Final = b"[DONE]"
CAPABILITIES: Final = Capabilities(
    typical_p=False,
    watermark=False,
    beams=False,
    logprob_token_ids=False,
    priority=False,
    embeddings=False,
)

_STRUCTURED: Final[Mapping[GrammarKind, str]] = {
    GrammarKind.JSON_SCHEMA: "json",
    GrammarKind.REGEX: "regex",
    GrammarKind.EBNF: "grammar",
    GrammarKind.STRUCTURAL_TAG: "structural_tag",
}
_MAX_SEED: Final = 2**63  # exclusive; -1 would mean no seed
# JSON has no infinity; this is as good, and finite in float32.
_BANNED: Final = -1e30


class Malformed(Exception):
    """An answer is not what the API defines; the message says how."""


class _Logprob(msgspec.Struct):
    token_id: int
    logprob: float


class _ScoredToken(_Logprob):
    top_logprobs: list[_Logprob] = []


class _Logprobs(msgspec.Struct):
    content: list[_ScoredToken] | None = None


class Choice(msgspec.Struct):
    """New tokens of the sequence. finish_reason: "stop", "length", "abort" or another, after the last."""

    token_ids: list[int] | None = None
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None


class _PromptLogprob(msgspec.Struct):
    logprob: float


class _Error(msgspec.Struct):
    message: str = ""
    param: str | None = None


class _Chunk(msgspec.Struct):
    choices: list[Choice] = []
    error: _Error | None = None
    prompt_logprobs: list[dict[int, _PromptLogprob] | None] | None = None


class _ErrorBody(msgspec.Struct):
    error: _Error


class UpstreamError(Exception):
    """The server reports in the answer that it failed; the message is its own."""


_chunk_decoder: Final = msgspec.json.Decoder(_Chunk)
_error_decoder: Final = msgspec.json.Decoder(_ErrorBody)


def is_streamed(request: GenerationRequest) -> bool:
    """Return whether the answer is to be streamed: streams have no log-probabilities of the prompt."""
    return request.sampling.num_prompt_logprobs is None


def encode_request(request: GenerationRequest, index: int, model: str, tokenizer: Tokenizer) -> bytes:
    """Return the body that asks for the sequence of that index. model: the server's name for it.

    Each sequence is a request of its own, since vLLM would draw all of one request with the same seed.
    """
    body: dict[str, Any] = {
        "request_id": f"{request.request_id}-{index}",
        "model": model,
        "token_ids": request.prompt.token_ids,
        "stream": is_streamed(request),
        "sampling_params": _sampling_params(request, index, tokenizer),
    }
    if request.cache_salt is not None:
        # The API bounds a salt's length and characters.
        body["cache_salt"] = hashlib.sha256(request.cache_salt.encode()).hexdigest()
    return msgspec.json.encode(body)


def _sampling_params(request: GenerationRequest, index: int, tokenizer: Tokenizer) -> dict[str, Any]:
    """Return the object. End tokens are named, and stop strings kept back, so that our rule alone ends it."""
    sampling, stopping = request.sampling, request.stopping
    end_token_ids = () if stopping.ignore_eos else tokenizer.end_token_ids
    params: dict[str, Any] = {
        "max_tokens": stopping.max_tokens,
        "min_tokens": stopping.min_tokens,
        "stop_token_ids": sorted({*stopping.stop_token_ids, *end_token_ids}),
        "ignore_eos": True,
        # Grammars' own end, and words in place of ids, need the server's tokenizer; nothing else does.
        "detokenize": False,
        "temperature": sampling.temperature,
        "seed": (sampling.seed + index) % _MAX_SEED,
    }
    if not sampling.is_greedy:
        params |= {"top_k": sampling.top_k or 0, "top_p": sampling.top_p, "min_p": sampling.min_p}
    for name in ("repetition_penalty", "presence_penalty", "frequency_penalty"):
        params[name] = getattr(sampling, name)
    if bias := _logit_bias(sampling):
        params["logit_bias"] = bias
    if sampling.allowed_token_ids is not None:
        params["allowed_token_ids"] = sampling.allowed_token_ids
    if sampling.bad_words:
        params["bad_words"] = sampling.bad_words
    if sampling.grammar is not None:
        params["structured_outputs"] = _structured_outputs(sampling.grammar)
    if sampling.num_logprobs is not None:
        params["logprobs"] = sampling.num_logprobs + (
            sampling.num_logprobs > 0 and not _draws_the_most_likely(request)
        )
    if sampling.num_prompt_logprobs is not None and index == 0:
        params["prompt_logprobs"] = sampling.num_prompt_logprobs
    return params


def _logit_bias(sampling: SamplingParams) -> dict[str, float]:
    bias = {
        str(token_id): max(min(number, -_BANNED), _BANNED) for token_id, number in sampling.logit_bias.items()
    }
    return bias | {str(token_id): _BANNED for token_id in sampling.banned_token_ids}


def _structured_outputs(grammar: Grammar) -> dict[str, Any]:
    if grammar.kind is GrammarKind.JSON_OBJECT:
        return {"json_object": True}
    return {_STRUCTURED[grammar.kind]: grammar.source}


def _draws_the_most_likely(request: GenerationRequest) -> bool:
    """Return whether each token is the model's most likely one, so that the list of the best has it.

    The server's list has the drawn token first and is cut to its length. So one more must be asked for where
    another token may be drawn, and a server by default lists 20 at most.
    """
    sampling = request.sampling
    plain = SamplingParams(
        temperature=0.0,
        top_k=sampling.top_k,
        top_p=sampling.top_p,
        min_p=sampling.min_p,
        seed=sampling.seed,
        num_logprobs=sampling.num_logprobs,
        num_prompt_logprobs=sampling.num_prompt_logprobs,
    )
    return sampling == plain and request.stopping.min_tokens == 0


class NewToken(msgspec.Struct, frozen=True):
    """A token of an answer. is_complete: the server ended the sequence after it by a "stop" of its own."""

    token_id: int
    logprob: float | None
    top_logprobs: tuple[TokenLogprob, ...]
    is_complete: bool


class AnswerReader:
    """The tokens in one answer, checked against the request and the vocabulary."""

    def __init__(self, request: GenerationRequest, tokenizer: Tokenizer) -> None:
        self._request = request
        self._tokenizer = tokenizer
        self._num_logprobs = request.sampling.num_logprobs
        self.finish_reason: str | None = None
        self.prompt: tuple[PromptToken, ...] | None = None

    def read(self, data: bytes) -> Iterator[NewToken]:
        """Yield the tokens in an event's data, or in a whole body.

        Raises Malformed, and UpstreamError for an error that takes the place of tokens.
        """
        if data == DONE:
            return
        try:
            chunk = _chunk_decoder.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise Malformed(f"no event of the API: {error}") from error
        if chunk.error is not None:
            raise UpstreamError(chunk.error.message)
        if chunk.prompt_logprobs is not None:
            self.prompt = self._prompt_tokens(chunk.prompt_logprobs)
        for choice in chunk.choices:
            yield from self._tokens(choice)

    def _tokens(self, choice: Choice) -> Iterator[NewToken]:
        self.finish_reason = choice.finish_reason or self.finish_reason
        token_ids = choice.token_ids or []
        scored: list[_ScoredToken | None] = [None] * len(token_ids)
        if self._num_logprobs is not None:
            found = choice.logprobs.content if choice.logprobs else None
            if token_ids and (found is None or [one.token_id for one in found] != token_ids):
                raise Malformed("the tokens lack their log-probabilities")
            scored = list(found or ())
        for place, (token_id, own) in enumerate(zip(token_ids, scored, strict=True), start=1):
            self._check(token_id)
            yield NewToken(
                token_id,
                own.logprob if own else None,
                self._ranked(own.top_logprobs, self._num_logprobs or 0) if own else (),
                is_complete=place == len(token_ids) and choice.finish_reason == "stop",
            )

    def _check(self, token_id: int) -> None:
        if not 0 <= token_id < self._tokenizer.vocab_size:
            raise Malformed(f"token id {token_id} is outside the vocabulary of {self._tokenizer.vocab_size}")

    def _ranked(self, found: list[_Logprob], num_ranked: int) -> tuple[TokenLogprob, ...]:
        """Return the most likely tokens, descending, ties by id."""
        best = sorted(found, key=lambda one: (-one.logprob, one.token_id))[:num_ranked]
        return tuple([self._logprob(one.token_id, one.logprob) for one in best if one.logprob > -inf])

    def _logprob(self, token_id: int, logprob: float) -> TokenLogprob:
        self._check(token_id)
        text = self._tokenizer.token_text(token_id)
        return TokenLogprob(token_id, text, logprob, self._tokenizer.is_special(token_id))

    def _prompt_tokens(self, found: list[dict[int, _PromptLogprob] | None]) -> tuple[PromptToken, ...]:
        token_ids = self._request.prompt.token_ids
        if len(found) != len(token_ids):
            raise Malformed("the log-probabilities of the prompt are not as many as its tokens")
        num_ranked = self._request.sampling.num_prompt_logprobs or 0
        return tuple(
            self._prompt_token(token_id, scores, num_ranked)
            for token_id, scores in zip(token_ids, found, strict=True)
        )

    def _prompt_token(
        self, token_id: int, scores: dict[int, _PromptLogprob] | None, num_ranked: int
    ) -> PromptToken:
        text = self._tokenizer.token_text(token_id)
        if scores is None:
            return PromptToken(token_id, text, None)
        if token_id not in scores:
            raise Malformed("the log-probabilities of the prompt are another prompt's")
        ranked = self._ranked([_Logprob(other, one.logprob) for other, one in scores.items()], num_ranked)
        return PromptToken(token_id, text, scores[token_id].logprob, ranked)


def error_reason(body: bytes) -> tuple[str, str | None]:
    """Return the message of an error's body, in one line of a bounded length, and the parameter at fault."""
    try:
        error = _error_decoder.decode(body).error
    except (msgspec.DecodeError, UnicodeDecodeError):
        return "", None
    return " ".join(error.message.split())[:300], error.param
