"""Every contract lets a request name an adapter where it names a model, and lists adapters where it lists
models."""

from typing import Any

import pytest

from engine.config import AdapterSource
from engine.port.info.adapter import Adapters
from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.scripted.engine import ScriptedEngine, embedding, says
from tests.unit.verbatim_kit.runtime.client import send

MESSAGES = [{"role": "user", "content": "Hi"}]


class Named:
    """Adapters that are there by name alone."""

    names: tuple[str, ...] = ("poet", "clerk")
    can_load = False

    async def load(self, source: AdapterSource, *, replaces: bool = False) -> None: ...

    def unload(self, name: str) -> None: ...


def engine_with_adapters() -> ScriptedEngine:
    engine = ScriptedEngine(says("x"))
    adapters: Adapters = Named()
    engine.adapters = adapters
    return engine


@pytest.mark.parametrize(
    ("path", "body", "named"),
    [
        ("/openai/v1/chat/completions", {"messages": MESSAGES}, "poet"),
        ("/openai/v1/completions", {"prompt": "Hi"}, "poet"),
        ("/openai/v1/responses", {"input": "Hi"}, "poet"),
        ("/anthropic/v1/messages", {"messages": MESSAGES, "max_tokens": 5}, "poet"),
        ("/mindie/v1/chat/completions", {"messages": MESSAGES}, "poet"),
        ("/aleph_alpha/complete", {"prompt": "Hi", "maximum_tokens": 5}, None),
        ("/aleph_alpha/chat/completions", {"messages": MESSAGES}, None),
        ("/tgi/v1/chat/completions", {"messages": MESSAGES}, None),
        ("/tgi/v1/completions", {"prompt": "Hi"}, None),
        ("/hf/v1/chat/completions", {"messages": MESSAGES}, None),
        ("/tokens/inference/v1/generate", {"token_ids": [1], "sampling_params": {"max_tokens": 5}}, None),
    ],
)
async def test_a_request_names_an_adapter_as_its_model(
    path: str, body: dict[str, Any], named: str | None
) -> None:
    """named: the model of the answer, in the contracts whose answers repeat the request's."""
    engine = engine_with_adapters()
    headers = {"anthropic-version": "2023-06-01"}
    app = build_app(Settings(), engine)
    response = await send(app, "POST", path, json={**body, "model": "poet"}, headers=headers)
    assert response.status_code == 200, response.text
    assert engine.request.adapter == "poet"
    if named is not None:
        assert response.json()["model"] == named
    again = engine_with_adapters()
    response = await send(
        build_app(Settings(), again), "POST", path, json={**body, "model": "verbatim-demo"}, headers=headers
    )
    assert (response.status_code, again.request.adapter) == (200, None)


async def test_native_requests_of_tgi_and_paths_of_triton_name_an_adapter() -> None:
    engine = engine_with_adapters()
    app = build_app(Settings(), engine)
    body: dict[str, Any] = {"inputs": "Hi", "parameters": {"adapter_id": "poet"}}
    assert (await send(app, "POST", "/tgi/generate", json=body)).status_code == 200
    path = "/triton/v2/models/clerk/generate"
    assert (await send(app, "POST", path, json={"text_input": "Hi"})).status_code == 200
    assert [request.adapter for request in engine.requests] == ["poet", "clerk"]


async def test_embeddings_name_an_adapter() -> None:
    engine = engine_with_adapters()
    app = build_app(Settings(), engine)
    response = await send(app, "POST", "/openai/v1/embeddings", json={"input": "Hi", "model": "poet"})
    assert (response.json()["model"], engine.texts[0].adapter) == ("poet", "poet")
    assert embedding(engine.texts[0]).request_id == engine.texts[0].request_id


@pytest.mark.parametrize("contract", ["openai", "tokens"])
async def test_adapters_are_listed_behind_the_model_that_they_adapt(contract: str) -> None:
    app = build_app(Settings(), engine_with_adapters())
    listed = (await send(app, "GET", f"/{contract}/v1/models")).json()["data"]
    assert [(model["id"], model["parent"], model["root"]) for model in listed] == [
        ("verbatim-demo", None, "verbatim-demo"),
        ("poet", "verbatim-demo", "verbatim-demo"),
        ("clerk", "verbatim-demo", "verbatim-demo"),
    ]


@pytest.mark.parametrize(
    ("query", "ids", "has_more"),
    [
        ("", ["verbatim-demo", "poet", "clerk"], False),
        ("?limit=2", ["verbatim-demo", "poet"], True),
        ("?after_id=poet", ["clerk"], False),
        ("?after_id=verbatim-demo&limit=1", ["poet"], True),
        ("?before_id=clerk&limit=1", ["poet"], True),
        ("?before_id=poet", ["verbatim-demo"], False),
        ("?after_id=clerk", [], False),
        ("?after_id=tgi", ["poet", "clerk"], False),
    ],
)
async def test_pages_of_anthropics_models_begin_and_end_where_cursors_say(
    query: str, ids: list[str], has_more: bool
) -> None:
    app = build_app(Settings(), engine_with_adapters())
    headers = {"anthropic-version": "2023-06-01"}
    page = (await send(app, "GET", f"/anthropic/v1/models{query}", headers=headers)).json()
    assert ([model["id"] for model in page["data"]], page["has_more"]) == (ids, has_more)
    ends = (ids[0], ids[-1]) if ids else (None, None)
    assert (page["first_id"], page["last_id"]) == ends


async def test_an_adapter_that_the_model_is_asked_for_is_one_of_openais_models() -> None:
    app = build_app(Settings(), engine_with_adapters())
    found = (await send(app, "GET", "/openai/v1/models/poet")).json()
    assert (found["id"], found["parent"]) == ("poet", "verbatim-demo")
    assert (await send(app, "GET", "/openai/v1/models/nobody")).status_code == 404
