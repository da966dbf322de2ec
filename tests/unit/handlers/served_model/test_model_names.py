"""Tests the names by which a request may call the model."""

import pytest

from handlers.composition import build_app
from handlers.served_model.model_names import ModelNames, ModelNotFound
from handlers.settings.settings import Settings
from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.verbatim_kit.runtime.client import send
from verbatim_kit.errors import Violation

NAMES = ModelNames("org/model", ("tgi", "dummy"))


@pytest.mark.parametrize("name", ["org/model", "tgi", "dummy"])
def test_the_served_name_and_its_aliases_are_the_models(name: str) -> None:
    assert NAMES.resolve(name) == ("org/model", None)


@pytest.mark.parametrize("name", ["", "model", "Org/Model", "tgi ", "gpt-4o", "\U0001f600" * 1000])
def test_any_other_name_is_not_found_and_told_with_its_field(name: str) -> None:
    with pytest.raises(ModelNotFound) as raised:
        NAMES.resolve(name, "body.model")
    assert (raised.value.name, raised.value.field) == (name, "body.model")
    assert raised.value.violation is Violation.UNSUPPORTED_VALUE


def test_a_name_that_is_not_served_is_logged_once_with_what_adds_it_and_few_of_them(
    caplog: pytest.LogCaptureFixture,
) -> None:
    names = ModelNames("org/model")
    for name in ("gpt-4o", "gpt-4o", "a\nb", "x" * 10_000, *map(str, range(200))):
        with pytest.raises(ModelNotFound):
            names.resolve(name)
    first, second, third, *rest = caplog.messages
    assert first == "The model 'gpt-4o' does not exist ('org/model' is served; --model-alias adds names)"
    assert "\n" not in second and len(third) < 400
    assert len(rest) == 97


_CHAT = {"messages": [{"role": "user", "content": "Hi"}]}
_DECISION = {"state": "a", "questions": {"b": {"type": "noul", "instructions": "c"}}}
_REMEDY = " ('verbatim-demo' is served; --model-alias adds names)"


@pytest.mark.parametrize(
    ("path", "body", "status", "said"),
    [
        ("openai/v1/chat/completions", _CHAT, 404, "The model `gpt-9` does not exist or you do not "),
        ("openai/v1/models/gpt-9", None, 404, "The model `gpt-9` does not exist or you do not "),
        ("anthropic/v1/messages", {**_CHAT, "max_tokens": 1}, 404, "model: gpt-9"),
        ("anthropic/v1/models/gpt-9", None, 404, "model: gpt-9"),
        ("mindie/v1/chat/completions", _CHAT, 422, "The model 'gpt-9' does not exist"),
        ("aleph_alpha/complete", {"prompt": "Hi", "maximum_tokens": 1}, 404, "The model 'gpt-9' does not "),
        ("triton/v2/models/gpt-9/generate", {}, 400, "Request for unknown model: 'gpt-9' is not found"),
        ("systemone/v1/systemone", _DECISION, 404, "The model 'gpt-9' does not exist"),
        (
            "tokens/inference/v1/generate",
            {"token_ids": [1], "sampling_params": {}},
            404,
            "The model 'gpt-9' does not exist",
        ),
    ],
)
async def test_every_contracts_own_words_are_followed_by_the_name_that_is_served(
    path: str, body: dict[str, object] | None, status: int, said: str
) -> None:
    app = build_app(Settings(check_responses="fail"), ScriptedEngine(says("x")))
    given = None if body is None else {**body, **({} if "triton" in path else {"model": "gpt-9"})}
    headers = {"anthropic-version": "2023-06-01"}
    answer = await send(app, "GET" if body is None else "POST", f"/{path}", json=given, headers=headers)
    assert answer.status_code == status
    assert said in answer.text and f'{_REMEDY}"' in answer.text


@pytest.mark.parametrize(
    ("settings", "name"),
    [({}, "verbatim-demo"), ({"model": "a/b"}, "a/b"), ({"model": "a/b", "served_model_name": "c"}, "c")],
)
def test_the_model_is_called_what_it_is_unless_told_otherwise(settings: dict[str, str], name: str) -> None:
    assert Settings(**settings).model_name == name  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("method", "path", "name"),
    [
        ("GET", "/openai/v1/models", "id"),
        ("GET", "/tgi/v1/models", "id"),
        ("GET", "/hf/v1/models", "id"),
        ("GET", "/anthropic/v1/models", "id"),
        ("GET", "/tokens/v1/models", "id"),
        ("POST", "/triton/v2/repository/index", "name"),
        ("GET", "/aleph_alpha/models_available", "name"),
        ("GET", "/aleph_alpha/model-settings", "name"),
    ],
)
async def test_every_list_of_models_has_the_aliases_that_were_given(
    method: str, path: str, name: str
) -> None:
    async def listed(settings: Settings) -> list[str]:
        app = build_app(settings, ScriptedEngine(says("x")))
        headers = {"anthropic-version": "2023-06-01"}
        answer = (await send(app, method, path, headers=headers)).json()
        return [model[name] for model in (answer["data"] if isinstance(answer, dict) else answer)]

    aliased = Settings(model_alias=("gpt-4o", "verbatim-demo", "org/b"), check_responses="fail")
    assert await listed(aliased) == ["verbatim-demo", "gpt-4o", "org/b"]
    assert await listed(Settings()) == ["verbatim-demo"]


@pytest.mark.parametrize("contract", ["openai", "anthropic"])
async def test_an_alias_is_found_as_a_model_of_its_own(contract: str) -> None:
    app = build_app(Settings(model_alias=("gpt-4o",)), ScriptedEngine(says("x")))
    headers = {"anthropic-version": "2023-06-01"}
    found = await send(app, "GET", f"/{contract}/v1/models/gpt-4o", headers=headers)
    assert (found.status_code, found.json()["id"]) == (200, "gpt-4o")


async def test_a_page_of_models_may_begin_after_an_alias() -> None:
    app = build_app(Settings(model_alias=("a", "b")), ScriptedEngine(says("x")))
    headers = {"anthropic-version": "2023-06-01"}
    page = (await send(app, "GET", "/anthropic/v1/models?after_id=a", headers=headers)).json()
    assert [model["id"] for model in page["data"]] == ["b"]
