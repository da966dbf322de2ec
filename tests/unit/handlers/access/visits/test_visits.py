"""The record of each request, over the whole application."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from engine.port.errors import EngineBusy, EngineStopped
from handlers.access.visits.record_log import RecordLog
from handlers.access.visits.request_record import RecordLine, RequestRecord, text_line
from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.scripted.engine import ScriptedEngine, fails_after, says
from tests.unit.verbatim_kit.runtime.client import send

CHAT = {"messages": [{"role": "user", "content": "a secret word"}], "model": "verbatim-demo", "max_tokens": 5}
PATH = "/openai/v1/chat/completions"
Served = Callable[..., tuple[Any, list[RecordLine]]]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Served:
    """Build an application, and return it with the lines that it logs from now on."""
    lines: list[RecordLine] = []
    monkeypatch.setattr(RecordLog, "write", lambda _, line: lines.append(line))

    def build(script: Any = None, **settings: Any) -> tuple[Any, list[RecordLine]]:
        engine = ScriptedEngine(script or says("an", "swer"), gate=settings.pop("gate", None))
        return build_app(Settings(**settings), engine), lines

    return build


def fields(line: RecordLine) -> RequestRecord:
    assert isinstance(line.fields, RequestRecord)
    return line.fields


@pytest.mark.parametrize("streams", [False, True])
async def test_a_request_is_one_line_with_what_it_cost_and_nothing_that_was_said(
    served: Served, streams: bool
) -> None:
    app, lines = served()
    headers = {"x-request-id": "mine-1"}
    await send(app, "POST", f"{PATH}?a=b", json={**CHAT, "stream": streams}, headers=headers)
    (line,) = lines
    record = fields(line)
    assert (record.method, record.path, record.status, record.end) == ("POST", PATH, 200, "complete")
    assert (record.contract, record.operation) == ("openai", "createChatCompletion")
    assert (record.request_id, record.key, record.error) == ("mine-1", None, None)
    assert record.prompt_tokens > 0 and record.generated_tokens == 3
    assert record.queue_s == 0.25, "as the engine says"
    assert record.first_token_s is not None and 0 < record.first_token_s <= record.duration_s
    assert line.level == "INFO"
    assert (record.request, record.answer) == (None, None)


async def test_texts_are_logged_if_asked_for_but_not_audited(served: Served) -> None:
    app, lines = served(log_requests=True, audit_log="-")
    await send(app, "POST", PATH, json={**CHAT, "stream": True})
    audited, told = map(fields, lines)
    assert (audited.request, audited.answer) == (None, None)
    assert told.request is not None and "a secret word" in told.request
    assert told.answer is not None and told.answer.count("data:") >= 2 and "swer" in told.answer
    assert audited.request_id == told.request_id


async def test_a_long_text_is_cut(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("handlers.access.visits.visits._MAX_TEXT", 20)
    app, lines = served(log_requests=True)
    await send(
        app, "POST", PATH, content=b'{"model": "' + b"x" * 100, headers={"content-type": "application/json"}
    )
    request = fields(lines[0]).request
    assert request == '{"model": "xxxxxxxxx (91 bytes more)'


@pytest.mark.parametrize(
    ("path", "body", "status", "error"),
    [
        (PATH, {"model": "verbatim-demo"}, 400, "InvalidRequest"),
        ("/nothing", {}, 404, "NotFound"),
        ("/openai/v1/models", {}, 405, "MethodNotAllowed"),
        (PATH, CHAT, 429, "Overloaded"),
    ],
)
async def test_a_refusal_says_why(served: Served, path: str, body: Any, status: int, error: str) -> None:
    app, lines = served(fails_after(EngineBusy("no room")))
    await send(app, "POST", path, json=body)
    record = fields(lines[0])
    assert (record.status, record.end, record.error) == (status, "error", error)
    metrics = (await send(app, "GET", "/metrics")).text
    assert f'verbatim_request_errors{{contract="{record.contract or "none"}",error="{error}"}} 1.0' in metrics
    handler, method = ("none", "none") if record.operation is None else (f"openai.{record.operation}", "POST")
    assert f'http_requests_total{{handler="{handler}",method="{method}",status="4xx"}} 1.0' in metrics


async def test_a_stream_that_fails_has_both_statuses(served: Served) -> None:
    app, lines = served(fails_after(EngineStopped("no"), "a"))
    await send(app, "POST", PATH, json={**CHAT, "stream": True})
    record = fields(lines[0])
    assert (record.status, record.error_status, record.end) == (200, 503, "error")
    assert record.error == "EngineStopped"


async def test_a_client_that_leaves_is_told_from_one_that_stays(served: Served) -> None:
    app, lines = served(gate=asyncio.Event())
    scope = {
        "type": "http", "method": "POST", "path": PATH, "raw_path": PATH.encode(), "query_string": b"",
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")], "root_path": "",
        "http_version": "1.1", "scheme": "http", "client": ("127.0.0.1", 1), "server": ("localhost", 80),
    }  # fmt: skip
    body = b'{"model":"verbatim-demo","messages":[{"role":"user","content":"Hi"}]}'

    async def messages() -> AsyncIterator[Any]:
        yield {"type": "http.request", "body": body}
        yield {"type": "http.disconnect"}

    coming = messages()

    async def ignore(message: Any) -> None:
        raise AssertionError("nobody reads it")

    await app(scope, lambda: anext(coming), ignore)
    record = fields(lines[0])
    assert (record.status, record.end, record.error) == (None, "disconnected", None)


@pytest.mark.parametrize("path", ["/ping", "/ready", "/health", "/tgi/metrics", "/v2/health/live"])
async def test_monitors_are_logged_at_level_debug_alone(served: Served, path: str) -> None:
    app, lines = served()
    assert (await send(app, "GET", path)).status_code == 200
    assert lines == []
    app, lines = served(log_level="debug")
    await send(app, "GET", path)
    assert [line.level for line in lines] == ["DEBUG"]


@pytest.mark.parametrize("settings", [{"access_log": False}, {"log_level": "warning"}])
async def test_lines_can_be_turned_off(served: Served, settings: dict[str, Any]) -> None:
    app, lines = served(**settings)
    await send(app, "POST", PATH, json=CHAT)
    assert lines == []


async def test_what_a_client_chooses_cannot_end_a_line_of_text(served: Served) -> None:
    app, lines = served()
    await send(app, "GET", "/no%0Athing%20\u20ac", headers={"x-request-id": "a\tb"})
    text = text_line(lines[0])
    assert text.isascii() and b"\n" not in text and b"/no%0Athing%20" in text
