"""Mistral: a list of objects in the older models, name and arguments apart since Mistral Large 2.1."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from typing_extensions import override

from handlers.chat.tool_calls.formats.json_object import JsonObjectFormat
from handlers.chat.tool_calls.formats.named_json import NamedJsonFormat
from handlers.chat.tool_calls.ids import MISTRAL_IDS
from handlers.chat.tool_calls.text import IncomingText, Reading

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
    def read_id(self, text: IncomingText, name: str) -> Reading[str | None]:
        if (yield from text.literal("[ARGS]", "[CALL_ID]")) == "[ARGS]":
            return None
        return (yield from text.until("[ARGS]")).strip() or None


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
