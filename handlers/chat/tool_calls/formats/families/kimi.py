"""Kimi K2, whose identifiers name the function and are counted through the conversation."""

import re
from dataclasses import dataclass

from typing_extensions import override

from handlers.chat.form.structural_tag import const, regex, sequence
from handlers.chat.tool_calls.formats.named_json import NamedJsonFormat
from handlers.chat.tool_calls.ids import KIMI_IDS
from handlers.chat.tool_calls.text import IncomingText, Malformed, Reading
from handlers.chat.tool_calls.tool_format import BoundTool, CallSyntax


@dataclass(frozen=True, kw_only=True)
class KimiFormat(NamedJsonFormat):
    """A call's name is followed by a colon and its number."""

    @override
    def read_id(self, text: IncomingText, name: str) -> Reading[str | None]:
        number = (yield from text.until(self.name_end)).strip()
        if not re.fullmatch(r":\d{1,9}", number):
            raise Malformed
        return f"functions.{name}{number}"

    @override
    def call(self, tool: BoundTool) -> CallSyntax:
        syntax = super().call(tool)
        return CallSyntax(
            begin=f"{self.call_begin}{tool.name}:",
            arguments=sequence(regex(r"\d{1,4}"), const(self.name_end), syntax.arguments),
            end=syntax.end,
        )

    @override
    def write_call(self, name: str, arguments: str) -> str:
        return super().write_call(f"{name}:0", arguments)


KIMI_K2 = KimiFormat(
    name="kimi_k2",
    marker="<|tool_calls_section_begin|>",
    begin="<|tool_calls_section_begin|>",
    call_begin="<|tool_call_begin|>functions.",
    name_end="<|tool_call_argument_begin|>",
    call_end="<|tool_call_end|>",
    separator="",
    end="<|tool_calls_section_end|>",
    holds_many=True,
    ids=KIMI_IDS,
    signs=("<|tool_calls_section_begin|>",),
    tokens=("<|tool_calls_section_begin|>",),  # the first templates said nothing of calls
)
