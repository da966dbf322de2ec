"""Lists, health and metrics are the supervisor's: they start no model, and are of all models."""

from collections.abc import Callable
from typing import Any

import pytest

from handlers.supervisor.model import State
from tests.unit.handlers.supervisor.conftest import Supervisor, running_supervisor

NAMES = ["a", "b/c", "fails"]
ANTHROPIC = {"anthropic-version": "2023-06-01"}


def ids(answer: Any) -> list[str]:
    return [entry["id"] for entry in answer["data"]]


def names(answer: Any) -> list[str]:
    return [entry["name"] for entry in answer]


@pytest.mark.parametrize(
    ("method", "path", "headers", "listed"),
    [
        ("GET", "/v1/models", {}, ids),
        ("GET", "/v1/models", ANTHROPIC, ids),
        ("GET", "/tgi/v1/models", {}, ids),
        ("GET", "/hf/v1/models", {}, ids),
        ("POST", "/v2/repository/index", {}, names),
    ],
)
async def test_lists_have_all_models_and_start_none(
    method: str, path: str, headers: dict[str, str], listed: Callable[[Any], list[str]]
) -> None:
    async with running_supervisor() as supervisor:
        answer = await supervisor.client.request(method, path, headers=headers)
        assert (answer.status_code, listed(answer.json())) == (200, NAMES)
        assert {model.state for model in supervisor.models.models} == {State.STOPPED}


async def test_a_page_of_anthropics_list_is_of_all_models(supervisor: Supervisor) -> None:
    page = (await supervisor.client.get("/anthropic/v1/models?limit=1&after_id=a", headers=ANTHROPIC)).json()
    assert (ids(page), page["has_more"]) == (["b/c"], True)


async def test_what_only_running_models_know_is_listed_of_them(supervisor: Supervisor) -> None:
    await supervisor.client.get("/models/b/c/info")
    listed = (await supervisor.client.get("/models_available")).json()
    assert {(entry["name"], entry["max_context_size"]) for entry in listed} >= {("b/c", 7)}
    index = (await supervisor.client.post("/v2/repository/index")).json()
    states = {entry["name"]: entry["state"] for entry in index}
    assert (states["b/c"], states["fails"]) == ("READY", "UNAVAILABLE")


async def test_metrics_are_of_all_running_models_by_their_names(supervisor: Supervisor) -> None:
    for name in ("a", "b/c"):
        await supervisor.client.get(f"/models/{name}/info")
    lines = (await supervisor.client.get("/metrics")).text.splitlines()
    assert lines == ["# HELP one Of all", "# TYPE one counter", 'one{model="a"} 1.0', 'one{model="b/c"} 1.0']


@pytest.mark.parametrize(
    "path",
    ["/health", "/hf/health", "/tokens/health", "/v2/health/live", "/v2/health/ready", "/ready", "/livez"],
)
async def test_the_supervisor_is_healthy_by_itself(supervisor: Supervisor, path: str) -> None:
    assert (await supervisor.client.get(path)).status_code == 200
