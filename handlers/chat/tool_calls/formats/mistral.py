"""Mistral: a list of objects in the older models, name and arguments apart since Mistral Large 2.1."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

from typing_extensions import override

from handlers.chat.tool_calls.formats.json_object import JsonObjectFormat
from handlers.chat.tool_calls.formats.named_json import NamedJsonFormat
from handlers.chat.tool_calls.ids import MISTRAL_IDS
from handlers.chat.tool_calls.text import IncomingText, Waiting
from handlers.chat.tool_calls.tool_format import Schema

_MAX_ID: Final = 128  # characters of an identifier

MISTRAL_LIST = JsonObjectFormat(
    name="mistral_list",
    marker="[TOOL_CALLS]",
    begin="[TOOL_CALLS][",
    separator=", ",
    end="]",
    holds_many=True,
    ids=MISTRAL_IDS,
    signs=("[TOOL_CALLS]",),
    strangers=("[ARGS]",),
    tokens=("[TOOL_CALLS]",),
)


@dataclass(frozen=True, kw_only=True)
class MistralFormat(NamedJsonFormat):
    """A call may name its identifier between name and arguments."""

    @property
    @override
    def layouts(self) -> Sequence[Self]:
        return (self, replace(self, id_begin="[CALL_ID]"))

    @override
    def read_name(self, text: IncomingText, tools: Mapping[str, Schema]) -> Waiting[tuple[str, str | None]]:
        name = yield from text.literal(*tools)
        yield from text.blanks()
        if (yield from text.literal("[ARGS]", "[CALL_ID]", "")) != "[CALL_ID]":
            return name, None
        return name, (yield from text.until("[ARGS]", limit=_MAX_ID)).strip() or None


MISTRAL = MistralFormat(
    name="mistral",
    marker="[TOOL_CALLS]",
    begin="[TOOL_CALLS]",
    name_end="[ARGS]",
    separator="",
    ids=MISTRAL_IDS,
    signs=("[TOOL_CALLS]", "[ARGS]"),
    tokens=("[TOOL_CALLS]", "[ARGS]"),
)
