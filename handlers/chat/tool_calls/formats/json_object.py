"""Calls that are JSON objects holding name and arguments: Hermes, Llama, Mistral's older form, and others."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
from typing_extensions import override

from handlers.chat.form.structural_tag import json_value
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


class WrittenCall(msgspec.Struct, frozen=True):
    """A call as models write it, with either key for its arguments, which are an undecoded JSON object."""

    name: str
    arguments: msgspec.Raw = msgspec.Raw(b"")
    parameters: msgspec.Raw = msgspec.Raw(b"")

    @classmethod
    def parse(cls, text: str) -> tuple[str, str] | None:
        """Return the name and the unchanged arguments of a call's JSON text; None if it is no call."""
        try:
            call = msgspec.json.decode(text, type=cls)
        except (msgspec.MsgspecError, RecursionError):  # nested deeper than any decoder goes
            return None
        return call.name, (bytes(call.arguments) or bytes(call.parameters) or b"{}").decode()


@dataclass(frozen=True, kw_only=True)
class JsonObjectFormat(ToolFormat):
    """A call is an object; a block holds one, or a list of them.

    object_begin: the object up to the arguments, with the name in place of %s.
    object_end: the text that follows the arguments.
    """

    object_begin: str = '{"name": %s, "arguments": '
    object_end: str = "}"

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
        heads = {self._head(name) + "{": name for name in tools} if is_bound else {}
        head = yield from text.literal(*heads, "")
        if not head:
            yield from _read_whole_object(text)
            return
        text.go_back(1)
        yield CallBegin(heads[head])
        yield from text.json_object()
        yield from text.ending(self.object_end)

    def _head(self, name: str) -> str:
        return self.object_begin % json.dumps(name, ensure_ascii=False)

    @override
    def call(self, tool: BoundTool) -> CallSyntax:
        arguments = json_value(tool.schema)
        return CallSyntax(begin=self._head(tool.name), arguments=arguments, end=self.object_end)

    @override
    def write_call(self, name: str, arguments: str) -> str:
        return self._head(name) + arguments + self.object_end


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
