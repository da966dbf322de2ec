"""Conversations: their items, the responses that go on with them and add to them, and what is refused."""

from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx

from engine.port.errors import EngineError
from tests.support.scripted.engine import fails_after, says
from tests.unit.handlers.contracts.openai.api import CALL, MODEL, Api, Refusal
from tests.unit.verbatim_kit.runtime.client import send

PATH = "/openai/v1/conversations"
RESPONSES = "/openai/v1/responses"
TOOL = {"type": "function", "name": "add", "parameters": {"type": "object"}}


def user(text: str, **fields: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **fields}


class Conversing(Api):
    """A server that is asked for conversations, and for responses in them."""

    async def ask(self, method: str, path: str = "", body: object = None) -> Any:
        response = await self.try_(method, path, body)
        assert response.status_code == 200, response.text
        return response.json()

    async def try_(self, method: str, path: str = "", body: object = None) -> httpx.Response:
        options = {} if body is None else {"json": body}
        return await send(self.app, method, f"{PATH}{path}", **options)

    async def refuses(self, method: str, path: str = "", body: object = None) -> Refusal:
        response = await self.try_(method, path, body)
        error = response.json()["error"]
        return Refusal(response.status_code, error["code"], error["param"])

    async def begin(self, *items: Any) -> str:
        return str((await self.ask("POST", "", {"items": list(items)}))["id"])

    async def texts(self, id: str) -> list[str]:
        """Return the texts of a conversation's messages, the oldest first."""
        page = await self.ask("GET", f"/{id}/items?order=asc")
        return [item["content"][0]["text"] for item in page["data"] if item["type"] == "message"]

    async def respond(self, input: Any = "Hi", **fields: Any) -> Any:
        return await self.answer(RESPONSES, {"model": MODEL, "input": input, **fields})

    def last_prompt(self) -> str:
        tokens = self.engine.requests[-1].prompt.token_ids
        return self.engine.tokenizer.decode(tokens, skip_special_tokens=False)


async def test_a_conversation_is_found_changed_and_deleted() -> None:
    api = Conversing(says("a"))
    made = await api.ask("POST", "", {"metadata": {"topic": "tea"}})
    assert made == {
        "id": made["id"],
        "object": "conversation",
        "created_at": made["created_at"],
        "metadata": {"topic": "tea"},
    }
    assert await api.ask("GET", f"/{made['id']}") == made
    changed = await api.ask("POST", f"/{made['id']}", {"metadata": {"topic": "milk"}})
    assert changed == {**made, "metadata": {"topic": "milk"}} == await api.ask("GET", f"/{made['id']}")
    assert (await api.ask("POST", f"/{made['id']}", {"metadata": None}))["metadata"] == {}
    deleted = await api.ask("DELETE", f"/{made['id']}")
    assert deleted == {"id": made["id"], "object": "conversation.deleted", "deleted": True}
    for method in ("GET", "DELETE"):
        assert await api.refuses(method, f"/{made['id']}") == (404, None, "conversation_id")


async def test_items_are_added_listed_in_pages_found_and_deleted() -> None:
    api = Conversing(says("a"))
    id = await api.begin(user("1"))
    items = [user("2", id="mine"), user("3"), {"type": "additional_tools", "tools": [TOOL]}]
    added = await api.ask("POST", f"/{id}/items?include[]=message.input_image.image_url", {"items": items})
    assert [item["type"] for item in added["data"]] == ["message", "message", "additional_tools"]
    assert added["data"][0] == {
        "id": "mine",
        "type": "message",
        "role": "user",
        "status": "completed",
        "content": [{"type": "input_text", "text": "2"}],
    }
    newest = await api.ask("GET", f"/{id}/items?limit=2")
    assert newest["data"] == [added["data"][2], added["data"][1]] and newest["has_more"]
    assert (newest["first_id"], newest["last_id"]) == (added["data"][2]["id"], added["data"][1]["id"])
    rest = await api.ask("GET", f"/{id}/items?limit=2&after={newest['last_id']}")
    assert rest["data"][0] == added["data"][0] and len(rest["data"]) == 2 and not rest["has_more"]
    ascending = await api.ask("GET", f"/{id}/items?order=asc&after=mine")
    assert ascending["data"] == added["data"][1:]
    assert await api.ask("GET", f"/{id}/items/mine") == added["data"][0]
    assert (await api.ask("DELETE", f"/{id}/items/mine"))["id"] == id
    assert await api.texts(id) == ["1", "3"]
    for method in ("GET", "DELETE"):
        assert await api.refuses(method, f"/{id}/items/mine") == (404, None, "item_id")
    assert await api.refuses("GET", f"/{id}/items?after=mine") == (400, "invalid_value", "after")


async def test_a_response_goes_on_with_a_conversation_and_adds_to_it() -> None:
    api = Conversing(says("Hello"))
    id = await api.begin(user("One"))
    first = await api.respond("Two", conversation=id)
    assert first["conversation"] == {"id": id} and first["previous_response_id"] is None
    second = await api.respond([user("Three")], conversation={"id": id})
    going_on = api.last_prompt()
    assert await api.texts(id) == ["One", "Two", "Hello", "Three", "Hello"]
    listed = await api.ask("GET", f"/{id}/items")
    assert listed["data"][0] == second["output"][0]
    said = [user(text) for text in ("One", "Two", "Three")]
    await api.respond([*said[:2], *first["output"], said[2]])
    assert api.last_prompt() == going_on
    counted = await api.answer(
        f"{RESPONSES}/input_tokens", {"model": MODEL, "input": "Four", "conversation": id}
    )
    assert counted["input_tokens"] > second["usage"]["input_tokens"]


async def test_what_is_taken_out_of_a_conversation_is_not_read() -> None:
    api = Conversing(says("Hello"))
    id = await api.begin(user("One", id="first"), user("Two"))
    await api.ask("DELETE", f"/{id}/items/first")
    await api.respond("Three", conversation=id)
    assert "One" not in api.last_prompt() and "Two" in api.last_prompt()


async def test_a_call_is_answered_in_a_conversation() -> None:
    api = Conversing(says(CALL))
    id = await api.begin()
    first = await api.respond("Add.", conversation=id, tools=[TOOL])
    result = {"type": "function_call_output", "call_id": first["output"][0]["call_id"], "output": "2"}
    await api.respond([result], conversation=id, tools=[TOOL])
    kinds = [item["type"] for item in (await api.ask("GET", f"/{id}/items?order=asc"))["data"]]
    assert kinds == ["message", "function_call", "function_call_output", "function_call"]
    late = {"type": "function_call_output", "call_id": "none", "output": "2"}
    await api.ask("POST", f"/{id}/items", {"items": [late]})
    refusal = await api.refusal(RESPONSES, {"model": MODEL, "input": "Hi", "conversation": id})
    assert refusal == (400, "invalid_value", "conversation.call_id")


async def test_streams_and_answers_in_the_background_are_added_too() -> None:
    api = Conversing(says("Hello"))
    id = await api.begin()
    body = {"model": MODEL, "input": "Hi", "conversation": id, "stream": True}
    assert "response.completed" in (await api.post(RESPONSES, body)).text
    assert "response.completed" in (await api.post(RESPONSES, {**body, "background": True})).text
    assert await api.texts(id) == ["Hi", "Hello"] * 2
    await api.respond(conversation=id, store=False)
    assert await api.texts(id) == ["Hi", "Hello"] * 3


async def test_nothing_is_added_of_a_response_that_fails() -> None:
    api = Conversing(fails_after(EngineError("no"), "Hello"))
    id = await api.begin()
    for more in ({}, {"stream": True}, {"stream": True, "background": True}):
        response = await api.post(RESPONSES, {"model": MODEL, "input": "Hi", "conversation": id, **more})
        assert response.status_code == 500 or "response.failed" in response.text
    assert await api.texts(id) == []


async def test_a_response_goes_on_from_one_in_a_conversation_as_it_was_then() -> None:
    api = Conversing(says("Hello"))
    id = await api.begin(user("One"))
    first = await api.respond("Two", conversation=id)
    await api.respond("later", conversation=id)
    branch = await api.respond("Three", previous_response_id=first["id"])
    assert branch["conversation"] is None
    prompt = api.last_prompt()
    assert [text in prompt for text in ("One", "Two", "Three", "later")] == [True, True, True, False]
    items = await send(api.app, "GET", f"{RESPONSES}/{branch['id']}/input_items?order=asc")
    assert [item["content"][0]["text"] for item in items.json()["data"]] == ["One", "Two", "Hello", "Three"]
    await api.ask("DELETE", f"/{id}")
    refusal = await api.refusal(
        RESPONSES, {"model": MODEL, "input": "Hi", "previous_response_id": first["id"]}
    )
    assert refusal == (400, "previous_response_not_found", "previous_response_id")


async def test_items_are_referred_to_from_and_in_conversations() -> None:
    api = Conversing(says("Hello"))
    id = await api.begin(user("One", id="one"))
    reference = {"type": "item_reference", "id": "one"}
    await api.respond([reference, user("Two")])
    assert "One" in api.last_prompt()
    other = await api.begin(reference, user("Three"))
    assert await api.texts(other) == ["One", "Three"]
    assert await api.refuses("POST", f"/{id}/items", {"items": [{**reference, "id": "none"}]}) == (
        400,
        "invalid_value",
        "items[0].id",
    )


async def test_what_is_no_conversation_or_would_be_twice_in_one_is_refused() -> None:
    api = Conversing(says("Hello"))
    id = await api.begin(user("One", id="one"))
    response = await api.respond()
    many = [user("x")] * 21
    one = user("One", id="one")
    for method, path, body, refusal in (
        ("POST", "", {"items": many}, (400, "array_above_max_length", "items")),
        ("POST", f"/{id}/items", {"items": many}, (400, "array_above_max_length", "items")),
        ("POST", f"/{id}/items", {"items": [one]}, (400, "invalid_value", "items[0].id")),
        ("POST", "", {"items": [one, one]}, (400, "invalid_value", "items[1].id")),
        ("POST", f"/{id}", {}, (400, "missing_required_parameter", "metadata")),
        ("GET", f"/{response['id']}", None, (404, None, "conversation_id")),
        ("DELETE", f"/{response['id']}", None, (404, None, "conversation_id")),
        ("GET", "/conv_0/items", None, (404, None, "conversation_id")),
    ):
        assert await api.refuses(method, path, body) == refusal
    for fields, because in (
        ({"conversation": "conv_0"}, (400, "invalid_value", "conversation")),
        ({"conversation": response["id"]}, (400, "invalid_value", "conversation")),
        ({"conversation": {"id": ""}}, (400, "string_below_min_length", "conversation.id")),
        ({"conversation": id, "input": [one]}, (400, "invalid_value", "input[0].id")),
        (
            {"conversation": id, "previous_response_id": response["id"]},
            (400, "mutually_exclusive_parameters", "conversation"),
        ),
    ):
        assert await api.refusal(RESPONSES, {"model": MODEL, "input": "Hi", **fields}) == because
    for method, path in (("GET", id), ("DELETE", id), ("POST", f"{id}/cancel"), ("GET", f"{id}/input_items")):
        assert (await send(api.app, method, f"{RESPONSES}/{path}")).status_code == 404
    unknown = await api.refusal(RESPONSES, {"model": MODEL, "input": "Hi", "previous_response_id": id})
    assert unknown == (400, "previous_response_not_found", "previous_response_id")
    assert await api.texts(id) == ["One"]


async def test_a_server_without_a_store_has_no_conversations() -> None:
    api = Conversing(says("Hello"), no_store=True)
    assert await api.refuses("POST", "", {}) == (400, "unsupported_value", None)
    assert await api.refuses("GET", "/conv_0") == (404, None, "conversation_id")
    refusal = await api.refusal(RESPONSES, {"model": MODEL, "input": "Hi", "conversation": "conv_0"})
    assert refusal == (400, "invalid_value", "conversation")


async def test_keys_see_only_their_own_conversations(tmp_path: Path) -> None:
    entries = [
        f'[[key]]\nname = "{name}"\nsha256 = "{sha256(name.encode()).hexdigest()}"\n'
        for name in ("ada", "bob")
    ]
    (tmp_path / "keys.toml").write_text("\n".join(entries))
    api = Conversing(says("Hello"), api_keys_file=str(tmp_path / "keys.toml"))
    ada, bob = ({"authorization": f"Bearer {name}"} for name in ("ada", "bob"))
    id = (await api.post(PATH, {"items": [user("One", id="one")]}, headers=ada)).json()["id"]
    for method, path, body in (
        ("GET", "", None),
        ("DELETE", "", None),
        ("POST", "", {"metadata": {}}),
        ("GET", "/items", None),
        ("POST", "/items", {"items": [user("x")]}),
        ("GET", "/items/one", None),
        ("DELETE", "/items/one", None),
    ):
        response = await send(api.app, method, f"{PATH}/{id}{path}", headers=bob, json=body)
        assert response.status_code == 404
    body = {"model": MODEL, "input": "Hi", "conversation": id}
    assert (await api.post(RESPONSES, body, headers=bob)).status_code == 400
    reference = {"type": "item_reference", "id": "one"}
    refused = await api.post(RESPONSES, {"model": MODEL, "input": [reference]}, headers=bob)
    assert refused.json()["error"]["param"] == "input[0].id"
    assert (await api.post(RESPONSES, body, headers=ada)).is_success
