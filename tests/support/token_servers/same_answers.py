"""The tests of a front over any real token server, beside Verbatim's own engine in float32."""

import asyncio
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import aclosing
from functools import cache
from math import inf
from typing import ClassVar

import httpx
import pytest
from starlette.types import ASGIApp

from engine.port.engine import Engine
from engine.port.errors import InvalidRequest
from engine.port.events import FinishReason, TokenEvent
from engine.port.request import (
    EmbeddingRequest,
    GenerationRequest,
    Grammar,
    GrammarKind,
    SamplingParams,
    StopConditions,
)
from handlers.composition import TABLES, build_app
from handlers.settings.settings import Settings
from tests.clients.test_same_text import answers, continuations
from tests.contract.over_servers.agreement import disagreement
from tests.contract.requests.documented import Asked, requests_of
from tests.support.engine_requests import generation_request
from tests.support.samples.bodies import SCHEMA
from tests.support.samples.contracts import samples_of
from tests.support.servers.running_app import running_app
from tests.support.token_servers.fixed_seeds import draw_one_seed
from tests.support.token_servers.real_server import Engines
from tests.unit.verbatim_kit.runtime.client import send

PROMPTS = ("Hello", "The capital of France is", "1 2 3 4", "My name is Anna.", "{")
GREEDY = SamplingParams(temperature=0.0)
# Both compute in float32, by kernels that add in another order.
TOLERANCE = 1e-3


def new_request(
    engine: Engine, text: str, sampling: SamplingParams = GREEDY, num_sequences: int = 1, **stopping: object
) -> GenerationRequest:
    conditions = StopConditions(**{"max_tokens": 24} | stopping)  # type: ignore[arg-type]
    return generation_request(
        request_id=f"test-{text}",
        token_ids=engine.tokenizer.encode(text),
        sampling=sampling,
        stopping=conditions,
        num_sequences=num_sequences,
    )


async def events(engine: Engine, request: GenerationRequest) -> list[TokenEvent]:
    async with aclosing(engine.submit(request)) as found:
        return [each async for each in found]


def core(found: list[TokenEvent]) -> list[tuple[int, str, FinishReason | None]]:
    return [(each.token_id, each.text, each.finish) for each in found]


async def metric(url: str, name: str) -> float:
    """Return the value of the server's metric, over all its series."""
    async with httpx.AsyncClient(timeout=60) as client:
        text = (await client.get(f"{url}/metrics")).text
    counts = re.findall(rf"^{name}\{{[^}}]*\}} (\S+)", text, re.M)
    assert counts
    return sum(map(float, counts))


ALL_REQUESTS = [asked for contract in TABLES for asked in requests_of(contract)]


@cache
def _apps(engines: Engines) -> tuple[ASGIApp, ASGIApp]:
    """Return the applications over our own engine and over the server."""
    return build_app(Settings(), engines.own), build_app(Settings(), engines.over_server)


def _has_penalties(request: GenerationRequest | EmbeddingRequest) -> bool:
    if isinstance(request, EmbeddingRequest):
        return False
    sampling = request.sampling
    penalties = (sampling.repetition_penalty - 1, sampling.presence_penalty, sampling.frequency_penalty)
    return any(penalties) or bool(sampling.logit_bias or sampling.banned_token_ids)


@pytest.mark.timeout(900)
class SameAnswers(ABC):
    """The tests of one kind of server.

    refused: what it refuses by itself, with a pattern of its reason. scores_after_penalties: whether it takes
    log-probabilities from the logits after penalties and bias.
    """

    refused: ClassVar[tuple[SamplingParams, str]]
    scores_after_penalties: ClassVar[bool] = False

    @abstractmethod
    async def num_computed(self, url: str) -> float:
        """Return how many tokens the server has computed."""

    @pytest.mark.parametrize("text", PROMPTS)
    async def test_greedy_tokens_texts_and_ends_are_our_own_engines(
        self, engines: Engines, text: str
    ) -> None:
        request = new_request(engines.own, text)
        assert core(await events(engines.over_server, request)) == core(await events(engines.own, request))

    async def test_many_requests_at_once_are_answered_as_each_alone(self, engines: Engines) -> None:
        requests = [new_request(engines.own, text) for text in PROMPTS]
        alone = [core(await events(engines.over_server, request)) for request in requests]
        together = await asyncio.gather(*(events(engines.over_server, request) for request in requests))
        assert [core(found) for found in together] == alone

    async def test_log_probabilities_are_our_own_engines(self, engines: Engines) -> None:
        sampling = SamplingParams(temperature=0.0, num_logprobs=3, num_prompt_logprobs=2)
        request = new_request(engines.own, PROMPTS[1], sampling, max_tokens=6)
        expected, found = await events(engines.own, request), await events(engines.over_server, request)
        assert core(found) == core(expected)
        for one, other in zip(found, expected, strict=True):
            assert one.logprob == pytest.approx(other.logprob, abs=TOLERANCE)
            assert [each.token_id for each in one.top_logprobs] == [
                each.token_id for each in other.top_logprobs
            ]
        assert found[0].prompt is not None and expected[0].prompt is not None
        for place, other_place in zip(found[0].prompt, expected[0].prompt, strict=True):
            assert place.logprob == pytest.approx(other_place.logprob, abs=TOLERANCE)
            assert [each.token_id for each in place.top_logprobs] == [
                each.token_id for each in other_place.top_logprobs
            ]

    @pytest.mark.parametrize(
        "grammar",
        [
            Grammar(GrammarKind.REGEX, "[a-c]{3}[0-9]"),
            Grammar(GrammarKind.JSON_SCHEMA, '{"type": "object", "properties": {"a": {"enum": ["x", "y"]}}, '
                    '"required": ["a"], "additionalProperties": false}'),
            Grammar(GrammarKind.EBNF, 'root ::= "yes" | "no"'),
            Grammar(GrammarKind.STRUCTURAL_TAG, '{"type": "structural_tag", "format": {"type": "or", '
                    '"elements": [{"type": "const_string", "value": "yes"}, '
                    '{"type": "const_string", "value": "no"}]}}'),
        ],
        ids=lambda grammar: grammar.kind.value,
    )  # fmt: skip
    async def test_a_grammar_binds_the_text(self, engines: Engines, grammar: Grammar) -> None:
        request = new_request(
            engines.own, "Hello", SamplingParams(temperature=0.0, grammar=grammar), max_tokens=40
        )
        found = await events(engines.over_server, request)
        text = "".join(each.text for each in found)
        expected = "".join(each.text for each in await events(engines.own, request))
        assert found[-1].finish in (FinishReason.STOP, FinishReason.END_TOKEN)
        if grammar.kind is GrammarKind.JSON_SCHEMA:  # the backends write white space in other tokens
            assert json.loads(text) in ({"a": "x"}, {"a": "y"})
        else:
            assert text == expected

    async def test_nothing_follows_a_grammars_end_though_end_tokens_are_ignored(
        self, engines: Engines
    ) -> None:
        """The own engine gives end tokens alone there; a server binds nothing that follows the first one."""
        sampling = SamplingParams(temperature=0.0, grammar=Grammar(GrammarKind.REGEX, "[a-c]{3}[0-9]"))
        request = new_request(engines.own, "Hello", sampling, ignore_eos=True)
        expected, found = ["".join(each.text for each in await events(engine, request)) for engine in engines]
        assert found == expected and len(found) == 4

    async def test_any_object_is_an_object_from_its_first_token(self, engines: Engines) -> None:
        """The model need not end it: a text that does not must at least begin as one."""
        sampling = SamplingParams(temperature=0.0, grammar=Grammar(GrammarKind.JSON_OBJECT))
        found = await events(engines.over_server, new_request(engines.own, "Hello", sampling))
        text = "".join(each.text for each in found)
        plain = await events(engines.over_server, new_request(engines.own, "Hello"))
        assert text.startswith("{") and not plain[0].text.startswith("{")
        if found[-1].finish is not FinishReason.LENGTH:
            assert isinstance(json.loads(text), dict)

    async def test_a_stop_string_ends_the_text(self, engines: Engines) -> None:
        request = new_request(engines.own, PROMPTS[0], stop=("e",), ignore_eos=True, max_tokens=200)
        assert core(await events(engines.over_server, request)) == core(await events(engines.own, request))

    async def test_sequences_have_seeds_of_their_own(self, engines: Engines) -> None:
        request = new_request(engines.own, "Hello", SamplingParams(temperature=1.5, seed=5), num_sequences=3)
        first, second = await events(engines.over_server, request), await events(engines.over_server, request)

        def texts(found: list[TokenEvent]) -> list[str]:
            return ["".join(each.text for each in found if each.index == index) for index in range(3)]

        assert texts(first) == texts(second)
        assert len(set(texts(first))) > 1

    async def test_sequences_without_a_seed_differ(self, engines: Engines) -> None:
        sampling = SamplingParams(temperature=1.5, seed=None)
        request = new_request(engines.own, "Hello", sampling, num_sequences=3)
        texts = set[str]()
        for _ in range(2):
            found = await events(engines.over_server, request)
            texts |= {"".join(each.text for each in found if each.index == index) for index in range(3)}
        assert len(texts) == 6

    async def test_excluded_tokens_never_come(self, engines: Engines) -> None:
        plain = await events(engines.over_server, new_request(engines.own, "Hello"))
        banned = plain[0].token_id
        sampling = SamplingParams(temperature=0.0, banned_token_ids=(banned,))
        request = new_request(engines.own, "Hello", sampling)
        found = await events(engines.over_server, request)
        assert banned not in [each.token_id for each in found]
        assert core(found) == core(await events(engines.own, request))

    async def test_a_request_that_is_closed_is_aborted_there(self, engines: Engines, url: str) -> None:
        """The server counts no aborts of streams, so what tells is that it stops computing."""
        most = 1900
        request = new_request(engines.own, "Hello", ignore_eos=True, max_tokens=most)
        before = await self.num_computed(url)
        reading = engines.over_server.submit(request)
        await anext(reading)
        await reading.aclose()
        last = -1.0
        while (computed := await self.num_computed(url)) != last:
            last = computed
            await asyncio.sleep(1)
        assert 0 < computed - before < most
        assert engines.over_server.stats().num_running == 0
        assert await events(engines.over_server, new_request(engines.own, "Hello"))

    @pytest.mark.parametrize("asked", ALL_REQUESTS, ids=lambda asked: asked.id)
    async def test_contracts_answer_as_over_our_own_engine(
        self, engines: Engines, asked: Asked, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        draw_one_seed(monkeypatch)
        request = asked.request
        headers = {"content-type": "application/json", **request.headers}
        engines.own.requests.clear()
        expected, answer = [
            await send(app, request.method, asked.path, content=request.content, headers=headers)
            for app in _apps(engines)
        ]
        capabilities = engines.over_server.capabilities
        has_other_scores = self.scores_after_penalties and any(map(_has_penalties, engines.own.requests))
        assert (
            disagreement(
                asked,
                answer,
                expected,
                engines.own.requests,
                capabilities,
                tolerance=inf if has_other_scores else TOLERANCE,
                draws_alike=False,
            )
            is None
        )

    @pytest.mark.parametrize("asked", [continuations, answers])
    async def test_every_contract_tells_the_same_greedy_text(
        self, engines: Engines, asked: Callable[[str], dict[str, str]]
    ) -> None:
        texts = list[dict[str, str]]()
        for engine in engines:
            async with running_app(build_app(Settings(), engine)) as front:
                texts.append(await asyncio.to_thread(asked, front))
        own, over_server = texts
        assert len({*over_server.values()}) == 1 and all(over_server.values()), over_server
        assert over_server == own

    async def test_a_schema_of_a_contract_binds_the_answer(self, engines: Engines) -> None:
        path, body = samples_of("openai").features["/v1/chat/completions: a schema"]
        answer = await send(build_app(Settings(), engines.over_server), "POST", f"/openai{path}", json=body)
        content = json.loads(answer.json()["choices"][0]["message"]["content"])
        assert content.keys() == set(SCHEMA["required"]) and isinstance(content["a"], int)

    async def test_what_the_server_refuses_is_an_invalid_request(self, engines: Engines) -> None:
        sampling, reason = self.refused
        with pytest.raises(InvalidRequest, match=reason):
            await events(engines.over_server, new_request(engines.own, "Hello", sampling))
