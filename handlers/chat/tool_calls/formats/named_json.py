"""Calls that are a name and a JSON object between tags: DeepSeek, Kimi, Mistral's newer form."""

from collections.abc import Mapping
from dataclasses import dataclass

from typing_extensions import override

from handlers.chat.structured_output.structural_tag import const, json_value, optional, regex, sequence
from handlers.chat.tool_calls.lenient_json import FENCE, expect_arguments, read_arguments
from handlers.chat.tool_calls.text import CallBegin, CallEnd, IncomingText, Reading, Waiting
from handlers.chat.tool_calls.tool_format import BoundTool, CallSyntax, Schema, ToolFormat


@dataclass(frozen=True, kw_only=True)
class NamedJsonFormat(ToolFormat):
    """A call is `call_begin` NAME `name_end` ARGUMENTS `call_end`.

    id_begin: the text between the name and the call's identifier, where templates write it there.
    """

    call_begin: str = ""
    id_begin: str = ""
    name_end: str
    call_end: str = ""

    @property
    @override
    def tags(self) -> tuple[str, ...]:
        return (*super().tags, self.call_begin, self.name_end, self.call_end)

    @property
    @override
    def closes(self) -> tuple[str, ...]:
        return (*super().closes, *filter(None, [self.call_end.strip().removeprefix(FENCE)]))

    @property
    def sign(self) -> str:
        """The text that every call begins with."""
        return self.call_begin

    @override
    def read(self, text: IncomingText, tools: Mapping[str, Schema], *, is_bound: bool) -> Reading[None]:
        yield from text.blanks()
        yield from text.literal(
            self.begin, *(stray for stray in self.strays if not self.sign.startswith(stray)), ""
        )
        while True:
            yield from self._read_call(text, tools)
            yield CallEnd()
            if not self.holds_many:
                break
            following = yield from text.ending(*self.closes, self.sign, "")
            while following in self.closes:
                following = yield from text.ending(*self.closes, self.sign, "")
            if following != self.sign:
                break
            text.go_back(len(self.sign))

    def _read_call(self, text: IncomingText, tools: Mapping[str, Schema]) -> Reading[None]:
        yield from text.spaced(self.sign)
        name, id = yield from self.read_name(text, tools)
        yield from expect_arguments(text, ends=self.closes)
        yield CallBegin(name, id)
        yield from read_arguments(text, ends=self.closes)

    def read_name(self, text: IncomingText, tools: Mapping[str, Schema]) -> Waiting[tuple[str, str | None]]:
        """Read the text before the arguments; return the name, and the call's identifier if the model wrote
        one.
        """
        name = yield from text.literal(*tools)
        yield from text.blanks()
        # The arguments have a code fence of their own; and their brace is a sign of its own too.
        yield from text.literal(self.name_end.replace(f"{FENCE}json", "").strip(), "")
        return name, None

    @override
    def call(self, tool: BoundTool) -> CallSyntax:
        begin, arguments = self.call_begin + tool.name, json_value(tool.schema)
        if not self.id_begin:
            return CallSyntax(begin=begin + self.name_end, arguments=arguments, end=self.call_end)
        id = optional(sequence(const(self.id_begin), regex(self.ids.pattern)))
        arguments = sequence(id, const(self.name_end), arguments)
        return CallSyntax(begin=begin, arguments=arguments, end=self.call_end)

    @override
    def write_call(self, name: str, arguments: str) -> str:
        id = f"{self.id_begin}0" if self.id_begin else ""
        return self.call_begin + name + id + self.name_end + arguments + self.call_end
