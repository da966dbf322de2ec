"""Errors in the contract's own words."""

import pytest

from engine.port.errors import EngineBusy, GenerationFailed, InvalidGrammar, PromptTooLong
from tests.support.scripted.engine import fails_after, says
from tests.unit.handlers.contracts.anthropic.api import (
    HEADERS,
    MESSAGES,
    MODELS,
    TOOL,
    Api,
    ask,
    error_of,
    quiet,
)
from tests.unit.verbatim_kit.runtime.client import send

REMEDY = " ('verbatim-demo' is served; --model-alias adds names)"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (EngineBusy("no"), (529, "overloaded_error", "The server is at its limit of concurrent requests")),
        (GenerationFailed("no"), (500, "api_error", "no")),
        (InvalidGrammar("no"), (400, "invalid_request_error", "tools: no")),
        (
            InvalidGrammar("no", f"<call>{TOOL['name']}"),
            (400, "invalid_request_error", "tools[0].input_schema: no"),
        ),
        (
            PromptTooLong(1200, 1, 1000),
            (400, "invalid_request_error", "prompt is too long: 1200 tokens > 999 maximum"),
        ),
    ],
)
async def test_an_error_of_the_engine_has_anthropics_status_and_type(
    error: Exception, told: tuple[int, str, str]
) -> None:
    assert error_of(await quiet(fails_after(error)).post(ask(tools=[TOOL]))) == told


async def test_an_unknown_model_is_not_found() -> None:
    response = await quiet().post(ask(model="claude-9"))
    assert error_of(response) == (404, "not_found_error", "model: claude-9" + REMEDY)


async def test_a_name_of_a_model_may_have_slashes() -> None:
    api = Api(says("x"), served_model_name="org/name")
    for name in ("org/name", "org%2Fname"):
        assert (await api.get(f"{MODELS}/{name}")).json()["id"] == "org/name"
    assert error_of(await api.get(f"{MODELS}/org/b")) == (
        404,
        "not_found_error",
        "model: org/b" + REMEDY.replace("verbatim-demo", "org/name"),
    )


async def test_a_client_that_asks_for_a_thread_is_told_to_go_on_without() -> None:
    response = await quiet().post(ask(thread={"type": "create"}))
    assert error_of(response) == (400, "invalid_request_error", "thread: is not supported by this server")
    assert response.json()["error"]["details"] == {"error_code": "thread_unsupported_request"}
    assert "details" not in (await quiet().post(ask(unknown=1))).json()["error"]


async def test_a_body_that_is_too_long_is_too_large() -> None:
    status, kind, message = error_of(await Api(says("x"), payload_limit=100).post(ask("a" * 100)))
    assert (status, kind) == (413, "request_too_large")
    assert "100 bytes" in message


async def test_the_version_must_be_there() -> None:
    response = await send(quiet().app, "POST", MESSAGES, json=ask())
    assert error_of(response) == (400, "invalid_request_error", "anthropic-version: is missing")


async def test_a_request_is_named_as_its_client_names_it() -> None:
    response = await quiet().post(ask(model="b"), **{"x-request-id": "mine"})
    assert response.json()["request_id"] == "mine"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"x-api-key": "secret"}, 200),
        ({"authorization": "Bearer secret"}, 200),
        ({"x-api-key": "wrong", "authorization": "Bearer secret"}, 200),
        ({"api-key": "secret", "x-api-key": "wrong"}, 200),
        ({"x-api-key": "wrong"}, 401),
        ({"authorization": "secret"}, 401),
        ({}, 401),
    ],
)
async def test_the_key_comes_in_its_own_header_or_as_a_bearer_token(
    headers: dict[str, str], status: int
) -> None:
    api = Api(says("x"), api_key="secret")
    response = await api.post(ask(), **headers)
    assert response.status_code == status
    if status == 401:
        assert error_of(response)[1] == "authentication_error"


@pytest.mark.parametrize(
    ("method", "path", "status", "kind"),
    [
        ("GET", "/anthropic/v1/nothing", 404, "not_found_error"),
        ("GET", MESSAGES, 405, "invalid_request_error"),
    ],
)
async def test_what_no_operation_answers_is_told_in_its_words(
    method: str, path: str, status: int, kind: str
) -> None:
    response = await send(quiet().app, method, path, headers=dict(HEADERS))
    assert error_of(response)[:2] == (status, kind)


async def test_the_models_are_one_page() -> None:
    api = Api(says("x"), model_alias=("other",))
    page = (await api.get(MODELS)).json()
    model, alias = page["data"]
    assert (page["first_id"], page["last_id"], page["has_more"]) == ("verbatim-demo", "other", False)
    assert (model["id"], model["max_tokens"], model["lifecycle"]) == ("verbatim-demo", 999, "active")
    assert (await api.get(f"{MODELS}/verbatim-demo")).json() == model
    assert (
        (await api.get(f"{MODELS}/other")).json()
        == alias
        == {**model, "id": "other", "display_name": "other"}
    )
    assert (await api.get(f"{MODELS}?after_id=other")).json() == {
        "data": [],
        "has_more": False,
        "first_id": None,
        "last_id": None,
    }
    assert (await api.get(f"{MODELS}?lifecycle[]=retired&lifecycle[]=active")).json() == page
    assert (await api.get(f"{MODELS}?lifecycle[]=retired")).json()["data"] == []
    assert error_of(await api.get(f"{MODELS}?lifecycle[]=new"))[2].startswith("lifecycle[]: ")
    assert error_of(await api.get(f"{MODELS}/b")) == (404, "not_found_error", "model: b" + REMEDY)
    assert error_of(await api.get(f"{MODELS}?before_id=b"))[2] == "before_id: no model has this id"
    assert error_of(await api.get(f"{MODELS}?before_id=other&after_id=other"))[0] == 400
