"""A model's turn, whatever the API calls its parts, and what every agent needs of it."""

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import jsonschema_rs

from handlers.conform.document import Json
from handlers.conform.profile.adapting import format_schema, tool_names


class Breach(NamedTuple):
    """A way in which an answer keeps a program from going on. why: the reason that it matters."""

    kind: str
    message: str
    why: str


class SentBody(NamedTuple):
    """A request that was answered. is_forced: whether it must be answered with a call of a tool."""

    body: Json
    is_forced: bool = False


class Call(NamedTuple):
    """A call of a function; whatever the server sent stands in it."""

    id: Any
    name: Any
    arguments: Any


class Turn(NamedTuple):
    """is_cut: whether the limit of tokens ended it.

    says_calls: whether its reason of ending says that tools are called; None if the API has no such reason.
    """

    text: str
    calls: tuple[Call, ...]
    is_cut: bool
    says_calls: bool | None


_RESULT: Final = "A program answers a call by its id, and runs the function of its name with its arguments"
_LOOP: Final = "An agent runs tools and asks again only if the reason says so; otherwise it ends its work"


def turn_breaches(sent: SentBody, turn: Turn) -> Iterator[Breach]:
    """Yield what an agent could not go on with. The model's own choices are no breach."""
    yield from _id_breaches(turn)
    if turn.is_cut:
        return
    if sent.is_forced:
        yield from _forced_breaches(sent, turn)
    if turn.calls and turn.says_calls is False and not _names_function(sent.body):
        yield Breach("The reason of ending does not say that tools are called", f"{turn.calls[0]}", _LOOP)
    schema = format_schema(sent.body)
    if schema is not None and not turn.calls:
        yield from _format_breaches(schema, turn.text)


def _names_function(body: Json) -> bool:
    """Return whether one function is demanded by its name: OpenAI itself then says `stop` after the call."""
    choice = body.get("tool_choice")
    return isinstance(choice, dict) and choice.get("type") == "function"


def _id_breaches(turn: Turn) -> Iterator[Breach]:
    ids = [call.id for call in turn.calls]
    for call in turn.calls:
        if not isinstance(call.id, str) or not call.id:
            yield Breach("A call has no id", f"{call}", _RESULT)
        elif ids.count(call.id) > 1:
            yield Breach("Two calls have one id", call.id, _RESULT)
        if not isinstance(call.name, str) or not call.name:
            yield Breach("A call has no name", f"{call}", _RESULT)


def _forced_breaches(sent: SentBody, turn: Turn) -> Iterator[Breach]:
    if not turn.calls:
        message = (
            f"tool_choice is {json.dumps(sent.body['tool_choice'])}; the answer says {turn.text[:200]!r}"
        )
        yield Breach("A call of a tool was required, and none came", message, "It was asked for")
    names = tool_names(sent.body)
    for call in turn.calls:
        # The functions of a namespace are called by a longer name.
        if isinstance(call.name, str) and not any(call.name.endswith(name) for name in names):
            yield Breach("A forced call names no function of the request", call.name, _RESULT)
        if not _is_object(call.arguments):
            yield Breach("The arguments of a forced call are no JSON object", f"{call}", _RESULT)


def _is_object(arguments: Any) -> bool:
    try:
        value = json.loads(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        return False
    return isinstance(value, dict)


def _format_breaches(schema: Json, text: str) -> Iterator[Breach]:
    kind = "The text is not JSON of the schema that was asked for"
    why = "A program that asks for an object reads it at once, and raises an error if it cannot"
    try:
        value = json.loads(text)
    except ValueError:
        yield Breach(kind, f"It is {text[:200]!r}", why)
        return
    if (error := next(jsonschema_rs.iter_errors(schema, value), None)) is not None:
        yield Breach(kind, str(error)[:300], why)
