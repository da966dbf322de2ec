"""A front over a real SGLang server with the embedded model, beside Verbatim's own engine in float32."""

from typing import ClassVar

from typing_extensions import override

from engine.request import SamplingParams
from tests.token_servers.same_answers import SameAnswers, metric


class TestSglang(SameAnswers):
    refused: ClassVar[tuple[SamplingParams, str]] = (
        SamplingParams(temperature=0.0, repetition_penalty=3.0),
        "repetition_penalty",
    )

    @override
    async def num_computed(self, url: str) -> float:
        return await metric(url, "sglang:generation_tokens_total")
