"""A request under a wrong base URL is told the right one, in the words of the contract."""

import httpx
import pytest

from handlers.composition import TABLES, build_app
from handlers.settings.settings import Settings
from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.verbatim_kit.runtime.client import send

_ONLY_OPENAI = ("openai",)


async def ask(method: str, path: str, root: tuple[str, ...] = Settings().root) -> httpx.Response:
    app = build_app(Settings(root=root, check_responses="fail"), ScriptedEngine(says("a")))
    return await send(app, method, path, json={} if method == "POST" else None)


@pytest.mark.parametrize(
    ("root", "request_", "meant", "base"),
    [
        (_ONLY_OPENAI, "POST /chat/completions", "/v1/chat/completions", "/v1"),
        (_ONLY_OPENAI, "POST /generate", "/tgi/generate", "/tgi"),
        (Settings().root, "POST /embeddings", "/v1/embeddings", "/v1"),
        (Settings().root, "GET /models", "/v1/models", "/v1"),
        (Settings().root, "POST /v1/v1/chat/completions", "/v1/chat/completions", "/v1"),
        (Settings().root, "POST /api/v1/chat/completions", "/v1/chat/completions", "/v1"),
        (Settings().root, "POST /v1/chat/completions/chat/completions", "/v1/chat/completions", "/v1"),
        (Settings().root, "POST /openai/chat/completions", "/openai/v1/chat/completions", "/openai/v1"),
        (Settings().root, "POST /openai/v1/v1/responses", "/openai/v1/responses", "/openai/v1"),
        (Settings().root, "POST /v1/generate", "/generate", ""),
        (Settings().root, "POST /tgi/v1/generate_stream", "/tgi/generate_stream", "/tgi"),
        (Settings().root, "POST /v1/v1/messages", "/v1/messages", ""),
        (Settings().root, "POST /anthropic/messages", "/anthropic/v1/messages", "/anthropic"),
        (Settings().root, "POST /mindie/chat/completions", "/mindie/v1/chat/completions", "/mindie/v1"),
    ],
)
async def test_an_unknown_path_is_told_the_base_url_that_was_probably_meant(
    root: tuple[str, ...], request_: str, meant: str, base: str
) -> None:
    method, path = request_.split()
    response = await ask(method, path, root)
    assert response.status_code == 404
    assert f"; did you mean {meant}? The base URL of the contract " in response.text
    assert f' is http://test{base}"' in response.text


async def test_the_answer_has_the_form_of_the_contract() -> None:
    openai = (await ask("POST", "/v1/v1/chat/completions")).json()["error"]
    assert openai["code"] == "unknown_url" and "did you mean" in openai["message"]
    anthropic = (await ask("POST", "/anthropic/messages")).json()
    assert anthropic["type"] == "error" and "did you mean" in anthropic["error"]["message"]
    assert "did you mean" in (await ask("POST", "/tgi/v1/generate")).json()["error"]


@pytest.mark.parametrize("prefix", TABLES)
@pytest.mark.parametrize("rest", ["nothing", "v1/nothing", "v2/nothing/" + "a/" * 5000])
async def test_a_path_of_no_operation_under_a_contract_is_told_the_contracts_base_url(
    prefix: str, rest: str
) -> None:
    response = await ask("POST", f"/{prefix}/{rest}")
    own = "/v1" if prefix in ("openai", "mindie", "open_responses") else ""
    assert response.status_code == 404
    assert f'; the base URL of the contract {prefix} is http://test/{prefix}{own}"' in response.text


@pytest.mark.parametrize(
    ("path", "contract", "base"),
    [
        ("/v1", "openai", "/v1"),
        ("/v1/chat", "openai", "/v1"),
        ("/v1//chat", "openai", "/v1"),
        ("/v2/nothing", "triton", ""),
        ("/inference/nothing", "tokens", ""),
    ],
)
async def test_a_path_of_no_operation_at_the_root_is_told_the_base_url_of_those_with_its_first_segment(
    path: str, contract: str, base: str
) -> None:
    response = await ask("GET", path)
    assert response.status_code == 404 and "did you mean" not in response.text
    assert f'; the base URL of the contract {contract} is http://test{base}"' in response.text


@pytest.mark.parametrize("path", ["/nothing", "/.env", "/a" * 5000])
async def test_nothing_is_suggested_for_a_path_like_no_other(path: str) -> None:
    response = await ask("GET", path)
    assert response.status_code == 404 and "base URL" not in response.text


async def test_a_path_is_not_suggested_for_another_method() -> None:
    assert "did you mean" not in (await ask("DELETE", "/embeddings")).text
