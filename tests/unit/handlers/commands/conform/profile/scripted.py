"""A server that answers the shapes of one exchange well, or as a test says, without a network."""

import json
from collections.abc import Callable
from typing import Any, Final

from typing_extensions import override

from handlers.commands.conform.profile.program import Program, RecordedTurn
from handlers.commands.conform.profile.replay import Replay
from verbatim_kit.conform.checks.checks import RunLimits
from verbatim_kit.conform.client import Answer, Client
from verbatim_kit.conform.finding import Result
from verbatim_kit.conform.request import Request

Reply = Callable[[Request], Answer]
Json = Any

LIMITS: Final = RunLimits(0, 10)


class ScriptedClient(Client):
    """A client whose requests are answered by a function; it keeps them."""

    def __init__(self, reply: Reply) -> None:
        super().__init__("http://test", {}, 10)
        self._reply = reply
        self.sent: list[Request] = []

    @override
    def send(self, request: Request) -> Answer:
        self.sent.append(request)
        return self._reply(request)


def whole(value: Json, status: int = 200, media_type: str = "application/json") -> Answer:
    return Answer(status, (("content-type", media_type),), json.dumps(value).encode(), 0.0)


def stream(events: list[Json], names: bool = False, media_type: str = "text/event-stream") -> Answer:
    """A stream of these events. names: whether each has its type in an `event` line."""
    frames = [
        (f"event: {event['type']}\n" if names else "") + f"data: {json.dumps(event)}\n\n" for event in events
    ]
    return Answer(200, (("content-type", media_type),), "".join(frames).encode(), 0.0)


def program(path: str, *bodies: Json, schemas: tuple[str, ...] = ("ai_sdk",)) -> Program:
    turns = tuple(
        RecordedTurn(f"request {number}", "POST", path, body, 200, None) for number, body in enumerate(bodies)
    )
    return Program("tested", "A program that is tested", "openai", {}, schemas, turns)


def results(tested: Program, reply: Reply, limits: RunLimits = LIMITS) -> dict[str, Result]:
    """The results of a replay, by check."""
    client = ScriptedClient(reply)
    found = list(Replay(client, "small", limits, lambda text: None).results([tested]))
    client.close()
    return {result.check: result for result in found}


def kinds(found: dict[str, Result]) -> set[str]:
    """The kinds of faults that were found."""
    return {finding.title for result in found.values() for finding in result.findings}
