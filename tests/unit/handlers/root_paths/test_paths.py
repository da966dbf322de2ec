"""The paths at the root that belong to no contract, and those that a slash at the end would lose."""

import asyncio
from typing import Any

import pytest

from engine.port.info.stats import Health
from handlers.root_paths.invocations import operation_path
from handlers.settings.settings import Settings
from handlers.version import VERSION
from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.handlers.contracts.tgi.api import Api
from tests.unit.verbatim_kit.runtime.client import send

DECISION: dict[str, Any] = {
    "model": "verbatim-demo",
    "input": "Hi",
    "questions": [{"type": "choice", "instructions": "Who?", "choices": [{"value": "a"}, {"value": "b"}]}],
}
CHAT: dict[str, Any] = {"messages": [{"role": "user", "content": "Hi"}], "model": "verbatim-demo"}


@pytest.mark.parametrize(("is_healthy", "status"), [(True, 200), (False, 503)])
async def test_probes_say_whether_the_engine_can_generate(is_healthy: bool, status: int) -> None:
    engine = ScriptedEngine(says("a"))
    api = Api(engine)
    if not is_healthy:
        engine.condition = Health(False, "it has failed")
    asked = [await api.get(path) for path in ("/ping", "/ready", "/readyz", "/healthz")]
    for answer in (*asked, await api.post("/ping", {})):
        assert (answer.status_code, answer.content) == (status, b"")
    assert (await api.get("/livez")).status_code == 200


async def test_a_server_that_only_another_can_replace_is_not_alive() -> None:
    engine = ScriptedEngine(says("a"))
    engine.condition = Health(False, "it has died", is_alive=False)
    assert (await Api(engine).get("/livez")).status_code == 503


async def test_the_load_is_the_number_of_sequences_that_are_let_in() -> None:
    gate = asyncio.Event()
    api = Api(ScriptedEngine(says("a"), gate=gate))
    assert (await api.get("/load")).json() == {"server_load": 0}
    answer = asyncio.create_task(api.post("/v1/chat/completions", CHAT))
    while (await api.get("/load")).json() != {"server_load": 1}:
        await asyncio.sleep(0)
    gate.set()
    assert (await answer).status_code == 200
    assert (await api.get("/load")).json() == {"server_load": 0}


async def test_version_is_vllms_unless_a_contract_has_the_path() -> None:
    answer = await Api(says("a"), root=("openai",)).get("/version")
    assert answer.json() == {"version": VERSION}
    claimed = await Api(says("a"), root=("aleph_alpha",)).get("/version")
    assert claimed.content == (await Api(says("a")).get("/aleph_alpha/version")).content
    assert claimed.content != answer.content


@pytest.mark.parametrize(
    ("body", "path", "kind"),
    [
        (CHAT, "/openai/v1/chat/completions", "chat.completion"),
        ({"prompt": "Hi", "model": "verbatim-demo"}, "/openai/v1/completions", "text_completion"),
        ({"input": "Hi", "model": "verbatim-demo"}, "/openai/v1/embeddings", "list"),
        (DECISION, "/openai/v1/decisions", None),
    ],
)
async def test_invocations_are_the_operations_of_openai(
    body: dict[str, Any], path: str, kind: str | None
) -> None:
    api = Api(says("Hello"))
    answer, own = await api.post("/invocations", body), await api.post(path, body)
    assert (answer.status_code, answer.json().get("object")) == (200, kind)
    assert answer.json().keys() == own.json().keys()


async def test_an_invocation_is_streamed_and_held_to_the_key_as_the_operation_is() -> None:
    streamed = await Api(says("Hello")).post("/invocations", CHAT | {"stream": True})
    assert streamed.content.endswith(b"data: [DONE]\n\n")
    refused = await Api(says("Hello"), api_key="secret").post("/invocations", CHAT)
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "invalid_api_key")


@pytest.mark.parametrize("body", [{"model": "verbatim-demo"}, [], "Hi"])
async def test_an_invocation_of_no_operation_is_refused_as_a_chat(body: object) -> None:
    api = Api(says("Hello"))
    answer, own = await api.post("/invocations", body), await api.post("/openai/v1/chat/completions", body)
    assert (answer.status_code, answer.json()) == (400, own.json())


async def test_an_invocation_that_is_too_long_is_refused() -> None:
    answer = await Api(says("a"), payload_limit=100).post("/invocations", {"prompt": "a" * 1_000})
    assert (answer.status_code, answer.json()["error"]["type"]) == (413, "invalid_request_error")


@pytest.mark.parametrize("body", [b"", b"{", b"[" * 100_000, b'{"a": "\xff"}', b"null"])
def test_a_body_that_is_no_object_is_a_chats(body: bytes) -> None:
    assert operation_path(body) == "/v1/chat/completions"


@pytest.mark.parametrize(
    "path", ["/v1/models/", "/openai/v1/models/", "/openai/v1/models/verbatim-demo/", "/health/"]
)
async def test_a_slash_at_the_end_is_left_out(path: str) -> None:
    api = Api(says("a"))
    answer = await api.get(path)
    assert answer.status_code == 200
    assert answer.content == (await api.get(path.removesuffix("/"))).content


VERSION_HEADER = {"anthropic-version": "2023-06-01"}


async def test_the_list_of_models_is_anthropics_for_a_client_of_anthropics() -> None:
    app = Api(says("a"), root=Settings().root).app
    for path in ("/v1/models", "/v1/models/verbatim-demo"):
        openai, own = await send(app, "GET", path), await send(app, "GET", f"/openai{path}")
        assert openai.json() == own.json() and "object" in openai.json()
        anthropic = await send(app, "GET", path, headers=VERSION_HEADER)
        own = await send(app, "GET", f"/anthropic{path}", headers=VERSION_HEADER)
        assert anthropic.json() == own.json() and "object" not in anthropic.json()
        assert "request-id" in anthropic.headers
    unknown = await send(app, "GET", "/v1/models/unknown", headers=VERSION_HEADER)
    assert (unknown.status_code, unknown.json()["type"]) == (404, "error")


async def test_the_header_takes_no_path_that_anthropic_does_not_have() -> None:
    app = Api(says("a"), root=Settings().root).app
    answer = await send(app, "POST", "/v1/chat/completions", json=CHAT, headers=VERSION_HEADER)
    assert (answer.status_code, answer.json()["object"]) == (200, "chat.completion")


async def test_without_anthropic_at_the_root_its_header_changes_nothing() -> None:
    app = Api(says("a"), root=("openai",)).app
    assert "object" in (await send(app, "GET", "/v1/models", headers=VERSION_HEADER)).json()


async def test_messages_are_answered_at_the_root() -> None:
    body = {**CHAT, "max_tokens": 5}
    answer = await send(
        Api(says("a"), root=Settings().root).app,
        "POST",
        "/v1/messages?beta=true",
        json=body,
        headers=VERSION_HEADER,
    )
    assert (answer.status_code, answer.json()["type"]) == (200, "message")


@pytest.mark.parametrize("path", ["/", "/anthropic", "/anthropic/", "/tgi"])
async def test_a_base_url_answers_that_there_is_a_server(path: str) -> None:
    answer = await send(Api(says("a"), root=Settings().root).app, "HEAD", path)
    assert (answer.status_code, answer.content) == (200, b"")


async def test_other_paths_are_not_there_for_head_either() -> None:
    """An answer to HEAD has a status and no body."""
    app = Api(says("a"), root=Settings().root).app
    assert (await send(app, "HEAD", "/nothing")).status_code == 404
    assert (await send(app, "HEAD", "/v1/messages")).status_code == 405
