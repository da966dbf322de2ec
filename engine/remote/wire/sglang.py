"""SGLang's native API (`POST /generate`), with token ids in and out; no torch."""

import re
from collections.abc import Iterator, Mapping, Sequence
from random import getrandbits
from secrets import token_hex
from typing import Any, ClassVar, Final, final

import msgspec
from typing_extensions import override

from engine.port.events import PromptToken
from engine.port.info.capabilities import Capabilities
from engine.port.request import GenerationRequest, Grammar, GrammarKind
from engine.port.text.tokenizer import Tokenizer
from engine.remote.wire.answer_reader import (
    AnswerReader,
    ErrorReason,
    Malformed,
    NewToken,
    UpstreamError,
    in_one_line,
)
from engine.remote.wire.sampling import (
    common_params,
    ending_token_ids,
    ignores_ends,
    salt_digest,
    seed_of,
)
from engine.remote.wire.token_api import MAX_EVENT_BYTES, ApiFacts, PriorityOrder, TokenApi

_GRAMMARS: Final[Mapping[GrammarKind, str]] = {
    GrammarKind.JSON_SCHEMA: "json_schema",
    GrammarKind.REGEX: "regex",
    GrammarKind.EBNF: "ebnf",
    GrammarKind.STRUCTURAL_TAG: "structural_tag",
}
_SEED_BITS: Final = 63
_ANY_OBJECT: Final = '{"type": "object"}'
_TOKEN_BYTES: Final = 16  # of an id in a list, at most
_SCORED_BYTES: Final = 64  # of an id with its log-probability
# Of an adapter that was never loaded, that is gone, or whose files are; and of a server without adapters.
_UNKNOWN_ADAPTER: Final = re.compile(
    r"(Got|The following requested|Failed to implicitly load) LoRA adapter|LoRA adapter '.*' was requested"
)
_NO_SEEDS: Final = "seeds have no effect: SGLang was started without --enable-deterministic-inference"
_CUMULATIVE: Final = (
    "every event repeats all tokens of its sequence, so that a stream costs the square of its length: SGLang "
    "was started without --incremental-streaming-output"
)


class _Scored(msgspec.Struct, array_like=True):
    """A token with its log-probability; null for the prompt's first token, and for minus infinity."""

    logprob: float | None
    token_id: int


_top_decoder: Final = msgspec.json.Decoder(list[_Scored] | None)


class _Finish(msgspec.Struct):
    """The end of a sequence. type: "stop", "length" or "abort". message, status_code: an abort's error."""

    type: str
    message: str = ""
    status_code: int | None = None


class _Meta(msgspec.Struct):
    """The facts of an event. completion_tokens: the number of the sequence's tokens up to this event."""

    completion_tokens: int = 0
    cached_tokens: int = 0
    finish_reason: _Finish | None = None
    output_token_logprobs: list[_Scored] | None = None
    output_top_logprobs: list[list[_Scored] | None] | None = None
    output_token_ids_logprobs: list[list[_Scored] | None] | None = None
    input_token_logprobs: list[_Scored] | None = None
    input_top_logprobs: list[msgspec.Raw] | None = None  # each is read by itself, as in vLLM's answer


class _Error(msgspec.Struct):
    """An error in a stream. code: the status that a whole answer would have had."""

    message: str = ""
    code: int = 400


class _Chunk(msgspec.Struct):
    output_ids: list[int] = []
    meta_info: _Meta | None = None
    error: _Error | None = None


class _ServerInfo(msgspec.Struct):
    page_size: int | None = None
    max_total_num_tokens: int | None = None
    enable_deterministic_inference: bool = False
    incremental_streaming_output: bool = False
    enable_priority_scheduling: bool = False
    schedule_low_priority_values_first: bool = False

    @property
    def priorities(self) -> PriorityOrder | None:
        if not self.enable_priority_scheduling:
            return None
        is_lowest_first = self.schedule_low_priority_values_first
        return PriorityOrder.LOWEST_FIRST if is_lowest_first else PriorityOrder.HIGHEST_FIRST


_info_decoder: Final = msgspec.json.Decoder(_ServerInfo)


@final
class SglangApi(TokenApi):
    """The API of SGLang 0.5; its account of itself is at this path since 0.5.7 or a little before."""

    name: ClassVar[str] = "sglang"
    path: ClassVar[str] = "/generate"
    facts_path: ClassVar[str] = "/server_info"
    tokenize_path: ClassVar[str | None] = "/tokenize"
    start_hint: ClassVar[str] = "it is no SGLang server"
    capabilities: Capabilities = Capabilities(
        typical_p=False,
        watermark=False,
        beams=False,
        allowed_token_ids=False,
        bad_words=False,
        thinking_budget=False,  # only one bound for a whole server, or a program of Python's in each request
        priority=False,
        embeddings=False,
    )

    def __init__(self, priorities: PriorityOrder | None = None) -> None:
        """Begin for servers of one kind. priorities: the order of priorities; None where they have none."""
        self._priorities = priorities
        self.capabilities = msgspec.structs.replace(SglangApi.capabilities, priority=priorities is not None)

    @override
    def fitted(self, facts: ApiFacts) -> TokenApi:
        return SglangApi(facts.priorities)

    @override
    def encode(self, request: GenerationRequest, index: int, model: str, tokenizer: Tokenizer) -> bytes:
        body: dict[str, Any] = {
            # An aborted request keeps its id for two seconds.
            "rid": f"{request.request_id}-{index}-{token_hex(4)}",
            "input_ids": request.prompt.token_ids,
            "stream": self.is_streamed(request),
            "sampling_params": _sampling_params(request, index, tokenizer),
            **_logprob_options(request, index),
        }
        if request.adapter is not None:
            body["lora_path"] = request.adapter  # a name, in spite of its own
        if self._priorities is not None:
            # One without a number comes last there. Ours come first where they are low.
            is_same = self._priorities is PriorityOrder.LOWEST_FIRST
            body["priority"] = request.priority if is_same else -request.priority
        if request.cache_salt is not None:
            body["extra_key"] = salt_digest(request.cache_salt)
        return msgspec.json.encode(body)

    @override
    def encode_probe(self, model: str, token_id: int) -> bytes:
        params = {"max_new_tokens": 1, "temperature": 0.0}
        return msgspec.json.encode({"input_ids": [token_id], "sampling_params": params})

    @override
    def reader(self, request: GenerationRequest, tokenizer: Tokenizer, index: int = 0) -> AnswerReader:
        return _SglangReader(request, tokenizer, index)

    @override
    def is_unknown_adapter(self, status: int, reason: ErrorReason) -> bool:
        """Return whether the reason says so: its status is that of any invalid request."""
        return status == 400 and _UNKNOWN_ADAPTER.match(reason.message) is not None

    @override
    def max_event_bytes(self, request: GenerationRequest) -> int:
        """Return the bound on the bytes of one event, which may have all tokens of its sequence."""
        sampling = request.sampling
        num_scored = 0 if sampling.num_logprobs is None else 1 + sampling.num_listed_logprobs
        token_bytes = _TOKEN_BYTES + _SCORED_BYTES * num_scored
        return MAX_EVENT_BYTES + token_bytes * request.stopping.max_tokens

    @override
    def read_facts(self, body: bytes) -> ApiFacts:
        try:
            info = _info_decoder.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return ApiFacts()
        num_tokens, page_size = info.max_total_num_tokens, info.page_size
        is_set = {
            _NO_SEEDS: info.enable_deterministic_inference,
            _CUMULATIVE: info.incremental_streaming_output,
        }
        warnings = tuple(warning for warning, is_given in is_set.items() if not is_given)
        if not num_tokens or not page_size:
            return ApiFacts(
                warnings=warnings, max_total_tokens=num_tokens or None, priorities=info.priorities
            )
        return ApiFacts(num_tokens // page_size, page_size, warnings, num_tokens, info.priorities)


def _sampling_params(request: GenerationRequest, index: int, tokenizer: Tokenizer) -> dict[str, Any]:
    """Return the object `sampling_params`. It has no stop strings, so that only our rule counts.

    A server that is to ignore end tokens ignores stop tokens too; then the sequence is ended here.
    """
    sampling, stopping = request.sampling, request.stopping
    seed = seed_of(request, index)
    params: dict[str, Any] = {
        "max_new_tokens": stopping.max_tokens,
        "min_new_tokens": stopping.min_tokens,
        "stop_token_ids": ending_token_ids(request, tokenizer),
        "ignore_eos": ignores_ends(request),
        # It draws without a cost from any seed, and from 42 where there is none: equal requests would be
        # answered alike.
        "sampling_seed": getrandbits(_SEED_BITS) if seed is None else seed,
        **msgspec.to_builtins(common_params(sampling)),
    }
    if sampling.grammar is not None:
        params |= _grammar(sampling.grammar)
    return params


def _grammar(grammar: Grammar) -> dict[str, str]:
    if grammar.kind is GrammarKind.JSON_OBJECT:
        return {"json_schema": _ANY_OBJECT}
    return {_GRAMMARS[grammar.kind]: grammar.source}


def _logprob_options(request: GenerationRequest, index: int) -> dict[str, Any]:
    """Return the options of log-probabilities. One number of ranked tokens counts for prompt and output."""
    sampling = request.sampling
    of_prompt = sampling.num_prompt_logprobs if index == 0 else None
    if sampling.num_logprobs is None and of_prompt is None:
        return {}
    options: dict[str, Any] = {
        "return_logprob": True,
        "top_logprobs_num": max(sampling.num_logprobs or 0, of_prompt or 0),
    }
    if of_prompt is not None:
        options["logprob_start_len"] = 0
    if sampling.logprob_token_ids:
        options["token_ids_logprob"] = sampling.logprob_token_ids
    return options


@final
class _SglangReader(AnswerReader):
    """Events hold all tokens so far, or with --incremental-streaming-output only the new ones."""

    chunk_decoder: ClassVar[msgspec.json.Decoder[Any]] = msgspec.json.Decoder(_Chunk)

    def __init__(self, request: GenerationRequest, tokenizer: Tokenizer, index: int) -> None:
        super().__init__(request, tokenizer)
        self._num_seen = 0
        # A request only for log-probabilities of tokens is answered with the prompt's last one too.
        self._wants_prompt = request.sampling.num_prompt_logprobs is not None and index == 0

    @override
    def _read_chunk(self, chunk: _Chunk) -> list[NewToken]:
        if chunk.error is not None:
            raise UpstreamError(chunk.error.code, in_one_line(chunk.error.message))
        if (meta := chunk.meta_info) is None:
            raise Malformed("the event has no meta_info")
        finish = meta.finish_reason
        if finish is not None and finish.type == "abort":
            raise UpstreamError(finish.status_code or 500, in_one_line(finish.message))
        if finish is not None:
            self.finish_reason = finish.type
        if self.prompt is None and meta.input_token_logprobs and self._wants_prompt:
            self.prompt = self._read_prompt(meta)
        self.num_cached_tokens = meta.cached_tokens
        return list(self._tokens(self._new(chunk.output_ids, meta.completion_tokens), meta))

    def _new(self, token_ids: list[int], num_tokens: int) -> list[int]:
        """Return the tokens that no earlier event had. num_tokens: the number of all up to this event."""
        if num_tokens < self._num_seen or len(token_ids) not in (num_tokens, num_tokens - self._num_seen):
            raise Malformed("the tokens are not as many as the answer counts")
        new = token_ids[len(token_ids) - (num_tokens - self._num_seen) :]
        self._num_seen = num_tokens
        return new

    def _tokens(self, token_ids: list[int], meta: _Meta) -> Iterator[NewToken]:
        scores: list[float | None] = [None] * len(token_ids)
        ranked: list[list[_Scored] | None] = [None] * len(token_ids)
        named = self._request.sampling.logprob_token_ids
        if self._num_logprobs is not None:
            scores = self._own_scores(token_ids, meta.output_token_logprobs)
            if named or self._num_logprobs:
                found = meta.output_token_ids_logprobs if named else meta.output_top_logprobs
                ranked = _last(found, len(token_ids))
        finish = meta.finish_reason and meta.finish_reason.type
        for place, (token_id, score, others) in enumerate(
            zip(token_ids, scores, ranked, strict=True), start=1
        ):
            self._check(token_id)
            listed = dict(_scores(others))
            top = (
                tuple(self._logprob(each, listed[each]) for each in named if each in listed)
                if named
                else self._ranked(listed.items(), self._num_logprobs or 0)
            )
            is_last = place == len(token_ids)
            yield NewToken(token_id, score, top, is_last and finish == "stop", is_last and finish == "length")

    def _own_scores(self, token_ids: list[int], scored: list[_Scored] | None) -> list[float | None]:
        found = _last(scored, len(token_ids))
        if [one.token_id for one in found] != token_ids or any(one.logprob is None for one in found):
            raise Malformed("the tokens lack their log-probabilities")
        return [one.logprob for one in found]

    def _read_prompt(self, meta: _Meta) -> tuple[PromptToken, ...]:
        scored = meta.input_token_logprobs or []
        if [one.token_id for one in scored] != list(self._request.prompt.token_ids):
            raise Malformed("the log-probabilities of the prompt are another prompt's")
        try:
            ranked = [_top_decoder.decode(place) for place in meta.input_top_logprobs or ()]
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise Malformed(f"no log-probabilities of a prompt: {error}") from error
        return self._prompt_tokens(
            [one.logprob for one in scored], [_scores(others) for others in ranked or [None] * len(scored)]
        )


def _last(found: Sequence[Any] | None, num: int) -> list[Any]:
    """Return the last entries, which belong to the new tokens, whether or not others stand before them.

    Raises Malformed if there are fewer.
    """
    if found is None or len(found) < num:
        raise Malformed("the tokens lack their log-probabilities")
    return list(found[len(found) - num :])


def _scores(found: list[_Scored] | None) -> list[tuple[int, float]]:
    return [(one.token_id, one.logprob) for one in found or () if one.logprob is not None]
