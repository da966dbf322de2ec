"""A front over a real SGLang server with the embedded model, beside Verbatim's own engine in float32."""

import asyncio
import json
from typing import Any, ClassVar

import httpx
import msgspec
import pytest
from typing_extensions import override

from engine.demo_model import DEMO_MODEL
from engine.port.errors import EngineBusy
from engine.port.request import SamplingParams
from engine.remote.config import RemoteConfig
from engine.remote.remote_engine import RemoteEngine
from engine.remote.wire.answer_reader import error_reason
from engine.remote.wire.sglang import SglangApi
from tests.support.token_servers.real_server import Engines
from tests.support.token_servers.same_answers import TOLERANCE, SameAnswers, core, events, metric, new_request


@pytest.mark.timeout(900)
class TestSglang(SameAnswers):
    refused: ClassVar[tuple[SamplingParams, str]] = (
        SamplingParams(temperature=0.0, repetition_penalty=3.0),
        "repetition_penalty",
    )
    scores_after_penalties: ClassVar[bool] = True

    @override
    async def num_computed(self, url: str) -> float:
        return await metric(url, "sglang:generation_tokens_total")

    async def test_log_probabilities_are_of_the_model_before_the_temperature(self, engines: Engines) -> None:
        greedy = new_request(engines.own, "Hello", SamplingParams(temperature=0.0, num_logprobs=3))
        drawn = new_request(engines.own, "Hello", SamplingParams(temperature=2.0, seed=3, num_logprobs=3))
        expected = (await events(engines.own, greedy))[0].top_logprobs
        found = (await events(engines.over_server, drawn))[0].top_logprobs
        assert [each.token_id for each in found] == [each.token_id for each in expected]
        assert [each.logprob for each in found] == pytest.approx(
            [each.logprob for each in expected], abs=TOLERANCE
        )

    async def test_named_tokens_have_their_log_probabilities(self, engines: Engines) -> None:
        sampling = SamplingParams(temperature=0.0, num_logprobs=0, logprob_token_ids=(40, 7))
        request = new_request(engines.own, "Hello", sampling, max_tokens=3)
        expected, found = await events(engines.own, request), await events(engines.over_server, request)
        for one, other in zip(found, expected, strict=True):
            assert [each.token_id for each in one.top_logprobs] == [40, 7]
            assert [each.logprob for each in one.top_logprobs] == pytest.approx(
                [each.logprob for each in other.top_logprobs], abs=TOLERANCE
            )

    async def test_a_full_server_refuses_and_answers_the_rest(self, engines: Engines) -> None:
        request = new_request(engines.own, "Hello", max_tokens=8)
        expected = core(await events(engines.own, request))
        requests = [msgspec.structs.replace(request, request_id=f"test-{number}") for number in range(40)]
        found = await asyncio.gather(
            *(events(engines.over_server, each) for each in requests), return_exceptions=True
        )
        refused = [each for each in found if isinstance(each, BaseException)]
        answered = [core(each) for each in found if not isinstance(each, BaseException)]
        assert refused and all(isinstance(each, EngineBusy) for each in refused), refused
        assert len(answered) >= 8 and all(each == expected for each in answered)

    async def test_each_form_of_its_errors_is_read(self, url: str) -> None:
        bodies: dict[str, dict[str, Any]] = {
            "repetition_penalty": {"input_ids": [5], "sampling_params": {"repetition_penalty": 3}},
            "invalid type": {"input_ids": [5], "sampling_params": {"temperature": "hot"}},
            "input_ids": {"input_ids": "x"},
        }
        async with httpx.AsyncClient(timeout=60) as client:
            for reason, body in bodies.items():
                answer = await client.post(url + SglangApi.path, json=body)
                assert answer.status_code == 400
                assert reason in error_reason(answer.content).message

    async def test_a_prompt_beyond_the_context_is_refused_in_a_stream(self, url: str) -> None:
        body = {"input_ids": [5] * 3000, "stream": True, "sampling_params": {"max_new_tokens": 1}}
        async with httpx.AsyncClient(timeout=60) as client:
            answer = await client.post(url + SglangApi.path, json=body)
        assert answer.status_code == 200
        error = json.loads(answer.text.removeprefix("data: ").partition("\n")[0])["error"]
        assert error["code"] == 400 and "longer than" in error["message"]

    async def test_its_account_of_itself_is_read(self, url: str) -> None:
        async with httpx.AsyncClient(timeout=60) as client:
            facts = SglangApi().read_facts((await client.get(url + SglangApi.facts_path)).content)
        assert (facts.num_blocks, facts.block_size, facts.warnings) == (16384, 1, ())

    async def test_the_longest_context_is_the_servers(self, url: str) -> None:
        engine = await RemoteEngine.start(
            RemoteConfig(model=str(DEMO_MODEL), api="sglang", urls=(url,), start_timeout_s=60)
        )
        assert engine.model_info.max_total_tokens == 2048
        await engine.stop()
