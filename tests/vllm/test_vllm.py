"""A front over a real vLLM server with the embedded model, beside Verbatim's own engine in float32."""

from typing import ClassVar

from typing_extensions import override

from engine.request import SamplingParams
from tests.token_servers.same_answers import SameAnswers, metric


class TestVllm(SameAnswers):
    refused: ClassVar[tuple[SamplingParams, str]] = SamplingParams(temperature=3.0), "temperature"

    @override
    async def num_computed(self, url: str) -> float:
        return await metric(url, "vllm:generation_tokens_total")
