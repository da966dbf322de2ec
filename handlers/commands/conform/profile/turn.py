"""A model's turn, independent of the API, and the properties that every agent needs in it."""

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import jsonschema_rs

from handlers.commands.conform.profile.adapting import format_schema, tool_names
from verbatim_kit.conform.document import Json


class Breach(NamedTuple):
    """A property of an answer that stops a program. why: the reason it matters to the program."""

    kind: str
    message: str
    why: str


class SentBody(NamedTuple):
    """The body of an answered request. is_forced: the request requires a tool call."""

    body: Json
    is_forced: bool = False


class Call(NamedTuple):
    """A function call; the values are unvalidated, as the server sent them."""

    id: Any
    name: Any
    arguments: Any


class Turn(NamedTuple):
    """A model's turn.

    is_cut: the token limit ended it. says_calls: the finish reason states that tools are called; None if the
    API has no such finish reason.
    """

    text: str
    calls: tuple[Call, ...]
    is_cut: bool
    says_calls: bool | None


_RESULT: Final = (
    "Programs run the named function with these arguments, and return its result by the call's id"
)
_LOOP: Final = "An agent runs tools and continues only if the finish reason says so; otherwise it stops"


def turn_breaches(sent: SentBody, turn: Turn) -> Iterator[Breach]:
    """Yield the breaches that stop an agent. The model's own choices are not breaches."""
    yield from _id_breaches(turn)
    if turn.is_cut:
        return
    if sent.is_forced:
        yield from _forced_breaches(sent, turn)
    if turn.calls and turn.says_calls is False and not _names_function(sent.body):
        yield Breach("The finish reason does not say that tools are called", f"{turn.calls[0]}", _LOOP)
    schema = format_schema(sent.body)
    if schema is not None and not turn.calls:
        yield from _format_breaches(schema, turn.text)


def _names_function(body: Json) -> bool:
    """Return whether a function is forced by name; OpenAI then sends the finish reason `stop`."""
    choice = body.get("tool_choice")
    return isinstance(choice, dict) and choice.get("type") == "function"


def _id_breaches(turn: Turn) -> Iterator[Breach]:
    ids = [call.id for call in turn.calls]
    for call in turn.calls:
        if not isinstance(call.id, str) or not call.id:
            yield Breach("A call has no id", f"{call}", _RESULT)
        elif ids.count(call.id) > 1:
            yield Breach("Two calls have the same id", call.id, _RESULT)
        if not isinstance(call.name, str) or not call.name:
            yield Breach("A call has no name", f"{call}", _RESULT)


def _forced_breaches(sent: SentBody, turn: Turn) -> Iterator[Breach]:
    if not turn.calls:
        message = f"tool_choice is {json.dumps(sent.body['tool_choice'])}; the answer is {turn.text[:200]!r}"
        yield Breach("A required tool call is missing", message, "The request requires a tool call")
    names = tool_names(sent.body)
    for call in turn.calls:
        # The functions of a namespace are called by a longer name.
        if isinstance(call.name, str) and not any(call.name.endswith(name) for name in names):
            yield Breach("A forced call does not name a function of the request", call.name, _RESULT)
        if not _is_object(call.arguments):
            yield Breach("The arguments of a forced call are not a JSON object", f"{call}", _RESULT)


def _is_object(arguments: Any) -> bool:
    try:
        value = json.loads(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        return False
    return isinstance(value, dict)


def _format_breaches(schema: Json, text: str) -> Iterator[Breach]:
    kind = "The text does not match the requested JSON Schema"
    why = "A program that requests a JSON object parses it, and raises an error if that fails"
    try:
        value = json.loads(text)
    except ValueError:
        yield Breach(kind, f"The text is {text[:200]!r}", why)
        return
    if (error := next(jsonschema_rs.iter_errors(schema, value), None)) is not None:
        yield Breach(kind, str(error)[:300], why)
