"""MindIE's."""

from typing import Final

from handlers.conform.document import Json
from handlers.conform.place import ABSENT, Place, at
from handlers.conform.rules.rule import Ban, Companion, Rules, has_part_of_type, is_one_of, says_nothing

_TOOL: Final = {"type": "function", "function": {"name": "a", "parameters": {"type": "object"}}}
_NO_STOP: Final[dict[Place, Json]] = {("stop",): ABSENT, ("stop_token_ids",): ABSENT}
_CONTENT: Final = ("messages", 0, "content")
_MEDIA: Final = ("image_url", "video_url", "audio_url", "input_audio")


def _has_bare_part(value: Json, body: Json) -> bool:
    """Return whether the first part of the content is empty."""
    return bool(at(body, (*_CONTENT, 0)) == {})


def _is_other_than_text(value: Json, body: Json) -> bool:
    part = at(body, (*_CONTENT, 0))
    return has_part_of_type(*_MEDIA)(value, body) or (
        isinstance(part, dict) and any(name in part for name in _MEDIA)
    )


RULES: Final = Rules(
    companions=(
        Companion("*", "n", {("best_of",): ABSENT}, "best_of is at least n"),
        Companion("*", "best_of", {("n",): ABSENT}, "best_of is at least n"),
        Companion("*", "top_logprobs", {("logprobs",): True}, "top_logprobs needs logprobs"),
        Companion("*", "tools*", _NO_STOP, "tools and stop are not used together"),
        Companion("*", "tool_choice*", {**_NO_STOP, ("tools",): [_TOOL]}, "it names one of the tools"),
        Companion("*", "use_beam_search", _NO_STOP, "beam search and stop are not used together"),
        Companion("*", "messages.[!c]*", {_CONTENT: "a"}, "a message has content or calls", says_nothing),
        Companion("*", "messages.tool_calls*", {_CONTENT: "a"}, "the messages have a character"),
        Companion(
            "*",
            "messages.content.type",
            {(*_CONTENT, 0, "text"): "a"},
            "a part has the member that its type names",
            is_one_of("text"),
        ),
    ),
    bans=(
        Ban("*", "messages.content*", "a part has the member that its type names", _has_bare_part),
        Ban("*", "messages.content*", "the model reads text alone", _is_other_than_text, True),
        Ban("*", "messages.content", "a message has content or calls", says_nothing),
    ),
)
