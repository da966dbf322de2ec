"""Calls that are JSON objects holding name and arguments: Hermes, Llama, Mistral's older form, and others."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

from typing_extensions import override

from handlers.chat.structured_output.structural_tag import const, json_value, optional, regex, sequence
from handlers.chat.tool_calls.lenient_json import (
    captured,
    expect_arguments,
    open_fence,
    read_arguments,
    read_value,
)
from handlers.chat.tool_calls.text import (
    CallArguments,
    CallBegin,
    CallEnd,
    EndOfText,
    IncomingText,
    Malformed,
    Reading,
    Waiting,
)
from handlers.chat.tool_calls.tool_format import BoundTool, CallSyntax, Schema, ToolFormat

_ARGUMENTS: Final = ("arguments", "parameters")
# Of these "function" may also hold both, in OpenAI's shape, and "tool_name" is Cohere's.
_NAMES: Final = ("name", "function", "tool_name")
_WITHOUT_EFFECT: Final = ("type", "id", "tool_call_id")
# An object without a tag before it is a call only if its first key is one of a call's.
_FIRST_KEYS: Final = tuple(
    f"{quote}{key}{quote}" for key in (*_NAMES, *_ARGUMENTS, *_WITHOUT_EFFECT) for quote in "'\""
)
_MAX_EXTRA_BRACES: Final = 2
_NUMBER: Final = '"0"'
_ID_BEGIN: Final = ', "id": "'


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
        is_tagged = bool((yield from text.literal(*self.openings, "")))
        yield from text.blanks()
        fence = (yield from open_fence(text)) if is_tagged else ()
        is_list = bool((yield from text.literal("[", "")))
        closing = self.end.strip().removeprefix("]")
        ends = (*([closing] if closing else []), *fence)
        while True:
            yield from text.blanks()
            yield from self.read_object(text, tools, is_bound=is_bound, is_tagged=is_tagged, ends=ends)
            yield from _skip_extra_braces(text)
            if is_list or not ends:
                yield CallEnd()
            if not is_list and not ends:
                return
            following = yield from self._read_following(text, ends, is_list=is_list)
            if not is_list:
                if not following and not is_tagged:
                    raise EndOfText  # without either tag it may be prose
                yield CallEnd()
            if following not in (",", "{"):
                break
        while following in ("]", *fence) and ends:
            following = yield from text.ending(*ends, "")

    def _read_following(self, text: IncomingText, ends: Sequence[str], *, is_list: bool) -> Waiting[str]:
        """Return what follows a call in its block: a comma, or a brace for another call without one; an end,
        or another block; "" where the text ends.
        """
        closing = ("]",) if is_list else self.openings
        following = yield from text.ending(",", "{", *closing, *ends)
        if following == "{" or following in self.openings:
            text.go_back(len(following))
        return following

    def read_object(
        self,
        text: IncomingText,
        tools: Mapping[str, Schema],
        *,
        is_bound: bool,
        is_tagged: bool = True,
        ends: Sequence[str] = (),
    ) -> Reading[None]:
        """Read one call up to its end, for which no piece is emitted.

        is_tagged: whether a tag came before it. ends: the texts that may follow, which stay unread.
        """
        name = (yield from self._read_head(text, tools)) if is_bound else None
        if name is None:
            yield from _WrittenCall(tools, ends, is_tagged=is_tagged).read(text)
            return
        yield CallBegin(name)
        yield from read_value(text, ends=ends)
        yield from _WrittenCall(tools, ends, is_tagged=True).read_further_members(text)

    def _read_head(self, text: IncomingText, tools: Mapping[str, Schema]) -> Waiting[str | None]:
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


class _WrittenCall:
    """A call whose object may have its keys in any order, so that it is known only at its end.

    is_tagged: whether a tag came before it. Otherwise it is given up at the first key that no call has before
        its name, since an answer of JSON would be held back to its end.
    """

    def __init__(self, tools: Collection[str], ends: Sequence[str], *, is_tagged: bool) -> None:
        self._tools = tools
        self._ends = ends
        self._is_tagged = is_tagged
        self._name: str | None = None
        self._arguments: list[str] | None = None  # pieces of JSON
        self._has_others = False  # whether there are keys that a call does not have

    def read(self, text: IncomingText) -> Reading[None]:
        try:
            yield from text.literal("{")
            yield from text.blanks()
            if not self._is_tagged and not (yield from text.comes(*_FIRST_KEYS)):
                raise Malformed
            yield from self._read_members(text)
        except EndOfText:
            if self._name is not None and self._arguments and self._arguments[0].startswith("{"):
                yield CallBegin(self._name)
                yield CallArguments("".join(self._arguments))
            raise
        if self._name is None or (self._arguments is None and self._has_others and not self._is_tagged):
            raise Malformed
        yield CallBegin(self._name)
        yield CallArguments("".join(self._arguments or ["{}"]))

    def read_further_members(self, text: IncomingText) -> Waiting[str]:
        """Read what follows a member of the object, up to its end; return what ended it, or "" if the
        text did.
        """
        while True:
            following = yield from text.ending(",", "}", *self._ends)
            if following != ",":
                break
            yield from text.blanks()
            if (yield from text.literal("}", "")):
                return "}"
            yield from self._read_member(text)
        if following in self._ends:
            text.go_back(len(following))
        return following

    def _read_members(self, text: IncomingText) -> Waiting[None]:
        if (yield from text.literal("}", "")):
            return
        yield from self._read_member(text)
        # The last braces of an answer may be missing once the call has its arguments.
        if not (yield from self.read_further_members(text)) and self._arguments is None:
            raise EndOfText

    def _read_member(self, text: IncomingText) -> Waiting[None]:
        key = yield from _read_string(text)
        yield from text.spaced(":")
        if key in _ARGUMENTS:
            self._arguments = []
            yield from expect_arguments(text, ends=self._ends)
            yield from captured(read_arguments(text, ends=self._ends), self._arguments)
        elif key == "function" and (yield from text.peek()) == "{":
            text.take(1)
            yield from text.blanks()
            yield from self._read_members(text)
        elif self._is_tagged and self._name is None and key in self._tools:  # Apertus' {NAME: ARGUMENTS}
            self._name, self._arguments = key, []
            yield from captured(read_arguments(text, ends=self._ends), self._arguments)
        elif key in _NAMES:
            self._name = yield from _read_string(text)
            if self._name not in self._tools:
                raise Malformed
        else:
            self._has_others = self._has_others or key not in _WITHOUT_EFFECT
            if self._has_others and self._name is None and not self._is_tagged:
                raise Malformed
            value = yield from captured(read_value(text), [])
            if key == "type" and value != '"function"' and not self._is_tagged:
                raise Malformed


def _read_string(text: IncomingText) -> Waiting[str]:
    if (yield from text.peek()) not in "'\"":
        raise Malformed
    return str(json.loads((yield from captured(read_value(text), []))))


def _skip_extra_braces(text: IncomingText) -> Waiting[None]:
    try:
        for _ in range(_MAX_EXTRA_BRACES):
            if not (yield from text.literal("}", "")):
                return
    except EndOfText:
        return
