"""The requests of a profile's programs, sent in their order, and what is wrong with the answers."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import httpx

from handlers.conform.checks.checks import LATE, RunLimits
from handlers.conform.client import Answer, Client, NoAnswer
from handlers.conform.document import Json
from handlers.conform.finding import FoundFault, Instance, Result, grouped
from handlers.conform.place import ABSENT
from handlers.conform.profile.adapting import adapted, with_forced_tool
from handlers.conform.profile.apis import APIS
from handlers.conform.profile.events import Event, NotEvents, read_events
from handlers.conform.profile.program import Program, RecordedTurn
from handlers.conform.profile.schemas import COMMON, Part, schema_breaches
from handlers.conform.profile.turn import Breach, SentBody
from handlers.conform.request import Request
from handlers.conform.target import no_answer

CHECKS: Final = {
    "offered": "the paths that the program asks are there; a program whose API is not is left out",
    "answers": "whole answers have what the program reads",
    "streams": "so have the events, in their order, with ids that agree",
    "calls": "a tool is called where the request requires it, in a form that the program can act on",
}
"""The checks in the order of a report, each with a phrase about it."""

_NOT_THERE: Final = (404, 405, 501)
_EVENTS: Final = "text/event-stream"
# The words of servers for a prompt that the model has no room for, which is not the API's fault.
_NO_ROOM: Final = re.compile(
    r"context[ _](length|size|window)|(prompt|input|request)\S* .{0,40}(too long|too many|exceed)"
    r"|maximum.{0,30}length|max_(model|seq)_len|max_position_embeddings",
    re.IGNORECASE,
)
_REFUSED: Final = "The program sends it as it is"
_MAX_REASON: Final = 160  # characters of a refusal that a note has


class _Tried(NamedTuple):
    """A request that was sent. note: why its answer was not judged; empty if it was.

    is_answered: whether it was, and not refused.
    """

    check: str
    faults: tuple[FoundFault, ...] = ()
    note: str = ""
    is_answered: bool = False


class Replay:
    """A profile's programs against one server.

    model: its name there. tell: takes a line about what comes next.
    """

    def __init__(self, client: Client, model: str, limits: RunLimits, tell: Callable[[str], None]) -> None:
        self._client = client
        self._model = model
        self._limits = limits
        self._tell = tell
        self._offered: dict[tuple[str, str], bool] = {}

    def results(self, programs: Sequence[Program]) -> Iterator[Result]:
        """Yield the results of every check of each program."""
        for program in programs:
            self._tell(program.title)
            yield from self._results(program)

    def _results(self, program: Program) -> Iterator[Result]:
        sent = [one for one in program.turns if one.status == 200]
        offered = [one for one in sent if self._is_offered(program, one)]
        routes = {f"{one.method} {one.route}" for one in sent}
        absent = sorted(routes - {f"{one.method} {one.route}" for one in offered})
        note = f"not offered: {', '.join(absent)}" if absent else ""
        yield Result(program, "offered", len(routes) - len(absent), (), note)
        tried, late = self._tried(program, offered)
        for check in ("answers", "streams", "calls"):
            own = [one for one in tried if one.check == check]
            notes = [one.note for one in own if one.note]
            if late and not own:
                notes.append(LATE)
            if own or (late and check != "calls"):
                faults = (fault for one in own for fault in one.faults)
                judged = [one for one in own if not one.note]
                yield Result(
                    program, check, len(judged), grouped(check, faults), "; ".join(dict.fromkeys(notes))
                )

    def _tried(self, program: Program, turns: Sequence[RecordedTurn]) -> tuple[list[_Tried], bool]:
        """Return what was sent, and whether the time was up before all was."""
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
        label = f"{turn.what}, a tool required" if sent.is_forced else turn.what
        request = Request(turn.method, turn.path, sent.body, program.headers)
        try:
            answer = self._answer(request)
        except NoAnswer as error:
            return _Tried(check, (no_answer(label, request, error),))
        if not 200 <= answer.status < 300:
            return _refusal(check, label, request, answer)
        faults = tuple(
            FoundFault(one.kind, Instance(label, one.message, request, answer, one.why))
            for one in _breaches(program, turn, sent, answer)
        )
        return _Tried(check, faults, is_answered=True)

    def _answer(self, request: Request) -> Answer:
        """Send a request, and once more if the connection breaks, as clients do. Raises NoAnswer."""
        try:
            return self._client.send(request)
        except NoAnswer as error:
            if isinstance(error.__cause__, httpx.TimeoutException):
                raise
            return self._client.send(request)

    def _is_offered(self, program: Program, turn: RecordedTurn) -> bool:
        """Return whether a path is there: not every request is answered as if it were not."""
        route = (turn.method, turn.route)
        if route not in self._offered:
            body = adapted(turn.route, turn.body, self._model)
            request = Request(turn.method, turn.path, body, program.headers)
            # A server may say 404 of a model; an empty body names none.
            empty = [] if body is ABSENT else [request._replace(body={})]
            self._offered[route] = any(self._is_there(one) for one in (*empty, request))
        return self._offered[route]

    def _is_there(self, request: Request) -> bool:
        try:
            return self._client.send(request).status not in _NOT_THERE
        except NoAnswer:
            return True


def _refusal(check: str, label: str, request: Request, answer: Answer) -> _Tried:
    """Return a fault, unless the model has no room for the request or a tool cannot be required."""
    message = f"{answer.status}: {answer.text[:300]}"
    if 400 <= answer.status < 500 and _NO_ROOM.search(answer.text):
        return _Tried(check, note=f"left out: no room in the model's context for {label}")
    if check == "calls" and 400 <= answer.status < 500:
        return _Tried(check, note=f"left out: no tool can be required ({message[:_MAX_REASON]})")
    instance = Instance(label, message, request, answer, _REFUSED)
    kind = "The server failed" if answer.status >= 500 else "The request is refused"
    return _Tried(check, (FoundFault(kind, instance),))


def _breaches(program: Program, turn: RecordedTurn, sent: SentBody, answer: Answer) -> Iterator[Breach]:
    if turn.is_streamed:
        yield from _stream_breaches(program, turn, sent, answer)
        return
    value = answer.json
    if not isinstance(value, dict):
        message = f"It is {answer.media_type}: {answer.text[:200]!r}"
        yield Breach("The answer is no JSON object", message, "A client parses it")
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
        message = f"It is {answer.media_type or 'of no media type'}; a stream is {_EVENTS}"
        yield Breach("A stream was asked for, and none came", message, "A client reads events from it")
        return
    try:
        events = read_events(answer.body)
    except NotEvents as error:
        yield Breach("The stream cannot be read", str(error), "A client parses each event")
        return
    if not events:
        yield Breach("The stream has no events", answer.text[:200], "A client reads the answer from them")
        return
    failure = next((event for event in events if _is_error(event)), None)
    if failure is not None:
        yield Breach("The stream ends with an error", str(failure.data)[:300], "A client raises it")
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
    """Yield each kind of difference once; the first instance of it tells enough."""
    kinds = set()
    for value in values:
        for breach in schema_breaches((COMMON, *program.schemas), turn.route, part, value):
            if breach.kind not in kinds:
                kinds.add(breach.kind)
                yield breach
