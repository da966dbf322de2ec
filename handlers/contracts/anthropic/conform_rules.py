"""The rules of Anthropic's contract."""

from typing import Final

from verbatim_kit.conform.document import Json
from verbatim_kit.conform.place import ABSENT, at
from verbatim_kit.conform.rules import Ban, Companion, Rules, has_part_of_type, is_one_of

_TOOL: Final = {"name": "a", "input_schema": {"type": "object"}}
_PART: Final = ("messages", 0, "content", 0)
_FEW_TOKENS: Final = 8  # any conversation has more
_USER_PARTS: Final = ("text", "document", "search_result", "tool_result")


def _has_other_part(value: Json, body: Json) -> bool:
    """Return whether a user's message has a part that is not allowed or that only some models read."""
    kind = at(body, (*_PART, "type"))
    return isinstance(kind, str) and kind not in _USER_PARTS


def _has_no_plain_source(value: Json, body: Json) -> bool:
    """Return whether a document has a source other than text."""
    return at(body, (*_PART, "source", "type")) in ("base64", "url", "file") or has_part_of_type("image")(
        value, body
    )


def _is_long(value: Json, body: Json) -> bool:
    return isinstance(value, str) and len(value) > 400


def _is_compaction(value: Json, body: Json) -> bool:
    """Return whether the conversation is long enough to be compacted, which needs a summary."""
    edit = at(body, ("context_management", "edits", 0))
    is_compaction = isinstance(edit, dict) and edit.get("type") == "compact_20260112"
    trigger = at(edit, ("trigger", "value")) if is_compaction else ABSENT
    return isinstance(trigger, int | float) and trigger < _FEW_TOKENS


def _is_not_direct(value: Json, body: Json) -> bool:
    return "direct" not in at(body, ("tools", 0, "allowed_callers"))


RULES: Final = Rules(
    companions=(
        Companion("*", "tool_choice*", {("tools",): [_TOOL]}, "tool_choice must name one of the tools"),
    ),
    bans=(
        Ban(
            "*",
            "messages.content*",
            "only some models read it, or user messages cannot have it",
            _has_other_part,
            True,
        ),
        Ban("*", "messages.content.source*", "the model reads only text", _has_no_plain_source, True),
        Ban(
            "*",
            "messages.content.*",
            "a tool result must follow its tool call",
            has_part_of_type("tool_result"),
        ),
        Ban("*/messages", "messages.content.title", "it exceeds the context", _is_long, True),
        Ban("*/messages", "messages.content.context", "it exceeds the context", _is_long, True),
        Ban("*", "messages.content", "a user message must not be empty", is_one_of([])),
        Ban("*", "*citations.enabled", "the model does not cite sources", is_one_of(True), True),
        *(
            Ban(operation, "thinking*", "it exceeds the context", has_part_of_type("enabled"), True)
            for operation in ("*/messages", "*/render")
        ),
        Ban("*", "context_management*", "the server does not write summaries", _is_compaction, True),
        Ban("*", "tools.allowed_callers", "the server does not run code", _is_not_direct, True),
    ),
    overload_statuses=(529,),
)
