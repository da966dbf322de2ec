"""Programs, and the requests that they send."""

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Final, NamedTuple

from handlers.conform.document import Json
from handlers.conform.place import ABSENT

# Headers without which an API answers nothing.
_HEADERS: Final[Mapping[str, Mapping[str, str]]] = {"anthropic": {"anthropic-version": "2023-06-01"}}


class RecordedTurn(NamedTuple):
    """A request of a program. status: of the answer that the program got. param: the field at fault, if that
    was a refusal.
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
    """contract: the API that it speaks. schemas: sets of its maker's schemas, which answers must satisfy."""

    id: str
    title: str
    contract: str
    headers: Mapping[str, str]
    schemas: tuple[str, ...]
    turns: tuple[RecordedTurn, ...]

    def members(self) -> dict[str, Json]:
        """Return the members that stand for it in report.json."""
        return {"program": self.id, "title": self.title}


def load_profile(name: str) -> list[Program]:
    """Return the programs of a profile, by name."""
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
        tuple(_recorded_turn(one, recorded["exchanges"]) for one in recorded["exchanges"]),
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
