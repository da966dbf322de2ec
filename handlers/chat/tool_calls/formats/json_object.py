"""Calls that are JSON objects holding name and arguments: Hermes, Llama, Mistral's older form, and others."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import msgspec
from typing_extensions import override

from handlers.chat.form.structural_tag import const, json_value, optional, regex, sequence
from handlers.chat.tool_calls.json_span import JsonSpan
from handlers.chat.tool_calls.text import (
    CallArguments,
    CallBegin,
    CallEnd,
    EndOfText,
    IncomingText,
    Malformed,
    Reading,
)
from handlers.chat.tool_calls.tool_format import BoundTool, CallSyntax, Schema, ToolFormat

# The start of a call whose object has not ended: its name and what there is of its arguments.
_UNENDED = re.compile(
    r'\s*\{\s*"name"\s*:\s*(?P<name>"(?:[^"\\]|\\.)*")\s*,\s*"(?:arguments|parameters)"\s*:\s*(?P<rest>\{.*)',
    re.DOTALL,
)


_NUMBER = '"0"'
_ID_BEGIN = ', "id": "'


class WrittenCall(msgspec.Struct, frozen=True):
    """A call as models write it, with either key for its name and for its arguments, which are an undecoded
    JSON object.
    """

    name: str = ""
    tool_name: str = ""
    arguments: msgspec.Raw = msgspec.Raw(b"")
    parameters: msgspec.Raw = msgspec.Raw(b"")

    @classmethod
    def parse(cls, text: str) -> tuple[str, str] | None:
        """Return the name and the unchanged arguments of a call's JSON text; None if it is no call."""
        try:
            call = msgspec.json.decode(text, type=cls)
        except (msgspec.MsgspecError, RecursionError):  # nested deeper than any decoder goes
            return None
        if not (name := call.name or call.tool_name):
            return _only_member(text)
        return name, (bytes(call.arguments) or bytes(call.parameters) or b"{}").decode()


@dataclass(frozen=True, kw_only=True)
class JsonObjectFormat(ToolFormat):
    """A call is an object; a block holds one, or a list of them.

    object_begin: the object up to the arguments, with the name in place of %s, and "0" for any number.
    object_end: the text that follows the arguments.
    id_begin: the text between the arguments and the call's identifier where templates write it there; it is
        read and dropped, as a call is emitted before.
    """

    object_begin: str = '{"name": %s, "arguments": '
    object_end: str = "}"
    id_begin: str = ""

    @property
    @override
    def layouts(self) -> Sequence[Self]:
        return (self, replace(self, id_begin=_ID_BEGIN))

    @override
    def read(self, text: IncomingText, tools: Mapping[str, Schema], *, is_bound: bool) -> Reading[None]:
        yield from text.literal(self.marker, *([""] if self.start else []))
        yield from text.blanks()
        is_list = bool((yield from text.literal("[", "")))
        while True:
            yield from text.blanks()
            yield from self.read_object(text, tools, is_bound=is_bound)
            if not is_list:
                break
            yield CallEnd()
            if (yield from text.ending(",", "]")) != ",":
                break
        if closing := self.end.strip().removeprefix("]"):
            yield from text.ending(closing)
        if not is_list:
            yield CallEnd()

    def read_object(
        self, text: IncomingText, tools: Mapping[str, Schema], *, is_bound: bool
    ) -> Reading[None]:
        """Read one call up to its end, for which no piece is emitted."""
        name = (yield from self._read_head(text, tools)) if is_bound else None
        if name is None:
            yield from _read_whole_object(text)
            return
        yield CallBegin(name)
        yield from text.json_object()
        if self.id_begin and (yield from text.ending(self.id_begin, "")):
            yield from text.until('"')
        yield from text.ending(self.object_end)

    def _read_head(self, text: IncomingText, tools: Mapping[str, Schema]) -> Reading[str | None]:
        """Read a call up to its arguments and return its name; read nothing where it is written otherwise."""
        before, number, _ = self.object_begin.partition(_NUMBER)
        read = ""
        if number:
            if not (yield from text.literal(before + '"', "")):
                return None
            read = f'{before}"' + (yield from text.until('"')) + '"'
        heads = {self._head(name).removeprefix(before + number) + "{": name for name in tools}
        head = yield from text.literal(*heads, "")
        text.go_back(1 if head else len(read))
        return heads.get(head)

    def _head(self, name: str) -> str:
        return self.object_begin % json.dumps(name, ensure_ascii=False)

    @override
    def call(self, tool: BoundTool) -> CallSyntax:
        begin, number, end = self._head(tool.name).partition(_NUMBER)
        arguments = json_value(tool.schema)
        if self.id_begin:
            id = sequence(const(self.id_begin), regex(f'{self.ids.pattern}"'))
            arguments = sequence(arguments, optional(id))
        if number:
            arguments = sequence(regex(r'"\d{1,4}"'), const(end), arguments)
        return CallSyntax(begin=begin, arguments=arguments, end=self.object_end)

    @override
    def write_call(self, name: str, arguments: str) -> str:
        id = f'{self.id_begin}0"' if self.id_begin else ""
        return self._head(name) + arguments + id + self.object_end


def _only_member(text: str) -> tuple[str, str] | None:
    """Return the name and the arguments of a call written as {NAME: ARGUMENTS}; None if it is none."""
    try:
        [(name, arguments)] = msgspec.json.decode(text, type=dict[str, msgspec.Raw]).items()
    except ValueError:
        return None
    return name, bytes(arguments).decode()


def _read_whole_object(text: IncomingText) -> Reading[None]:
    """Read a call whose object may have its keys in any order, so that it is known only at its end."""
    if (yield from text.peek()) != "{":
        raise Malformed
    span, written = JsonSpan(), ""
    while True:
        unread = text.unread
        end = span.feed(unread)
        written += text.take(len(unread) if end is None else end)
        if end is not None:
            break
        if text.is_final:
            yield from _read_unended(written)
            raise EndOfText
        yield None
    call = WrittenCall.parse(written)
    if call is None:
        raise Malformed
    yield CallBegin(call[0])
    yield CallArguments(call[1])


def _read_unended(written: str) -> Reading[None]:
    if found := _UNENDED.match(written):
        try:
            name = json.loads(found["name"])
        except ValueError:
            raise Malformed from None
        yield CallBegin(name)
        yield CallArguments(found["rest"])
