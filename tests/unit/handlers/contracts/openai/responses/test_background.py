"""Responses in the background: how they go on alone, and how they are found, cancelled and streamed again."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
from typing_extensions import override

from engine.port.errors import EngineBusy, EngineStopped, InvalidGrammar
from engine.port.events import TokenEvent
from engine.port.request import GenerationRequest
from handlers.contracts.openai.responses import background
from tests.support.clocks.until import until
from tests.support.scripted.engine import Script, ScriptedEngine, fails_after, says
from tests.unit.handlers.contracts.openai.api import MODEL, Api, Refusal
from tests.unit.verbatim_kit.runtime.client import send

PATH = "/openai/v1/responses"
BODY: dict[str, Any] = {"model": MODEL, "input": "Hi", "background": True}


class Later(Api):
    """A server that is asked for responses in the background, and for what has come of them."""

    async def begin(self, **fields: Any) -> Any:
        response = await self.answer(PATH, {**BODY, **fields})
        assert (response["status"], response["background"], response["store"]) == ("queued", True, True)
        return response

    async def find(self, path: str, method: str = "GET") -> Any:
        response = await send(self.app, method, f"{PATH}/{path}")
        assert response.status_code == 200, response.text
        return response.json()

    async def refuses(self, path: str, method: str = "GET") -> Refusal:
        response = await send(self.app, method, f"{PATH}/{path}")
        error = response.json()["error"]
        return Refusal(response.status_code, error["code"], error["param"])

    async def ended(self, id: str) -> Any:
        """Return a response once it has ended."""
        async with asyncio.timeout(20):
            while (response := await self.find(id))["status"] in ("queued", "in_progress"):
                await asyncio.sleep(0.01)
        return response

    async def events(self, id: str, query: str = "stream=true") -> list[Any]:
        response = await send(self.app, "GET", f"{PATH}/{id}?{query}")
        assert response.status_code == 200, response.text
        assert response.headers["content-type"].startswith("text/event-stream")
        return told(response)


def told(response: httpx.Response) -> list[Any]:
    """Return the events of a stream, each of which has its type as its name."""
    found = []
    for frame in response.text.split("\n\n")[:-1]:
        name, data = frame.split("\n")
        found.append(orjson.loads(data.removeprefix("data: ")))
        assert name == f"event: {found[-1]['type']}"
    return found


class Halting(ScriptedEngine):
    """An engine that says one token, and more when `goes_on` is set."""

    def __init__(self, script: Script) -> None:
        super().__init__(script)
        self.goes_on = asyncio.Event()

    @override
    async def submit(
        self, request: GenerationRequest, on_end: Callable[[int], object] | None = None
    ) -> AsyncGenerator[TokenEvent, None]:
        async with aclosing(super().submit(request, on_end)) as events:
            async for event in events:
                yield event
                await self.goes_on.wait()


async def id_in(store: Path) -> str:
    """Return the id of the only response in a store, as soon as there is one; clients read it in a stream."""
    async with asyncio.timeout(20):
        while True:
            with closing(sqlite3.connect(store)) as connection:
                if row := connection.execute("SELECT id FROM record").fetchone():
                    return str(row[0])
            await asyncio.sleep(0.01)


async def test_a_response_is_queued_then_in_progress_then_completed() -> None:
    engine = Halting(says("Hello", " you"))
    api = Later(engine)
    queued = await api.begin(metadata={"a": "b"})
    assert queued["output"] == [] and queued["usage"] is None and queued["completed_at"] is None
    await until(lambda: engine.num_running)
    async with asyncio.timeout(20):
        while (found := await api.find(queued["id"]))["status"] == "queued":
            await asyncio.sleep(0.01)
    assert found == {**queued, "status": "in_progress"}
    engine.goes_on.set()
    ended = await api.ended(queued["id"])
    assert ended["status"] == "completed" and ended["background"] is True
    assert ended["output"][0]["content"][0]["text"] == "Hello you"
    assert {**ended, **dict.fromkeys(("status", "output", "usage", "completed_at"))} == {
        **queued,
        **dict.fromkeys(("status", "output", "usage", "completed_at")),
    }
    whole = await api.answer(PATH, {"model": MODEL, "input": "Hi"})
    assert whole["usage"] == ended["usage"]
    going_on = await api.answer(PATH, {"model": MODEL, "input": "a", "previous_response_id": ended["id"]})
    assert going_on["usage"]["input_tokens"] > whole["usage"]["input_tokens"]
    items = await api.find(f"{going_on['id']}/input_items")
    assert items["data"][1] == ended["output"][0]


async def test_nothing_goes_on_from_a_response_that_has_not_ended() -> None:
    api = Later(Halting(says("Hello")))
    queued = await api.begin()
    refusal = await api.refusal(PATH, {"model": MODEL, "input": "Hi", "previous_response_id": queued["id"]})
    assert refusal == (400, "invalid_value", "previous_response_id")
    assert (await api.find(f"{queued['id']}/input_items"))["data"][0]["role"] == "user"


async def test_a_cancelled_response_stops_and_stays_cancelled() -> None:
    engine = Halting(says("Hello", " you"))
    api = Later(engine)
    id = (await api.begin())["id"]
    await until(lambda: engine.num_running)
    cancelled = await api.find(f"{id}/cancel", "POST")
    assert cancelled["status"] == "cancelled" and cancelled["error"] is None
    assert await api.find(f"{id}/cancel", "POST") == cancelled
    await until(lambda: not engine.num_running)
    assert await api.find(id) == cancelled


async def test_a_stream_is_told_again_from_any_event_on_and_its_cancelling_ends_it(tmp_path: Path) -> None:
    engine = Halting(says("Hello", " you"))
    api = Later(engine, store=tmp_path / "store")
    answering = asyncio.create_task(api.post(PATH, {**BODY, "stream": True}))
    id = await id_in(tmp_path / "store")
    again = asyncio.create_task(api.events(id, "stream=true&starting_after=2"))
    await until(lambda: engine.num_running)
    await asyncio.sleep(0.3)
    cancelled = await api.find(f"{id}/cancel", "POST")
    first = told(await answering)
    assert [event["sequence_number"] for event in first] == list(range(len(first)))
    assert [event["type"] for event in first[:3]] == [
        "response.created",
        "response.queued",
        "response.in_progress",
    ]
    assert any(event.get("delta") == "Hello" for event in first)
    assert first[-1]["type"] == "response.failed" and first[-1]["response"] == cancelled
    assert await again == first[3:]


async def test_a_stream_outlives_its_client(tmp_path: Path) -> None:
    engine = Halting(says("Hello", " you"))
    api = Later(engine, store=tmp_path / "store")
    answering = asyncio.create_task(api.post(PATH, {**BODY, "stream": True}))
    id = await id_in(tmp_path / "store")
    answering.cancel()
    engine.goes_on.set()
    ended = await api.ended(id)
    assert ended["status"] == "completed"
    events = await api.events(id)
    assert events[-1]["type"] == "response.completed" and events[-1]["response"] == ended
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    assert "".join(event["delta"] for event in events if event["type"].endswith("text.delta")) == "Hello you"
    assert await api.events(id, f"stream=true&starting_after={len(events) - 2}") == events[-1:]
    assert await api.events(id, "stream=true&starting_after=1000") == []


async def test_what_is_not_in_the_background_is_neither_cancelled_nor_streamed_again() -> None:
    api = Later(says("Hello"))
    now = await api.answer(PATH, {"model": MODEL, "input": "Hi"})
    later = await api.begin()
    assert await api.refuses(f"{now['id']}/cancel", "POST") == (400, "invalid_value", "response_id")
    for id in (now["id"], later["id"]):
        assert await api.refuses(f"{id}?stream=true") == (400, "unsupported_value", "stream")
    assert await api.refuses(f"{now['id']}?starting_after=1") == (400, "invalid_value", "starting_after")
    assert await api.find(f"{now['id']}?include[]=message.output_text.logprobs&stream=false") == now
    for method, path in (("POST", "resp_0/cancel"), ("GET", "resp_0?stream=true")):
        assert await api.refuses(path, method) == (404, None, "response_id")


async def test_the_background_needs_the_store() -> None:
    assert await Later(says("a")).refusal(PATH, {**BODY, "store": False}) == (
        400,
        "invalid_value",
        "background",
    )
    for stream in (False, True):
        api = Later(says("a"), no_store=True)
        refusal = await api.refusal(PATH, {**BODY, "stream": stream})
        assert refusal == (400, "unsupported_value", "background")
        assert not api.engine.requests


@pytest.mark.parametrize("stream", [False, True])
async def test_a_request_that_could_not_be_answered_is_refused_at_once(stream: bool) -> None:
    api = Later(says("a"))
    for fields, refusal in (
        ({"model": "other"}, (404, "model_not_found", "model")),
        ({"input": "word " * 500}, (400, "context_length_exceeded", "input")),
        ({"max_output_tokens": 500}, (400, "context_length_exceeded", "input")),
        ({"top_logprobs": 1}, (400, "invalid_value", "top_logprobs")),
    ):
        assert await api.refusal(PATH, {**BODY, "stream": stream, **fields}) == refusal
    assert not api.engine.requests


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InvalidGrammar("no"), "invalid_prompt"),
        (EngineBusy(1.0), "rate_limit_exceeded"),
        (EngineStopped(), "server_error"),
        (ZeroDivisionError(), "server_error"),
    ],
)
async def test_a_failure_is_found_as_such(error: Exception, code: str) -> None:
    api = Later(fails_after(error))
    ended = await api.ended((await api.begin())["id"])
    assert ended["status"] == "failed" and ended["error"]["code"] == code and ended["output"] == []


async def test_as_many_run_as_there_are_places_and_more_are_refused() -> None:
    engine = Halting(says("Hello"))
    api = Later(engine, max_concurrent_requests=2)
    ids = [(await api.begin())["id"] for _ in range(2)]
    assert (await api.refusal(PATH, BODY))[:2] == (429, "rate_limit_exceeded")
    await api.find(f"{ids[0]}/cancel", "POST")
    await until(lambda: engine.num_running == 1)
    await api.begin()


async def test_a_deleted_response_is_not_made_any_more() -> None:
    engine = Halting(says("Hello"))
    api = Later(engine)
    id = (await api.begin())["id"]
    await api.find(id, "DELETE")
    await until(lambda: not engine.num_running)
    assert await api.refuses(id) == (404, None, "response_id")


async def test_a_response_whose_process_has_ended_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process that makes it seems to have ended, since it has given no sign for a minute."""
    engine = Halting(says("Hello"))
    api = Later(engine, store=tmp_path / "store")
    answering = asyncio.create_task(api.post(PATH, {**BODY, "stream": True}))
    id = await id_in(tmp_path / "store")
    with closing(sqlite3.connect(tmp_path / "store")) as connection, connection:
        connection.execute("UPDATE work SET seen = seen - 60")
    other = Later(says("a"), store=tmp_path / "store")
    monkeypatch.setattr(background, "_SIGN_S", 60.0)
    failed = await other.find(id)
    assert failed["status"] == "failed" and "has ended" in failed["error"]["message"]
    assert failed["error"]["code"] == "server_error"
    assert (await other.events(id))[-1] == told(await answering)[-1]
    assert told(await answering)[-1]["response"] == failed
    await until(lambda: not engine.num_running)
    assert await api.find(id) == failed


async def test_any_process_tells_of_a_response_and_cancels_it(tmp_path: Path) -> None:
    engine = Halting(says("Hello", " you"))
    api, other = (Later(each, store=tmp_path / "store") for each in (engine, says("a")))
    one, two = [(await api.begin())["id"] for _ in range(2)]
    assert (await other.find(two))["status"] in ("queued", "in_progress")
    cancelled = await other.find(f"{one}/cancel", "POST")
    await until(lambda: engine.num_running == 1)
    engine.goes_on.set()
    assert (await other.ended(two))["output"][0]["content"][0]["text"] == "Hello you"
    assert await api.find(one) == cancelled


async def test_keys_find_and_cancel_only_their_own(tmp_path: Path) -> None:
    entries = [
        f'[[key]]\nname = "{name}"\nsha256 = "{sha256(name.encode()).hexdigest()}"\n'
        for name in ("ada", "bob")
    ]
    (tmp_path / "keys.toml").write_text("\n".join(entries))
    engine = Halting(says("Hello"))
    api = Later(engine, api_keys_file=str(tmp_path / "keys.toml"), store=tmp_path / "store")
    ada, bob = ({"authorization": f"Bearer {name}"} for name in ("ada", "bob"))
    answering = asyncio.create_task(api.post(PATH, {**BODY, "stream": True}, headers=ada))
    id = await id_in(tmp_path / "store")
    for method, path in (("POST", f"{id}/cancel"), ("GET", f"{id}?stream=true"), ("GET", id)):
        assert (await send(api.app, method, f"{PATH}/{path}", headers=bob)).status_code == 404
    engine.goes_on.set()
    assert told(await answering)[-1]["type"] == "response.completed"
    assert (await send(api.app, "GET", f"{PATH}/{id}?stream=true", headers=ada)).status_code == 200
