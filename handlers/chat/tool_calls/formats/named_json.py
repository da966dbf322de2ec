"""Calls that are a name and a JSON object between tags: DeepSeek, Kimi, Mistral's newer form."""

from collections.abc import Mapping
from dataclasses import dataclass

from typing_extensions import override

from handlers.chat.form.structural_tag import const, json_value, optional, regex, sequence
from handlers.chat.tool_calls.text import CallBegin, CallEnd, IncomingText, Reading
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

    @override
    def read(self, text: IncomingText, tools: Mapping[str, Schema], *, is_bound: bool) -> Reading[None]:
        yield from text.spaced(self.begin)
        while True:
            yield from self._read_call(text, tools)
            yield CallEnd()
            if not self.holds_many:
                break
            if (yield from text.ending(self.call_begin, self.end)) != self.call_begin:
                break
            text.go_back(len(self.call_begin))

    def _read_call(self, text: IncomingText, tools: Mapping[str, Schema]) -> Reading[None]:
        yield from text.spaced(self.call_begin)
        name = yield from text.literal(*tools)
        id = yield from self.read_id(text, name)
        yield CallBegin(name, id)
        yield from text.blanks()
        yield from text.json_object()
        if self.call_end:
            yield from text.ending(self.call_end.strip())

    def read_id(self, text: IncomingText, name: str) -> Reading[str | None]:
        """Read the text between name and arguments, and return the call's identifier if the
        model wrote one.
        """
        yield from text.spaced(self.name_end)
        return None

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
