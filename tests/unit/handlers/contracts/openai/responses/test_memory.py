"""Stored responses: what goes on from them, what is found of them, and what is refused without them."""

import sqlite3
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.port.events import FinishReason
from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.handlers.contracts.openai.api import CALL, MODEL, Api, Refusal
from tests.unit.verbatim_kit.runtime.client import send

PATH = "/openai/v1/responses"
TOOL = {"type": "function", "name": "add", "parameters": {"type": "object"}}


class Responses(Api):
    """One server over one engine, of which responses are asked and asked for again."""

    async def create(self, input: Any = "Hi", **fields: Any) -> Any:
        return await self.answer(PATH, {"model": MODEL, "input": input, **fields})

    async def find(self, path: str, method: str = "GET") -> httpx.Response:
        return await send(self.app, method, f"{PATH}/{path}")

    async def found(self, path: str, method: str = "GET") -> Any:
        response = await self.find(path, method)
        assert response.status_code == 200, response.text
        return response.json()

    async def refused(self, **fields: Any) -> Refusal:
        return await self.refusal(PATH, {"model": MODEL, "input": "Hi", **fields})

    def last_prompt(self) -> str:
        tokens = self.engine.requests[-1].prompt.token_ids
        return self.engine.tokenizer.decode(tokens, skip_special_tokens=False)


async def test_a_response_is_found_as_it_was_answered() -> None:
    api = Responses(says("Hello"))
    answer = await api.create(metadata={"a": "b"}, tools=[TOOL], temperature=0.5)
    assert answer["store"] is True
    assert await api.found(answer["id"]) == answer


async def test_a_streamed_response_is_found_as_its_last_event_tells_it() -> None:
    api = Responses(says("Hello", " you"))
    response = await api.post(PATH, {"model": MODEL, "input": "Hi", "stream": True})
    last = httpx.Response(200, content=response.text.split("data: ")[-1]).json()["response"]
    assert last["store"] is True and last["status"] == "completed"
    assert await api.found(last["id"]) == last


async def test_a_response_goes_on_from_another_as_if_its_items_were_sent() -> None:
    api = Responses(says("Hello"))
    first = await api.create("One", instructions="Be short.")
    second = await api.create("Two", previous_response_id=first["id"])
    assert second["previous_response_id"] == first["id"]
    third = await api.create([{"role": "user", "content": "Three"}], previous_response_id=second["id"])
    going_on = api.last_prompt()
    said = [{"role": "user", "content": text} for text in ("One", "Two", "Three")]
    await api.create([said[0], *first["output"], said[1], *second["output"], said[2]])
    assert api.last_prompt() == going_on
    assert "Be short." not in going_on, "instructions are of one response alone"
    counted = await api.answer(
        f"{PATH}/input_tokens", {"model": MODEL, "input": "Three", "previous_response_id": second["id"]}
    )
    assert counted["input_tokens"] == third["usage"]["input_tokens"]


async def test_a_call_is_answered_without_being_sent_again() -> None:
    api = Responses(says(CALL))
    first = await api.create("Add.", tools=[TOOL])
    (call,) = first["output"]
    result = {"type": "function_call_output", "call_id": call["call_id"], "output": "2"}
    await api.create([result], previous_response_id=first["id"], tools=[TOOL])
    whole = api.last_prompt()
    await api.create([{"role": "user", "content": "Add."}, call, result], tools=[TOOL])
    assert api.last_prompt() == whole


async def test_items_are_referred_to_by_their_ids() -> None:
    api = Responses(says("Hello"))
    first = await api.create("One")
    (asked,) = (await api.found(f"{first['id']}/input_items"))["data"]
    references = [{"type": "item_reference", "id": id} for id in (asked["id"], first["output"][0]["id"])]
    again = await api.create([*references, {"role": "user", "content": "Two"}])
    whole = api.last_prompt()
    await api.create([asked, *first["output"], {"role": "user", "content": "Two"}])
    assert api.last_prompt() == whole
    listed = await api.found(f"{again['id']}/input_items?order=asc")
    assert [item["id"] for item in listed["data"][:2]] == [each["id"] for each in references]


async def test_input_items_are_listed_in_pages() -> None:
    api = Responses(says("Hello"))
    first = await api.create("One")
    image = {"type": "input_file", "filename": "a.txt", "file_data": "data:text/plain;base64,VHdv"}
    message = {"id": "mine", "role": "user", "content": [image]}
    second = await api.create([message], previous_response_id=first["id"])
    items = f"{second['id']}/input_items"
    page = await api.found(items)
    assert [item["role"] for item in page["data"]] == ["user", "assistant", "user"]
    assert page["data"][0] == {**message, "type": "message", "status": "completed"}
    assert page["data"][2]["content"] == [{"type": "input_text", "text": "One"}]
    assert not page["has_more"]
    ids = [item["id"] for item in page["data"]]
    assert (page["first_id"], page["last_id"]) == (ids[0], ids[-1])
    beginning = await api.found(f"{items}?limit=2")
    assert beginning["data"] == page["data"][:2] and beginning["has_more"]
    rest = await api.found(f"{items}?limit=2&after={beginning['last_id']}")
    assert rest["data"] == page["data"][2:] and not rest["has_more"]
    ascending = await api.found(f"{items}?order=asc&after={ids[1]}")
    assert ascending["data"] == page["data"][:1]
    nothing = await api.found(f"{items}?after={ids[-1]}")
    assert nothing == {"object": "list", "data": [], "first_id": None, "last_id": None, "has_more": False}
    assert (await api.find(f"{items}?after=none")).json()["error"]["param"] == "after"


async def test_a_deleted_response_is_not_found_nor_what_went_on_from_it_gone_on_from() -> None:
    api = Responses(says("Hello"))
    first = await api.create()
    second = await api.create(previous_response_id=first["id"])
    assert await api.found(first["id"], "DELETE") == {
        "id": first["id"],
        "object": "response",
        "deleted": True,
    }
    for method, path in (
        ("GET", first["id"]),
        ("DELETE", first["id"]),
        ("GET", f"{first['id']}/input_items"),
        ("GET", f"{second['id']}/input_items"),
    ):
        response = await api.find(path, method)
        assert response.status_code == 404
        assert response.json()["error"]["param"] == "response_id"
    refusal = await api.refused(previous_response_id=second["id"])
    assert refusal == (400, "previous_response_not_found", "previous_response_id")


async def test_what_is_not_stored_is_not_found() -> None:
    api = Responses(says("Hello"))
    answer = await api.create(store=False)
    assert answer["store"] is False
    assert (await api.find(answer["id"])).status_code == 404
    assert await api.refused(previous_response_id=answer["id"]) == (
        400,
        "previous_response_not_found",
        "previous_response_id",
    )
    reference = {"type": "item_reference", "id": answer["output"][0]["id"]}
    assert await api.refused(input=[reference]) == (400, "invalid_value", "input[0].id")


async def test_a_server_without_a_store_says_so() -> None:
    api = Responses(says("Hello"), no_store=True)
    answer = await api.create(store=True)
    assert answer["store"] is False
    assert (await api.find(answer["id"])).status_code == 404
    assert (await api.find(f"{answer['id']}/input_items")).status_code == 404
    assert (await api.find(answer["id"], "DELETE")).status_code == 404
    status, error = await api.error(
        PATH, {"model": MODEL, "input": "Hi", "previous_response_id": answer["id"]}
    )
    assert status == 400 and "No response is stored here" in error["message"]
    reference = {"type": "item_reference", "id": answer["output"][0]["id"]}
    assert await api.refused(input=[reference]) == (400, "unsupported_value", "input[0].type")


async def test_faults_of_earlier_items_are_the_previous_responses(tmp_path: Path) -> None:
    image = {"type": "input_image", "image_url": "data:image/png;base64,AA=="}
    store = {"store": tmp_path / "store"}
    seeing = Responses(ScriptedEngine(says("a")), **store)
    first = await seeing.create([{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}])
    late = {"type": "function_call_output", "call_id": "c", "output": [image]}
    assert await seeing.refused(input=[late], previous_response_id=first["id"]) == (
        400,
        "unsupported_value",
        "input[0].output[0]",
    )
    tools = {"type": "additional_tools", "tools": [TOOL]}
    second = await seeing.create([tools, {"role": "user", "content": "Hi"}])
    refusal = await seeing.refused(input=[tools], previous_response_id=second["id"])
    assert refusal == (400, "invalid_value", "input[0].tools[0].name")
    refusal = await seeing.refused(tools=[TOOL], previous_response_id=second["id"])
    assert refusal == (400, "invalid_value", "previous_response_id.tools[0].name")


async def test_a_cut_conversation_drops_the_oldest_items_of_stored_responses() -> None:
    api = Responses(says("Hello"))
    first = await api.create("word " * 30)
    answer = await api.create(
        "Two", previous_response_id=first["id"], truncation="auto", max_output_tokens=100
    )
    assert answer["status"] == "completed"
    assert "word" not in api.last_prompt() and "Two" in api.last_prompt()


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stores find the disk full at once."""
    connect = sqlite3.connect

    def limited(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **options)
        connection.execute("PRAGMA max_page_count = 14")
        return connection

    monkeypatch.setattr("handlers.store.database.sqlite3.connect", limited)


@pytest.mark.usefixtures("full_disk")
async def test_a_full_disk_refuses_only_who_asks_to_be_stored() -> None:
    api = Responses(says("Hello"))
    long = "x" * 100_000
    answer = await api.create(user=long)
    assert answer["store"] is False and answer["status"] == "completed"
    status, error = await api.error(PATH, {"model": MODEL, "input": "Hi", "user": long, "store": True})
    assert status == 503
    assert error["message"] == "The store cannot be used: database or disk is full"
    streamed = await api.post(
        PATH, {"model": MODEL, "input": "Hi", "user": long, "store": True, "stream": True}
    )
    last = httpx.Response(200, content=streamed.text.split("data: ")[-1]).json()
    assert last["type"] == "response.failed"
    assert "disk is full" in last["response"]["error"]["message"]
    assert (await api.create(store=False))["status"] == "completed"


async def test_keys_see_only_what_they_stored(tmp_path: Path) -> None:
    entries = [
        f'[[key]]\nname = "{name}"\nsha256 = "{sha256(name.encode()).hexdigest()}"\n'
        for name in ("ada", "bob")
    ]
    (tmp_path / "keys.toml").write_text("\n".join(entries))
    api = Responses(says("Hello"), api_keys_file=str(tmp_path / "keys.toml"))
    body = {"model": MODEL, "input": "Hi"}
    ada, bob = ({"authorization": f"Bearer {name}"} for name in ("ada", "bob"))
    first = (await api.post(PATH, body, headers=ada)).json()
    assert (await send(api.app, "GET", f"{PATH}/{first['id']}", headers=ada)).json() == first
    for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/input_items")):
        response = await send(api.app, method, f"{PATH}/{first['id']}{path}", headers=bob)
        assert response.status_code == 404
    going_on = await api.post(PATH, {**body, "previous_response_id": first["id"]}, headers=bob)
    assert going_on.json()["error"]["code"] == "previous_response_not_found"
    reference = {"type": "item_reference", "id": first["output"][0]["id"]}
    assert (await api.post(PATH, {**body, "input": [reference]}, headers=bob)).status_code == 400
    assert (await api.post(PATH, {**body, "previous_response_id": first["id"]}, headers=ada)).is_success


async def test_an_answer_that_its_bound_cuts_is_stored_too() -> None:
    api = Responses(says("Hello", finish=FinishReason.LENGTH))
    answer = await api.create()
    assert answer["status"] == "incomplete"
    assert await api.found(answer["id"]) == answer
