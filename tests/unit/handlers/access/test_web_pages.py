"""Tests which requests of web pages reach the application, over the whole of it."""

from typing import Any

import httpx
import pytest

from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.scripted.engine import ScriptedEngine, says

GENERATE = "/v2/models/verbatim-demo/generate"
OWN = "127.0.0.1:8080"


async def ask(
    *, named: str = OWN, origin: str | None = None, server: str = OWN, path: str = GENERATE, **settings: Any
) -> httpx.Response:
    """The answer to a request that needs no preflight. named: its Host. server: the address that takes it."""
    app = build_app(Settings(**settings), ScriptedEngine(says("a")))
    headers = {"host": named, "content-type": "text/plain"} | ({} if origin is None else {"origin": origin})
    method, content = ("GET", None) if path != GENERATE else ("POST", b'{"text_input": "Hi"}')
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url=f"http://{server}", headers=headers
    ) as client:
        return await client.request(method, path, content=content)


@pytest.mark.parametrize("host", [OWN, "localhost:8080", "[::1]:8080", "127.0.0.1"])
async def test_a_program_on_this_machine_is_answered(host: str) -> None:
    assert (await ask(named=host)).json()["text_output"] == "Hia"


@pytest.mark.parametrize(
    "path", [GENERATE, "/health", "/docs", "/openai/openapi.json", "/nothing", "/v1/models"]
)
async def test_a_name_that_was_made_to_stand_for_this_machine_is_refused_everywhere(path: str) -> None:
    refused = await ask(named="evil.example:8080", path=path)
    assert refused.status_code == 403
    assert "'evil.example'" in refused.text
    assert "--allowed-hosts" in refused.text


@pytest.mark.parametrize(
    "settings",
    [
        {"allowed_hosts": ("llm.example",)},
        {"allowed_hosts": ("*",)},
        {"api_key": "key"},
        {"host": "0.0.0.0"},
        {"host": "192.168.1.7"},
    ],
)
async def test_another_name_is_taken_where_the_operator_lets_it(settings: dict[str, Any]) -> None:
    assert (await ask(named="llm.example", path="/health", **settings)).status_code == 200


@pytest.mark.parametrize("settings", [{}, {"api_key": "key"}, {"host": "0.0.0.0"}])
async def test_names_that_are_given_exclude_others_whatever_else_is_set(settings: dict[str, Any]) -> None:
    settings["allowed_hosts"] = ("llm.example",)
    for server in (OWN, "10.0.0.7:8080"):
        refused = await ask(named="evil.example", path="/health", server=server, **settings)
        assert refused.status_code == 403
        assert "--allowed-hosts" in refused.text


async def test_a_connection_over_another_address_is_no_rebound_one() -> None:
    """Another ASGI server may listen where the settings do not say."""
    assert (await ask(named="llm.example", server="10.0.0.7:8080", path="/health")).status_code == 200


@pytest.mark.parametrize(
    "origin", ["https://page.example", "null", "http://127.0.0.1:3000", "127.0.0.1:8080", ""]
)
@pytest.mark.parametrize("settings", [{}, {"host": "0.0.0.0"}])
async def test_a_page_of_another_site_is_refused(origin: str, settings: dict[str, Any]) -> None:
    refused = await ask(origin=origin, **settings)
    assert refused.status_code == 403
    assert set(refused.json()) == {"error"}, "in Triton's words"
    assert "--cors-allow-origin" in refused.json()["error"]


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_page_of_the_servers_own_is_answered(scheme: str) -> None:
    assert (await ask(origin=f"{scheme}://{OWN}")).json()["text_output"] == "Hia"


@pytest.mark.parametrize("origins", [("https://page.example",), ("*",)])
async def test_a_page_of_an_allowed_origin_is_answered(origins: tuple[str, ...]) -> None:
    answer = await ask(origin="https://page.example", cors_allow_origin=origins)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] in ("*", "https://page.example")


async def test_a_server_with_a_key_leaves_it_to_the_key() -> None:
    refused = await ask(origin="https://page.example", api_key="key")
    assert (refused.status_code, refused.json()) == (401, {"error": "Missing or wrong API key"})


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/openai/v1/models", {"type": "invalid_request_error", "code": "forbidden"}),
        ("/anthropic/v1/models", {"type": "permission_error"}),
        ("/tgi/info", {"error_type": "forbidden"}),
        ("/hf/info", {"error_type": "forbidden"}),
        ("/mindie/x", {"error_type": "Forbidden"}),
        ("/aleph_alpha/version", {"code": "FORBIDDEN"}),
    ],
)
async def test_a_refusal_is_in_the_words_of_the_paths_owner(path: str, told: dict[str, str]) -> None:
    body = (await ask(origin="https://page.example", path=path)).json()
    error = body.get("error")
    said = error if isinstance(error, dict) else body
    assert {name: said.get(name) for name in told} == told


async def test_a_host_that_is_given_twice_is_refused_although_one_is_right() -> None:
    app = build_app(Settings(), ScriptedEngine(says("a")))
    headers = [("host", OWN), ("host", "evil.example")]
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=f"http://{OWN}") as client:
        assert (await client.get("/health", headers=headers)).status_code == 400


async def test_a_client_of_http_1_0_need_not_name_a_host() -> None:
    assert (await ask(named="", path="/health")).status_code == 200
