"""Tests the judge's findings on mutants of one contract's answers; `make mutate` covers all of them."""

import copy
from typing import Any

import pytest

from tests.support.scripted.engine import ScriptedEngine, says
from tools.mutate.excuses import excuse_of
from tools.mutate.recording.record import documents, record
from verbatim_kit.mutate.recorded import Recorded
from verbatim_kit.mutate.report import render
from verbatim_kit.mutate.score import score

CONTRACT = "mindie"


@pytest.fixture(scope="module")
def document() -> Any:
    return documents()[CONTRACT]


@pytest.fixture(scope="module")
async def recorded(document: Any) -> list[Recorded]:
    engine = ScriptedEngine(says("Hello", " there", "!"))
    return [one async for one in record(engine, {CONTRACT: document})]


async def test_answers_of_every_status_are_recorded(recorded: list[Recorded], document: Any) -> None:
    seen = {str(one.exchange.status) for one in recorded}
    assert seen == set(document["paths"]["/v1/chat/completions"]["post"]["responses"])


async def test_the_judge_finds_the_mutants(recorded: list[Recorded], document: Any) -> None:
    found = score({CONTRACT: document}, recorded, excuse_of=excuse_of)
    assert not found.faulty
    assert found.num_mutants > 500
    assert found.share >= 0.99, render(found)
    kinds = {kind for _, kind in found.killed}
    assert {
        "field dropped",
        "status changed",
        "event lost",
        "identity changed",
        "terminator missing",
    } <= kinds
    assert found.as_json()["killed"] == found.killed.total()


async def test_what_a_document_no_longer_says_lives(recorded: list[Recorded], document: Any) -> None:
    silent = copy.deepcopy(document)
    answers = silent["paths"]["/v1/chat/completions"]["post"]["responses"]["200"]["content"]
    del answers["text/event-stream"]["x-stream"]
    found = score({CONTRACT: silent}, recorded, excuse_of=excuse_of)
    assert {"identity changed", "event lost"} <= {one.kind for one in found.survivors}
    assert "survived: mindie chatCompletions: identity changed event 1/id" in render(found)


async def test_an_answer_that_is_faulty_as_recorded_is_told(recorded: list[Recorded], document: Any) -> None:
    one = recorded[0]
    wrong = one._replace(exchange=one.exchange._replace(body=b"{}"))
    assert score({CONTRACT: document}, [wrong]).faulty
