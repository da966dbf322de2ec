"""Kimi K2, whose identifiers name the function and are counted through the conversation."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from typing_extensions import override

from handlers.chat.structured_output.structural_tag import const, regex, sequence
from handlers.chat.tool_calls.formats.named_json import NamedJsonFormat
from handlers.chat.tool_calls.ids import KIMI_IDS
from handlers.chat.tool_calls.text import IncomingText, Malformed, Waiting
from handlers.chat.tool_calls.tool_format import BoundTool, CallSyntax, Schema

_HEADER: Final = re.compile(r"[^<{]+")
_MAX_HEADER: Final = 512  # characters
_PREFIX: Final = re.compile(r"functions\s*[._]?\s*")
_DIGITS: Final = "0123456789"


@dataclass(frozen=True, kw_only=True)
class KimiFormat(NamedJsonFormat):
    """A call's name is followed by a colon and its number. Prefix and number may be missing."""

    @property
    @override
    def sign(self) -> str:
        return self.call_begin.removesuffix("functions.")

    @override
    def read_name(self, text: IncomingText, tools: Mapping[str, Schema]) -> Waiting[tuple[str, str | None]]:
        header = text.run_of(_HEADER)
        while text.is_read and len(header) <= _MAX_HEADER:
            yield from text.more()
            header += text.run_of(_HEADER)
        found = _callee(header.strip(), tools) if len(header) <= _MAX_HEADER else None
        if found is None:
            raise Malformed
        yield from text.literal(self.name_end, "")
        name, number = found
        return name, f"functions.{name}:{int(number)}" if number else None

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


def _callee(header: str, tools: Collection[str]) -> tuple[str, str | None] | None:
    """Return the tool that a header names, and the call's number if it has one."""
    prefix = _PREFIX.match(header)
    for written in (header, header[prefix.end() :] if prefix else header):
        if written in tools:
            return written, None
        unnumbered = written.rstrip(_DIGITS)
        name = unnumbered.rstrip()
        name = name[:-1].rstrip() if name.endswith((":", "_")) and name not in tools else name
        if name in tools:
            return name, written[len(unnumbered) :]
    return None


KIMI_K2 = KimiFormat(
    name="kimi_k2",
    marker="<|tool_calls_section_begin|>",
    begin="<|tool_calls_section_begin|>",
    call_begin="<|tool_call_begin|>functions.",
    name_end="<|tool_call_argument_begin|>",
    call_end="<|tool_call_end|>",
    separator="",
    end="<|tool_calls_section_end|>",
    strays=("<|tool_call_begin|>", "<|tool_call_section_begin|>"),
    stray_ends=("<|tool_call_section_end|>",),
    holds_many=True,
    ids=KIMI_IDS,
    signs=("<|tool_calls_section_begin|>",),
    tokens=("<|tool_calls_section_begin|>",),  # the first templates said nothing of calls
)
