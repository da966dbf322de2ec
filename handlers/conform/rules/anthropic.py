"""Anthropic's."""

from typing import Final

from handlers.conform.document import Json
from handlers.conform.place import ABSENT, at
from handlers.conform.rules.rule import Ban, Companion, Rules, has_part_of_type, is_one_of

_TOOL: Final = {"name": "a", "input_schema": {"type": "object"}}
_PART: Final = ("messages", 0, "content", 0)
_FEW_TOKENS: Final = 8  # fewer than any conversation has
_OF_USERS: Final = ("text", "document", "search_result", "tool_result")


def _is_not_of_users(value: Json, body: Json) -> bool:
    """Return whether a user's message has a part that it cannot have, or that only some models read."""
    kind = at(body, (*_PART, "type"))
    return isinstance(kind, str) and kind not in _OF_USERS


def _has_no_plain_source(value: Json, body: Json) -> bool:
    """Return whether a document is not given as text."""
    return at(body, (*_PART, "source", "type")) in ("base64", "url", "file") or has_part_of_type("image")(
        value, body
    )


def _is_long(value: Json, body: Json) -> bool:
    return isinstance(value, str) and len(value) > 400


def _is_compaction(value: Json, body: Json) -> bool:
    """Return whether the conversation is long enough for a summary of it."""
    edit = at(body, ("context_management", "edits", 0))
    is_compaction = isinstance(edit, dict) and edit.get("type") == "compact_20260112"
    trigger = at(edit, ("trigger", "value")) if is_compaction else ABSENT
    return isinstance(trigger, int | float) and trigger < _FEW_TOKENS


def _is_not_direct(value: Json, body: Json) -> bool:
    return "direct" not in at(body, ("tools", 0, "allowed_callers"))


RULES: Final = Rules(
    companions=(Companion("*", "tool_choice*", {("tools",): [_TOOL]}, "it names one of the tools"),),
    bans=(
        Ban("*", "messages.content*", "not every model reads it, or not of a user", _is_not_of_users, True),
        Ban("*", "messages.content.source*", "the model reads text alone", _has_no_plain_source, True),
        Ban(
            "*",
            "messages.content.*",
            "it answers a call that stands before it",
            has_part_of_type("tool_result"),
        ),
        Ban("*/messages", "messages.content.title", "the context is shorter", _is_long, True),
        Ban("*/messages", "messages.content.context", "the context is shorter", _is_long, True),
        Ban("*", "messages.content", "a user says something", is_one_of([])),
        Ban("*", "*citations.enabled", "the model tells no sources", is_one_of(True), True),
        Ban("*/messages", "thinking*", "the context is shorter", has_part_of_type("enabled"), True),
        Ban("*", "context_management*", "no summary is written", _is_compaction, True),
        Ban("*", "tools.allowed_callers", "nothing here runs code", _is_not_direct, True),
    ),
)
