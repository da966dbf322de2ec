"""Verbatim's own token API: vLLM's, with what this engine can do beyond it; no torch."""

from typing import ClassVar, final

import msgspec
from msgspec.structs import replace
from typing_extensions import override

from engine.port.info.capabilities import Capabilities
from engine.port.request import GenerationRequest, MediaKind
from engine.port.text.tokenizer import Tokenizer
from engine.remote.wire.answer_reader import AnswerReader
from engine.remote.wire.token_api import ApiFacts, TokenApi
from engine.remote.wire.vllm import VllmApi, VllmReader, request_body, sampling_params
from generated.tokens import structs as m


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
        body = request_body(request, model, _sampling_params(request, index, tokenizer))
        body.stream = True
        return msgspec.json.encode(body)

    @override
    def encode_probe(self, model: str, token_id: int) -> bytes:
        return VllmApi().encode_probe(model, token_id)

    @override
    def reader(self, request: GenerationRequest, tokenizer: Tokenizer, index: int = 0) -> AnswerReader:
        return VllmReader(request, tokenizer)

    @override
    def read_facts(self, body: bytes) -> ApiFacts:
        return VllmApi().read_facts(body)


def _sampling_params(request: GenerationRequest, index: int, tokenizer: Tokenizer) -> m.SamplingParams:
    sampling, stopping = request.sampling, request.stopping
    without_banned = replace(request, sampling=replace(sampling, banned_token_ids=()))
    params = sampling_params(without_banned, index, tokenizer)
    if stopping.ignore_eos:
        # It binds all that follows a grammar's end, and so goes on there as the engine itself does.
        params.stop_token_ids = sorted(set(stopping.stop_token_ids))
    if sampling.seed is not None:
        params.seed = (sampling.seed + index) % 2**64  # vLLM has fewer bits
    if (mark := sampling.watermark) is not None:
        params.watermark = m.Watermark(gamma=mark.gamma, delta=mark.delta)
    params.typical_p = sampling.typical_p
    params.banned_token_ids = sampling.banned_token_ids or None
    params.logprobs = sampling.num_logprobs
    params.logprob_token_ids = sampling.logprob_token_ids or None
    return params
