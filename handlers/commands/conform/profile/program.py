"""Client programs and the requests recorded from them."""

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Final, NamedTuple

from verbatim_kit.conform.document import Json
from verbatim_kit.conform.place import ABSENT

# Headers that an API requires in every request.
_HEADERS: Final[Mapping[str, Mapping[str, str]]] = {"anthropic": {"anthropic-version": "2023-06-01"}}


class RecordedTurn(NamedTuple):
    """A recorded request of a program.

    what: a short description. status: status of the recorded answer. param: the field named by the
    recorded error; None without one.
    """

    what: str
    method: str
    path: str
    body: Json
    status: int
    param: str | None

    @property
    def route(self) -> str:
        """The path without its query."""
        return self.path.partition("?")[0]

    @property
    def is_streamed(self) -> bool:
        return isinstance(self.body, Mapping) and self.body.get("stream") is True


class Program(NamedTuple):
    """A client program.

    contract: the API that it uses. headers: sent with every request. schemas: names of the sets of schemas,
    written by the program's authors, that answers must satisfy. turns: its requests in order.
    """

    id: str
    title: str
    contract: str
    headers: Mapping[str, str]
    schemas: tuple[str, ...]
    turns: tuple[RecordedTurn, ...]

    def members(self) -> dict[str, Json]:
        """Return the members that identify the program in report.json."""
        return {"program": self.id, "title": self.title}


def load_profile(name: str) -> list[Program]:
    """Return the programs of a profile, sorted by file name."""
    found = sorted(files(f"{__package__}.{name}").iterdir(), key=lambda file: file.name)
    return [
        _program(file.name.removesuffix(".json"), json.loads(file.read_text("utf-8")))
        for file in found
        if file.name.endswith(".json")
    ]


def _program(identity: str, recorded: Json) -> Program:
    contract = recorded.get("contract", "openai")
    return Program(
        identity,
        recorded["program"],
        contract,
        {**_HEADERS.get(contract, {}), **recorded.get("headers", {})},
        tuple(recorded.get("schemas", ())),
        tuple(_recorded_turn(exchange, recorded["exchanges"]) for exchange in recorded["exchanges"]),
    )


def _recorded_turn(recorded: Json, turns: Sequence[Json]) -> RecordedTurn:
    same = {name: turns[number]["body"][name] for name, number in recorded.get("same", {}).items()}
    return RecordedTurn(
        recorded["what"],
        recorded.get("method", "POST"),
        recorded["path"],
        {**recorded["body"], **same} if same else recorded.get("body", ABSENT),
        recorded["status"],
        recorded.get("param"),
    )
