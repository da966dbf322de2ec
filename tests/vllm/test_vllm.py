"""A front over a real vLLM server with the embedded model, beside Verbatim's own engine in float32."""

from typing import ClassVar

import httpx
from typing_extensions import override

from engine.port.request import SamplingParams
from tests.support.token_servers.real_server import Engines
from tests.support.token_servers.same_answers import SameAnswers, metric


class TestVllm(SameAnswers):
    refused: ClassVar[tuple[SamplingParams, str]] = SamplingParams(temperature=3.0), "temperature"

    @override
    async def num_computed(self, url: str) -> float:
        return await metric(url, "vllm:generation_tokens_total")

    async def test_priorities_are_refused_unless_the_operator_says_that_there_are_any(
        self, engines: Engines, url: str
    ) -> None:
        """A server that schedules by arrival takes a priority and ignores it, whatever its document says."""
        assert "priority" in engines.over_server.capabilities.missing
        body = {"token_ids": [5], "priority": 5, "sampling_params": {"max_tokens": 1}}
        async with httpx.AsyncClient(timeout=60) as client:
            assert (await client.post(f"{url}/inference/v1/generate", json=body)).status_code == 200
