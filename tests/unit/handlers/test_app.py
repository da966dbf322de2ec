"""Tests of the whole server, whichever contract answers."""

import asyncio
import json
import re
from typing import Any

import pytest
from starlette.types import Message

from engine.async_engine import AsyncEngine
from engine.config import EngineConfig
from handlers.access.visits.record_log import LOSSES
from handlers.app import create_app
from handlers.composition import CONTRACTS, TABLES, YIELDS, build_app
from handlers.contracts.openai.contract import OpenAIContract
from handlers.process.interpreter_share import InterpreterShare
from handlers.settings.settings import Settings
from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.handlers.contracts.openai.transcriptions.scripted import ScriptedTranscriber
from tests.unit.handlers.contracts.tgi.api import Api, chat, generate_body
from tests.unit.verbatim_kit.runtime.client import send
from verbatim_kit.http.descriptors import OWN_CONNECTIONS
from verbatim_kit.runtime.root_routes import UnknownContract, placements


@pytest.mark.parametrize("prefix", ["", "/tgi"])
async def test_a_contract_answers_at_the_root_and_under_its_prefix(prefix: str) -> None:
    response = await Api(says("a")).post(f"{prefix}/generate", generate_body())
    assert (response.status_code, response.json()["generated_text"]) == (200, "a")


async def test_a_contracts_own_root_is_its_prefix_with_a_slash_and_without() -> None:
    for path in ("/tgi", "/tgi/"):
        response = await Api(says("a")).post(path, generate_body())
        assert (response.status_code, response.json()[0]["generated_text"]) == (200, "a")


async def test_without_a_place_at_the_root_a_contract_is_under_its_prefix_alone() -> None:
    api = Api(says("a"), root=())
    nothing = await api.get("/info")
    assert nothing.status_code == 404
    assert nothing.text == (
        "Nothing is served at /info; did you mean /tgi/info? The base URL of the contract tgi is http://test/tgi"
    )
    info = await api.get("/tgi/info")
    assert info.status_code == 200 and "model_id" in info.json()


async def test_what_is_listed_is_what_is_served() -> None:
    """The status is all that says whether there is a route; the requests are empty."""
    root = Settings().root
    api = Api(says("a"), root=root)
    at_root, prefixed = placements(TABLES, root, YIELDS)
    for placement in (*at_root, *prefixed):
        path = re.sub(r"\{model(_name)?:path\}", "verbatim-demo", placement.path)
        path = path.replace("{model_version}", "1")
        response = await send(api.app, placement.operation.method, path, content=b"")
        is_unknown_id = re.search(rb'"param":"(response|conversation|file|batch)_id"', response.content)
        assert is_unknown_id or response.status_code not in (404, 405), placement


@pytest.mark.parametrize(("mode", "status", "told"), [("off", 200, 0), ("log", 200, 1), ("fail", 500, 1)])
async def test_a_server_judges_its_answers_as_it_was_told(
    mode: str, status: int, told: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    document = json.loads(CONTRACTS["openai"].contract.document())
    document["components"]["schemas"]["Model"]["properties"]["owned_by"]["const"] = "somebody else"
    monkeypatch.setattr(OpenAIContract, "document", lambda self: json.dumps(document).encode())
    app = build_app(Settings(check_responses=mode), ScriptedEngine(says("a")))
    answer = await send(app, "GET", "/v1/models")
    assert answer.status_code == status
    assert status == 200 or answer.json()["error"]["type"] == "server_error"
    faults = [record for record in caplog.records if "owned_by" in record.getMessage()]
    assert len(faults) == told
    assert (await send(app, "GET", "/tgi/v1/models")).status_code == 200


def test_an_unknown_contract_at_the_root_stops_the_start() -> None:
    with pytest.raises(UnknownContract, match="'nothing'"):
        build_app(Settings(root=("nothing",)), ScriptedEngine(says("a")))


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/", generate_body()),
        ("/generate", generate_body()),
        ("/generate_stream", generate_body()),
        ("/tokenize", generate_body()),
        ("/v1/chat/completions", chat()),
        ("/v1/completions", {"prompt": "a"}),
    ],
)
async def test_with_an_api_key_generating_operations_ask_for_it(path: str, body: dict[str, Any]) -> None:
    api = Api(says("a"), api_key="Secret")
    for headers in ({}, {"authorization": "Bearer secret"}, {"authorization": "Secret"}):
        refused = await send(api.app, "POST", path, json=body, headers=headers)
        assert refused.status_code == 401
        assert refused.json()["error_type"] == "unauthorized"
    let_in = await send(api.app, "POST", path, json=body, headers={"authorization": "Bearer Secret"})
    assert let_in.status_code == 200


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
async def test_a_key_beyond_ascii_lets_in_whoever_sends_it_in_utf_8_or_latin_1(encoding: str) -> None:
    app = Api(says("a"), api_key="clé").app
    for key, status in (("clé", 200), ("clè", 401)):
        headers = {b"authorization": b"bearer " + key.encode(encoding)}
        assert (
            await send(app, "POST", "/generate", json=generate_body(), headers=headers)
        ).status_code == status


@pytest.mark.parametrize("path", ["/health", "/info", "/metrics", "/v1/models"])
async def test_with_an_api_key_probes_and_descriptions_stay_open(path: str) -> None:
    """Their answers, some of which change each time, are other tests'."""
    assert (await Api(says("a"), api_key="Secret").get(path)).status_code == 200


async def test_a_body_over_the_payload_limit_is_refused() -> None:
    api = Api(says("a"), payload_limit=100)
    assert (await api.refusal("/generate", generate_body("x" * 100)))[:2] == (413, "payload_too_large")


ASK = {
    "origin": "https://page.example",
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization,content-type,x-stainless-os",
}


async def test_pages_of_any_origin_may_call_with_a_key_where_that_is_asked_for() -> None:
    allowed = await send(Api(says("a"), cors_allow_origin=("*",)).app, "OPTIONS", "/generate", headers=ASK)
    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (200, "*")
    assert "x-stainless-os" in allowed.headers["access-control-allow-headers"]
    restricted = Api(says("a"), api_key="k", cors_allow_origin=("https://other.example",))
    assert (await send(restricted.app, "OPTIONS", "/generate", headers=ASK)).status_code == 400


@pytest.mark.parametrize("settings", [{}, {"api_key": "k"}])
async def test_no_page_of_another_origin_may_call_unless_that_is_asked_for(settings: dict[str, Any]) -> None:
    app = Api(says("a"), **settings).app
    preflight = await send(app, "OPTIONS", "/generate", headers=ASK)
    assert preflight.status_code == (405 if settings else 403)
    assert "access-control-allow-origin" not in preflight.headers
    headers = {"origin": "https://page.example", "authorization": "Bearer k"}
    answer = await send(app, "POST", "/generate", json=generate_body(), headers=headers)
    assert answer.status_code == (200 if settings else 403)
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    ("variable", "value"), [("VERBATIM_ROOT", "zzz"), ("PORT", "abc"), ("VERBATIM_MODELS", "several models")]
)
def test_the_factory_tells_a_wrong_setting_in_one_line(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(SystemExit, match=rf"^verbatim: error: .*({variable}|{value})[^\n]*$"):
        create_app()


async def run_lifespan(
    app: Any, *received: Message, pause_s: float = 0.0, state: dict[str, Any] | None = None
) -> list[Message]:
    """Return the messages that the application sends for these messages of the server's.

    pause_s: seconds before each of them. state: what it puts into the lifespan's state.
    """
    queue = list(received)
    sent: list[Message] = []

    async def receive() -> Message:
        await asyncio.sleep(pause_s)
        return queue.pop(0)

    async def keep(message: Message) -> None:
        sent.append(message)

    await app(
        {"type": "lifespan", "asgi": {"version": "3.0"}, "state": {} if state is None else state},
        receive,
        keep,
    )
    return sent


async def test_shutdown_drains_the_engine_and_then_stops_it(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = ScriptedEngine(says("a"))
    told: list[object] = []

    async def drain(timeout_s: float) -> None:
        told.append(timeout_s)

    async def stop() -> None:
        told.append("stop")

    monkeypatch.setattr(engine, "drain", drain)
    monkeypatch.setattr(engine, "stop", stop)
    app = build_app(Settings(graceful_termination_timeout=7), engine)
    await run_lifespan(app, {"type": "lifespan.startup"}, {"type": "lifespan.shutdown"})
    assert told == [7, "stop"]


@pytest.mark.parametrize("shares_interpreter", [True, False])
async def test_the_event_loop_pauses_only_for_an_engine_that_computes_in_its_process(
    monkeypatch: pytest.MonkeyPatch, shares_interpreter: bool
) -> None:
    num_looks = 0

    def look(self: InterpreterShare) -> None:
        nonlocal num_looks
        num_looks += 1

    monkeypatch.setattr(InterpreterShare, "_look", look)
    engine = ScriptedEngine(says("a"))
    engine.shares_interpreter = shares_interpreter
    app = build_app(Settings(), engine)
    # Four times as long as until the first look.
    await run_lifespan(app, {"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}, pause_s=0.2)
    assert num_looks == shares_interpreter


@pytest.mark.parametrize(
    ("shares_interpreter", "settings", "num_own"),
    [
        (True, {}, 0),
        (True, {"media_domains": ("example.com",)}, 32),
        (False, {"engine_url": ("http://a",), "max_concurrent_requests": 40}, 40 + 1),
        (
            False,
            {"engine": "vllm", "engine_url": ("http://a", "http://b"), "max_concurrent_requests": 9},
            9 + 2,
        ),
    ],
    ids=["its own engine", "media from hosts", "a server", "two servers"],
)
async def test_any_server_in_front_learns_how_many_connections_the_application_opens(
    shares_interpreter: bool, settings: dict[str, Any], num_own: int
) -> None:
    engine = ScriptedEngine(says("a"))
    engine.shares_interpreter = shares_interpreter
    app = build_app(Settings(**settings), engine)
    state: dict[str, Any] = {}
    phases: tuple[Message, ...] = ({"type": "lifespan.startup"}, {"type": "lifespan.shutdown"})
    await run_lifespan(app, *phases, state=state)
    assert state == {OWN_CONNECTIONS: num_own, LOSSES: []}


async def test_the_factory_tells_the_server_why_the_model_does_not_load(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("VERBATIM_MODEL", "/no/such/directory")
    (failed,) = await run_lifespan(create_app(), {"type": "lifespan.startup"})
    assert failed["type"] == "lifespan.startup.failed"
    assert "/no/such/directory" in failed["message"]


async def test_the_factory_starts_the_engine_with_the_server_and_then_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def start(config: EngineConfig, *, on_progress: object) -> ScriptedEngine:
        assert config.max_total_tokens == 77
        return ScriptedEngine(says("a"))

    monkeypatch.setattr(AsyncEngine, "start", start)
    monkeypatch.setenv("MAX_TOTAL_TOKENS", "77")
    app = create_app()
    sent = await run_lifespan(app, {"type": "lifespan.startup"}, {"type": "lifespan.shutdown"})
    assert [message["type"] for message in sent] == [
        "lifespan.startup.complete",
        "lifespan.shutdown.complete",
    ]
    assert (await send(app, "GET", "/health")).status_code == 200


def test_a_given_transcriber_is_the_only_one(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    monkeypatch.setattr("handlers.composition.Transcriber", lambda *given, **named: made.append(given))
    build_app(Settings(), ScriptedEngine(says("a")), transcriber=ScriptedTranscriber())
    assert made == []
    build_app(Settings(), ScriptedEngine(says("a")))
    assert len(made) == 1


@pytest.mark.parametrize("mode", ["off", "fail"])
def test_documents_are_read_once_however_many_applications_are_built(
    mode: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_app(Settings(check_responses=mode), ScriptedEngine(says("a")))
    read: list[str] = []
    monkeypatch.setattr("verbatim_kit.runtime.contract.files", read.append)
    monkeypatch.setattr("verbatim_kit.judge.endpoint.Judge", read.append)
    build_app(Settings(check_responses=mode), ScriptedEngine(says("a")))
    assert read == []
