"""Streams of lines, read by the golden project's clients from a scripted server."""

import json
import sys
from collections.abc import AsyncIterator, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest

from tests.unit.verbatim_kit.generate.sdk.scripted import Reply, Script

GOLDEN = Path(__file__).parents[1] / "golden" / "generated" / "clients" / "python"
LINES = "application/x-ndjson"
STRIDES = [{"metres": 1, "done": False}, {"metres": 2, "done": True}]
BROKEN = {"reason": "It is\u2028tired"}


@pytest.fixture
def pets(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(GOLDEN))

    return import_module("pets_client.pets")


def lines(*items: Any) -> str:
    return "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items)


def reply(body: str, media_type: str = LINES) -> Reply:
    return Reply(body=body, media_type=media_type)


async def read(pets: Any, script: Script, *, is_async: bool) -> list[Any]:
    if not is_async:
        with pets.Client(script.url) as client, client.stream_walk_pet(pet="Bo") as steps:
            return [step.model_dump() for step in steps]
    async with pets.AsyncClient(script.url) as client, client.stream_walk_pet(pet="Bo") as steps:
        return [step.model_dump() async for step in steps]


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize(
    "body", [lines(*STRIDES), lines(*STRIDES)[:-1], lines(*STRIDES).replace("\n", "\r\n\n")]
)
async def test_each_line_is_an_item(pets: Any, script: Script, body: str, is_async: bool) -> None:
    script.replies = [reply(body, f"{LINES}; charset=utf-8")]
    assert await read(pets, script, is_async=is_async) == STRIDES
    assert json.loads(script.requests[0][3]) == {"pet": "Bo", "stream": True}


@pytest.mark.parametrize("is_async", [False, True])
async def test_a_line_that_tells_of_an_error_is_raised(pets: Any, script: Script, is_async: bool) -> None:
    script.replies = [reply(lines(STRIDES[0], BROKEN))]
    with pytest.raises(sys.modules["pets_client"].APIStreamError) as raised:
        await read(pets, script, is_async=is_async)
    assert raised.value.body.reason == BROKEN["reason"]


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (reply(lines(*STRIDES), "application/json"), "not lines as application/x-ndjson"),
        (reply(f"data: {lines(STRIDES[0])}\n", "text/event-stream"), "not lines as application/x-ndjson"),
        (reply(lines(*STRIDES)[:-5]), "not what the contract's document says"),
    ],
)
async def test_an_answer_that_is_no_such_stream_is_refused(
    pets: Any, script: Script, answer: Reply, message: str, is_async: bool
) -> None:
    script.replies = [answer]
    with pytest.raises(sys.modules["pets_client"].APIResponseValidationError, match=message):
        await read(pets, script, is_async=is_async)


def test_a_line_may_come_in_any_pieces(pets: Any) -> None:
    text = lines(STRIDES[0], {**STRIDES[1], "note": "\u2028"}).encode()

    def pieces() -> Iterator[bytes]:
        yield from (text[at : at + 1] for at in range(len(text)))

    transport = httpx.MockTransport(
        lambda request: httpx.Response(200, content=pieces(), headers={"content-type": LINES})
    )
    with pets.Client(transport=transport) as client:
        assert [step.metres for step in client.stream_walk_pet(pet="Bo")] == [1, 2]


async def test_leaving_a_stream_closes_its_connection(pets: Any, script: Script) -> None:
    script.replies = [Reply(body=lines(STRIDES[0]), media_type=LINES, waits=True)]
    async with pets.AsyncClient(script.url) as client:
        async with client.stream_walk_pet(pet="Bo") as steps:
            assert isinstance(steps, AsyncIterator)
            assert (await anext(steps)).metres == 1
        assert script.client_left.wait(5)


def test_a_whole_answer_is_asked_for_where_a_stream_is_the_default(pets: Any, script: Script) -> None:
    script.replies = [Reply(body={"id": 1, "kind": "dog", "owner": None})]
    with pets.Client(script.url) as client:
        assert client.walk_pet(pet="Bo").id == 1
        assert client.with_raw_response.walk_pet(pet="Bo").status == 200
    assert [json.loads(content)["stream"] for _, _, _, content in script.requests] == [False, False]
