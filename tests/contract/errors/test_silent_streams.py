"""In every contract, a stream whose first token is late sends its status, and then comments where it may."""

import asyncio
import json
from typing import Any

import pytest

from engine.port.errors import EngineError, EngineStopped
from engine.port.events import FinishReason
from handlers.access.visits.record_log import RecordLog
from handlers.access.visits.request_line import line_of
from handlers.composition import CONTRACTS, TABLES, build_app
from handlers.settings.settings import Settings
from tests.support.clocks.virtual_time import run_in_virtual_time
from tests.support.samples.contracts import LongRequest, samples_of
from tests.support.scripted.engine import ScriptedEngine, fails_after, says
from tests.unit.verbatim_kit.runtime.client import send

STREAMS = pytest.mark.parametrize(
    ("contract", "request_"),
    [
        pytest.param(name, request, id=f"{name}{request.path}")
        for name in TABLES
        for request in samples_of(name).long_requests
        if request.is_finished is not None
    ],
)
# Fields with grammars, which a thread compiles: the clock would pass over that too.
GRAMMARS = {"output_config", "parameters", "response_format", "text"}
COMMENT = b":\n\n"


class Exchange:
    """A request to a server whose engine is silent for some seconds of a clock that jumps.

    parts: what the client was sent, and when; a status, or bytes. entries: those of the audit log.
    """

    def __init__(
        self,
        contract: str,
        request: LongRequest,
        *,
        silent_s: float,
        error: EngineError | None = None,
        leaves_s: float = 1000,
    ) -> None:
        self.parts: list[Any] = []
        self.entries: list[dict[str, Any]] = []
        script = says("a", "b", finish=FinishReason.LENGTH) if error is None else fails_after(error)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(RecordLog, "write", lambda _, visit: self.entries.append(line_of(visit).fields))
            run_in_virtual_time(self._run(contract, request, script, silent_s, leaves_s))

    async def _run(
        self, contract: str, request: LongRequest, script: Any, silent_s: float, leaves_s: float
    ) -> None:
        loop, gate, gone = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()
        loop.call_later(silent_s, gate.set)
        loop.call_later(leaves_s, gone.set)
        self.engine = ScriptedEngine(script, gate=gate, max_total_tokens=1000)
        self.app = build_app(
            Settings(no_store=True, check_responses="fail", audit_log="-", access_log=False), self.engine
        )
        body = {name: value for name, value in request.body.items() if name not in GRAMMARS}
        incoming = [{"type": "http.request", "body": json.dumps(body).encode()}]

        async def receive() -> Any:
            if incoming:
                return incoming.pop()
            await gone.wait()
            return {"type": "http.disconnect"}

        async def take(message: Any) -> None:
            part = message["status"] if "status" in message else message["body"]
            self.parts.append((loop.time(), part))

        headers = {"content-type": "application/json", "host": "localhost", **samples_of(contract).headers}
        scope = {
            "type": "http",
            "method": "POST",
            "path": f"/{contract}{request.path}",
            "query_string": b"",
            "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        }
        await self.app(scope, receive, take)
        self.ended_s = loop.time()

    @property
    def last_event(self) -> Any:
        """The data of the last event that is no terminator."""
        data = [line for _, part in self.parts[1:] for line in part.split(b"\n") if line.startswith(b"data:")]
        return [json.loads(line.removeprefix(b"data:")) for line in data if b"[DONE]" not in line][-1]

    async def failures(self, kind: str) -> int:
        text = (await send(self.app, "GET", "/tgi/metrics")).text
        return next(
            int(float(line.split()[-1]))
            for line in text.splitlines()
            if line.startswith(f'tgi_request_failure{{err="{kind}"}}')
        )


@STREAMS
def test_a_late_first_token_comes_after_the_status_and_comments(contract: str, request_: LongRequest) -> None:
    exchange = Exchange(contract, request_, silent_s=12)
    has_comments = CONTRACTS[contract].contract.has_comments
    early = [(5, 200), (5, COMMENT), (10, COMMENT)] if has_comments else [(5, 200), (5, b"")]
    assert exchange.parts[: len(early)] == early
    assert {at for at, _ in exchange.parts[len(early) :]} == {12}
    assert exchange.last_event.get("type") != "error" and not exchange.last_event.get("error")
    assert [(entry["status"], entry.get("error_status")) for entry in exchange.entries] == [(200, None)]


@STREAMS
def test_a_refusal_before_the_status_is_due_keeps_its_own(contract: str, request_: LongRequest) -> None:
    exchange = Exchange(contract, request_, silent_s=4, error=EngineStopped("no"))
    assert exchange.parts[0] == (4, samples_of(contract).unavailable_status)
    assert ["error_status" in entry for entry in exchange.entries] == [False]


@STREAMS
def test_a_refusal_after_the_status_is_the_contracts_error_event(
    contract: str, request_: LongRequest
) -> None:
    exchange = Exchange(contract, request_, silent_s=12, error=EngineStopped("no"))
    assert exchange.parts[0] == (5, 200)
    event = exchange.last_event
    is_typed = request_.path == "/v1/responses"  # whose response has not begun, so that it cannot fail
    assert request_.is_unavailable is not None
    error = event.get("error", event)
    assert error["code"] == "service_unavailable" if is_typed else request_.is_unavailable(event)
    (entry,) = exchange.entries
    assert (entry["status"], entry["error_status"]) == (200, samples_of(contract).unavailable_status)


@STREAMS
async def test_a_client_that_leaves_before_the_first_token_ends_its_request(
    contract: str, request_: LongRequest
) -> None:
    exchange = await asyncio.to_thread(Exchange, contract, request_, silent_s=100, leaves_s=12)
    assert exchange.parts[0] == (5, 200)
    assert (exchange.ended_s, exchange.engine.num_running) == (12, 0)
    assert await exchange.failures("dropped") == 1
