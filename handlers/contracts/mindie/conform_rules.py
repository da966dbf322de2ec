"""The rules of MindIE's contract."""

from typing import Final

from verbatim_kit.conform.document import Json
from verbatim_kit.conform.place import ABSENT, Place, at
from verbatim_kit.conform.rules import (
    Ban,
    Companion,
    Rules,
    all_of,
    has_part_of_type,
    has_value,
    is_one_of,
    lacks,
)

_TOOL: Final = {"type": "function", "function": {"name": "a", "parameters": {"type": "object"}}}
_NO_STOP: Final[dict[Place, Json]] = {("stop",): ABSENT, ("stop_token_ids",): ABSENT}
_CONTENT: Final = ("messages", 0, "content")
_MEDIA: Final = ("image_url", "video_url", "audio_url", "input_audio")
_IS_EMPTY: Final = all_of(
    has_value(("messages", 0, "role"), "assistant"),
    lacks(("messages", 0), "content", "tool_calls", "refusal"),
)


def _has_bare_part(value: Json, body: Json) -> bool:
    """Return whether the first part of the content is an empty object."""
    return bool(at(body, (*_CONTENT, 0)) == {})


def _is_other_than_text(value: Json, body: Json) -> bool:
    part = at(body, (*_CONTENT, 0))
    return has_part_of_type(*_MEDIA)(value, body) or (
        isinstance(part, dict) and any(name in part for name in _MEDIA)
    )


RULES: Final = Rules(
    companions=(
        Companion("*", "n", {("best_of",): ABSENT}, "best_of must be at least n"),
        Companion("*", "best_of", {("n",): ABSENT}, "best_of must be at least n"),
        Companion("*", "top_logprobs", {("logprobs",): True}, "top_logprobs needs logprobs"),
        Companion("*", "tools*", _NO_STOP, "tools and stop cannot be used together"),
        Companion(
            "*", "tool_choice*", {**_NO_STOP, ("tools",): [_TOOL]}, "tool_choice must name one of the tools"
        ),
        Companion("*", "use_beam_search", _NO_STOP, "beam search and stop cannot be used together"),
        Companion(
            "*",
            "messages.[!c]*",
            {_CONTENT: "a"},
            "a message must have content or tool calls",
            _IS_EMPTY,
        ),
        Companion("*", "messages.tool_calls*", {_CONTENT: "a"}, "the messages must not be empty"),
        Companion(
            "*",
            "messages.content.type",
            {(*_CONTENT, 0, "text"): "a"},
            "a part must have the member that its type names",
            is_one_of("text"),
        ),
    ),
    bans=(
        Ban("*", "messages.content*", "a part must have the member that its type names", _has_bare_part),
        Ban("*", "messages.content*", "the model reads only text", _is_other_than_text, True),
        Ban("*", "messages.content", "a message must have content or tool calls", _IS_EMPTY),
    ),
    overload_statuses=(503,),
)
