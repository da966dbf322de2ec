"""Verbatim's own token API: vLLM's, with what this engine can do beyond it; no torch."""

from typing import Any, ClassVar, final

import msgspec
from msgspec.structs import replace
from typing_extensions import override

from engine.port.info.capabilities import Capabilities
from engine.port.request import GenerationRequest, MediaKind
from engine.port.text.tokenizer import Tokenizer
from engine.remote.wire.answer_reader import AnswerReader, NewToken
from engine.remote.wire.sampling import salt_digest
from engine.remote.wire.token_api import ApiFacts, TokenApi
from engine.remote.wire.vllm import Choice, Chunk, VllmApi, VllmReader, prompt_fields, sampling_params


class _Start(msgspec.Struct):
    """The beginning of a sequence; fields are named after those of TokenEvent."""

    queue_s: float = 0.0
    cached_tokens: int = 0


class _Choice(Choice):
    start: _Start | None = None


class _Chunk(Chunk):
    choices: list[_Choice] = []  # type: ignore[assignment]  # a list of a narrower type, which is only read


@final
class VerbatimApi(TokenApi):
    """The API that Verbatim serves by the contract `tokens`."""

    name: ClassVar[str] = "verbatim"
    path: ClassVar[str] = "/inference/v1/generate"
    facts_path: ClassVar[str] = "/metrics"
    start_hint: ClassVar[str] = "its --root must have tokens, or the URL end with /tokens"
    capabilities: Capabilities = Capabilities(beams=False, embeddings=False, media=frozenset(MediaKind))

    @override
    def is_streamed(self, request: GenerationRequest) -> bool:
        return True

    @override
    def encode(self, request: GenerationRequest, index: int, model: str, tokenizer: Tokenizer) -> bytes:
        body: dict[str, Any] = {
            "model": request.adapter or model,
            **prompt_fields(request.prompt),
            "stream": True,
            "sampling_params": _sampling_params(request, index, tokenizer),
            "priority": request.priority,
        }
        if request.cache_salt is not None:
            body["cache_salt"] = salt_digest(request.cache_salt)
        return msgspec.json.encode(body)

    @override
    def encode_probe(self, model: str, token_id: int) -> bytes:
        return VllmApi().encode_probe(model, token_id)

    @override
    def reader(self, request: GenerationRequest, tokenizer: Tokenizer, index: int = 0) -> AnswerReader:
        return _VerbatimReader(request, tokenizer)

    @override
    def read_facts(self, body: bytes) -> ApiFacts:
        return VllmApi().read_facts(body)


def _sampling_params(request: GenerationRequest, index: int, tokenizer: Tokenizer) -> dict[str, Any]:
    sampling, stop_token_ids = request.sampling, request.stopping.stop_token_ids
    ignore_eos = request.stopping.ignore_eos
    without_banned = replace(request, sampling=replace(sampling, banned_token_ids=()))
    params = sampling_params(without_banned, index, tokenizer)
    given: dict[str, Any] = {
        # It binds all that follows a grammar's end, and so goes on there as the engine itself does.
        "stop_token_ids": sorted(set(stop_token_ids)) if ignore_eos else None,
        "seed": None if sampling.seed is None else (sampling.seed + index) % 2**64,  # vLLM has fewer bits
        "typical_p": sampling.typical_p,
        "watermark": sampling.watermark,
        "banned_token_ids": sampling.banned_token_ids or None,
        "logprobs": sampling.num_logprobs,
        "logprob_token_ids": sampling.logprob_token_ids or None,
    }
    return params | {name: value for name, value in given.items() if value is not None}


@final
class _VerbatimReader(VllmReader):
    chunk_decoder: ClassVar[msgspec.json.Decoder[Any]] = msgspec.json.Decoder(_Chunk)

    @override
    def _tokens(self, choice: Choice) -> list[NewToken]:
        assert isinstance(choice, _Choice)
        if choice.start is not None:
            self.queue_s = choice.start.queue_s
            self.num_cached_tokens = choice.start.cached_tokens
        return super()._tokens(choice)
