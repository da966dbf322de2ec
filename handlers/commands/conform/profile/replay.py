"""Replay of the programs' requests in order, and the checks of their answers."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import httpx

from handlers.commands.conform.profile.adapting import adapted, with_forced_tool
from handlers.commands.conform.profile.apis import APIS
from handlers.commands.conform.profile.events import Event, NotEvents, read_events
from handlers.commands.conform.profile.program import Program, RecordedTurn
from handlers.commands.conform.profile.schemas import COMMON, Part, schema_breaches
from handlers.commands.conform.profile.turn import Breach, SentBody
from verbatim_kit.conform.checks.checks import LATE, RunLimits
from verbatim_kit.conform.client import Answer, Client, NoAnswer
from verbatim_kit.conform.document import Json
from verbatim_kit.conform.finding import FoundFault, Instance, Result, grouped
from verbatim_kit.conform.place import ABSENT
from verbatim_kit.conform.request import Request
from verbatim_kit.conform.target import no_answer

CHECKS: Final = {
    "offered": "the paths that the program requests exist; a program whose API does not exist is skipped",
    "answers": "non-streamed answers have the members that the program reads",
    "streams": "events have the members that the program reads, in the right order and with consistent ids",
    "calls": "a tool is called where the request requires it, in a form that the program can use",
}
"""The checks in the order of the report, each with a short description."""

_NOT_THERE: Final = (404, 405, 501)
_EVENTS: Final = "text/event-stream"
# Messages of servers for a prompt that exceeds the model's context, which is not a fault of the API.
_NO_ROOM: Final = re.compile(
    r"context[ _](length|size|window)|(prompt|input|request)\S* .{0,40}(too long|too many|exceed)"
    r"|maximum.{0,30}length|max_(model|seq)_len|max_position_embeddings",
    re.IGNORECASE,
)
_REFUSED: Final = "The program sends this request, and fails if it is refused"
_MAX_REASON: Final = 160  # characters of an error that a note quotes


class _Tried(NamedTuple):
    """The outcome of a request.

    note: reason why its answer was not checked; empty if it was. is_answered: it was answered and not
    refused.
    """

    check: str
    faults: tuple[FoundFault, ...] = ()
    note: str = ""
    is_answered: bool = False


class Replay:
    """A replay of programs against one server.

    model: name of the model on the server. log: called with a line of text about the progress.
    """

    def __init__(self, client: Client, model: str, limits: RunLimits, log: Callable[[str], None]) -> None:
        self._client = client
        self._model = model
        self._limits = limits
        self._log = log
        self._offered: dict[tuple[str, str], bool] = {}

    def results(self, programs: Sequence[Program]) -> Iterator[Result]:
        """Send the requests of each program and yield the results of its checks."""
        for program in programs:
            self._log(program.title)
            yield from self._results(program)

    def _results(self, program: Program) -> Iterator[Result]:
        turns = [turn for turn in program.turns if turn.status == 200]
        offered = [turn for turn in turns if self._is_offered(program, turn)]
        routes = {f"{turn.method} {turn.route}" for turn in turns}
        absent = sorted(routes - {f"{turn.method} {turn.route}" for turn in offered})
        note = f"not offered: {', '.join(absent)}" if absent else ""
        yield Result(program, "offered", len(routes) - len(absent), (), note)
        tried, late = self._tried(program, offered)
        for check in ("answers", "streams", "calls"):
            own = [attempt for attempt in tried if attempt.check == check]
            notes = [attempt.note for attempt in own if attempt.note]
            if late and not own:
                notes.append(LATE)
            if own or (late and check != "calls"):
                faults = (fault for attempt in own for fault in attempt.faults)
                judged = [attempt for attempt in own if not attempt.note]
                yield Result(
                    program, check, len(judged), grouped(check, faults), "; ".join(dict.fromkeys(notes))
                )

    def _tried(self, program: Program, turns: Sequence[RecordedTurn]) -> tuple[list[_Tried], bool]:
        """Send the requests; return their outcomes, and whether the time limit cut the list short."""
        tried: list[_Tried] = []
        has_forced: set[tuple[str, bool]] = set()
        for turn in turns:
            if self._limits.is_over:
                return tried, True
            body = adapted(turn.route, turn.body, self._model)
            tried.append(self._send(program, turn, SentBody(body)))
            forced = with_forced_tool(turn.route, body)
            form = (turn.route, turn.is_streamed)
            if forced is not None and form not in has_forced and tried[-1].is_answered:
                has_forced.add(form)
                tried.append(self._send(program, turn, SentBody(forced, is_forced=True)))
        return tried, False

    def _send(self, program: Program, turn: RecordedTurn, sent: SentBody) -> _Tried:
        check = "calls" if sent.is_forced else "streams" if turn.is_streamed else "answers"
        label = f"{turn.what}, with a required tool call" if sent.is_forced else turn.what
        request = Request(turn.method, turn.path, sent.body, program.headers)
        try:
            answer = self._answer(request)
        except NoAnswer as error:
            return _Tried(check, (no_answer(label, request, error),))
        if not 200 <= answer.status < 300:
            return _refusal(check, label, request, answer)
        faults = tuple(
            FoundFault(breach.kind, Instance(label, breach.message, request, answer, breach.why))
            for breach in _breaches(program, turn, sent, answer)
        )
        return _Tried(check, faults, is_answered=True)

    def _answer(self, request: Request) -> Answer:
        """Send a request, again if the connection breaks, as clients do. Raises NoAnswer."""
        try:
            return self._client.send(request)
        except NoAnswer as error:
            if isinstance(error.__cause__, httpx.TimeoutException):
                raise
            return self._client.send(request)

    def _is_offered(self, program: Program, turn: RecordedTurn) -> bool:
        """Return whether a path exists: at least one request to it is not answered with 404, 405 or 501."""
        route = (turn.method, turn.route)
        if route not in self._offered:
            body = adapted(turn.route, turn.body, self._model)
            request = Request(turn.method, turn.path, body, program.headers)
            # A status of 404 may also mean that the model does not exist; an empty body names no model.
            empty = [] if body is ABSENT else [request._replace(body={})]
            self._offered[route] = any(self._is_there(candidate) for candidate in (*empty, request))
        return self._offered[route]

    def _is_there(self, request: Request) -> bool:
        try:
            return self._client.send(request).status not in _NOT_THERE
        except NoAnswer:
            return True


def _refusal(check: str, label: str, request: Request, answer: Answer) -> _Tried:
    """Return a fault; or a note if the request exceeds the context or a tool call cannot be required."""
    message = f"{answer.status}: {answer.text[:300]}"
    if 400 <= answer.status < 500 and _NO_ROOM.search(answer.text):
        return _Tried(check, note=f"skipped: too long for the model's context: {label}")
    if check == "calls" and 400 <= answer.status < 500:
        return _Tried(check, note=f"skipped: a tool call cannot be required ({message[:_MAX_REASON]})")
    instance = Instance(label, message, request, answer, _REFUSED)
    kind = "The server failed" if answer.status >= 500 else "The request is refused"
    return _Tried(check, (FoundFault(kind, instance),))


def _breaches(program: Program, turn: RecordedTurn, sent: SentBody, answer: Answer) -> Iterator[Breach]:
    if turn.is_streamed:
        yield from _stream_breaches(program, turn, sent, answer)
        return
    value = answer.json
    if not isinstance(value, dict):
        message = f"The media type is {answer.media_type}, the body {answer.text[:200]!r}"
        yield Breach("The answer is not a JSON object", message, "Clients parse the answer as JSON")
        return
    breaches = list(_schema_breaches(program, turn, "whole", [value]))
    yield from breaches
    api = APIS.get(turn.route)
    if api is not None and not breaches:
        yield from api.whole(sent, value)


def _stream_breaches(
    program: Program, turn: RecordedTurn, sent: SentBody, answer: Answer
) -> Iterator[Breach]:
    if answer.media_type != _EVENTS:
        message = f"The media type is {answer.media_type or 'missing'}; a stream has {_EVENTS}"
        yield Breach("The answer is not the requested stream", message, "Clients read events from it")
        return
    try:
        events = read_events(answer.body)
    except NotEvents as error:
        yield Breach("The stream cannot be parsed", str(error), "Clients parse each event")
        return
    if not events:
        yield Breach("The stream has no events", answer.text[:200], "Clients read the answer from the events")
        return
    failure = next((event for event in events if _is_error(event)), None)
    if failure is not None:
        yield Breach("The stream ends with an error", str(failure.data)[:300], "Clients raise an exception")
        return
    breaches = list(_schema_breaches(program, turn, "event", [event.data for event in events]))
    yield from breaches
    api = APIS.get(turn.route)
    if api is not None and not breaches:
        yield from api.stream(sent, events)


def _is_error(event: Event) -> bool:
    data = event.data
    return isinstance(data, dict) and (
        data.get("type") in ("error", "response.failed")
        or ("choices" not in data and data.get("error") is not None)
    )


def _schema_breaches(
    program: Program, turn: RecordedTurn, part: Part, values: Sequence[Json]
) -> Iterator[Breach]:
    """Yield the first instance of each kind of difference."""
    kinds = set()
    for value in values:
        for breach in schema_breaches((COMMON, *program.schemas), turn.route, part, value):
            if breach.kind not in kinds:
                kinds.add(breach.kind)
                yield breach
