"""Calls whose arguments stand one by one between tags: Qwen 3 Coder, GLM 4.5, Seed OSS, MiniMax M2,
DeepSeek V3.2.

A string is written as it is; any other value as JSON.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import msgspec
import regex
from typing_extensions import override

from handlers.chat.form.structural_tag import (
    TEXT_GRAMMAR,
    Tag,
    any_number,
    const,
    ebnf,
    either,
    json_value,
    optional,
    sequence,
    tag,
    text_without,
)
from handlers.chat.form.structural_tag import (
    regex as matching,
)
from handlers.chat.tool_calls.formats.json_object import JsonObjectFormat
from handlers.chat.tool_calls.lenient_json import inside_json_string, mended, read_value
from handlers.chat.tool_calls.parameters import (
    ANY_TYPE,
    Parameter,
    named_parameters,
    parameters_of,
    type_of_json,
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
from handlers.chat.tool_calls.tool_format import BoundTool, CallSyntax, Schema, ToolFormat, Writer
from handlers.chat.tools import TextGrammar

_ATTRIBUTE = re.compile(r"(?:=| name=\")\Z")
_MAX_HEAD = 256  # characters of a tag that holds a name
_HEAD = re.compile(
    r"""(?:\s+name)?\s*=\s*(?P<quote>["']?)(?P<name>.*?)(?P=quote)"""
    r"""(?:\s+string\s*=\s*["']?(?P<string>true|false)["']?)?\s*""",
    re.DOTALL,
)
# The same in a text that may go on: the name's group is filled in.
_NAME = r"""(?:\s{{1,8}}+name)?\s?=\s?["']?(?P<{}>[^<>"'=]{{1,128}}+)["']?(?:\s+string=["']?\w+["']?)?>"""
_WORD = re.compile(r"[\w.-]")
_OBJECT = JsonObjectFormat(name="object", signs=())  # how arguments are written that have no names
_MAX_LENGTH = 1000  # of a string whose length a regular expression counts
_ESCAPE = re.compile(r"\\.", re.DOTALL)
_PYTHON_WORDS = {"True": "true", "False": "false", "None": "null"}


@dataclass(frozen=True, kw_only=True)
class TaggedValuesFormat(ToolFormat):
    """A call is `call_begin` NAME `name_end`, its arguments, `call_end`.

    An argument is `key_begin` KEY `key_end` VALUE `value_end` `argument_end`. Texts that are given here with
    line breaks are also read without them.

    key_gap: the blanks between the texts of `key_end`.
    argument_end: the blanks after an argument.
    no_arguments: the blanks in place of arguments where there are none.
    padding: text on either side of a value that is not part of it.
    has_python_words: whether True and False are Python's words, instead of JSON's.
    kinds: the ends of `key_end` by which the model says that a value is a string, and that it is JSON; None
        where the schema alone says so.
    """

    call_begin: str = ""
    name_end: str
    call_end: str = ""
    key_begin: str
    key_end: tuple[str, ...]
    value_end: str
    key_gap: str = "\n"
    argument_end: str = "\n"
    no_arguments: str = ""
    padding: str = ""
    has_python_words: bool = False
    kinds: tuple[str, str] | None = None

    @property
    @override
    def tags(self) -> tuple[str, ...]:
        own = (self.call_begin, self.name_end, self.call_end, self.key_begin, *self.key_end, self.value_end)
        return (*super().tags, *own, *(self.kinds or ()))

    @property
    @override
    def layouts(self) -> Sequence[Self]:
        return (self, replace(self, has_python_words=True))

    @property
    @override
    def closes(self) -> tuple[str, ...]:
        return (*super().closes, *filter(None, [self.call_end]))

    @cached_property
    def sign(self) -> str:
        """The text that every call begins with, before the attribute that names its function."""
        return _ATTRIBUTE.sub("", self.call_begin)

    @cached_property
    def key_sign(self) -> str:
        return _ATTRIBUTE.sub("", self.key_begin)

    @property
    def has_key_tags(self) -> bool:
        """True if a key stands between tags, rather than in one."""
        return self.key_sign == self.key_begin

    @override
    def read(self, text: IncomingText, tools: Mapping[str, Schema], *, is_bound: bool) -> Reading[None]:
        begins = (self.begin.strip(), *(stray for stray in self.strays if not stray.startswith(self.sign)))
        yield from text.literal(*begins, "")
        while True:
            yield from text.blanks()
            yield from self._read_call(text, tools, is_bound=is_bound)
            yield CallEnd()
            following = yield from text.ending(*self.closes, self.sign, "")
            while following in self.closes:
                following = yield from text.ending(*self.closes, self.sign, "")
            if not following:
                break
            text.go_back(len(following))

    def _read_call(self, text: IncomingText, tools: Mapping[str, Schema], *, is_bound: bool) -> Reading[None]:
        if (yield from text.peek()) == "{":
            yield from _OBJECT.read_object(text, tools, is_bound=is_bound, ends=self.closes)
            return
        yield from text.literal(self.sign)
        if self.sign != self.call_begin:
            name, _ = yield from _read_head(text)
        else:
            name = yield from text.literal(*tools)
            if _WORD.match((yield from text.peek())):
                raise Malformed
            yield from text.literal(self.name_end.strip(), "")
        if name not in tools:
            raise Malformed
        yield CallBegin(name)
        yield from _ArgumentsReader(self, tools, name, is_bound=is_bound).read(text)

    def is_written_as_text(self, parameter: Parameter | None, kind: str | None) -> bool:
        """Return whether a value is text as it stands. kind: what its tag says of that, if anything."""
        if kind is None:
            return parameter is not None and _is_text(parameter)
        return kind == "true" and (parameter is None or "string" in parameter.types)

    @cached_property
    def _open_ends(self) -> "regex.Pattern[str]":
        return self._ends_pattern(r"(?P<last>(?!))")

    @cached_property
    def _last_ends(self) -> "regex.Pattern[str]":
        return self._ends_pattern(r"(?P<last>\Z)")

    def value_ends(self, *, may_end: bool) -> "regex.Pattern[str]":
        """Return the pattern of what ends a value. may_end: whether the text may end after one."""
        return self._last_ends if may_end else self._open_ends

    def _ends_pattern(self, last: str) -> "regex.Pattern[str]":
        blanks = r"\s{0,64}+"
        written = (self.end.strip(), self.call_end, self.marker, self.sign)
        end, call_end, marker, sign = map(regex.escape, written)
        begin = rf"(?:{marker}{blanks})?{sign}" if sign else marker
        close = rf"(?:{regex.escape(self.padding)})?{regex.escape(self.value_end)}"
        if self.has_key_tags:
            key = rf"{regex.escape(self.key_begin)}(?P<key>[^<>]{{1,128}}+){regex.escape(self.key_end[0])}"
            callee = rf"{begin}{blanks}(?P<callee>[\w.-]{{1,128}}+)(?=[^\w.-])"
        else:
            key = regex.escape(self.key_sign) + _NAME.format("key")
            callee = begin + _NAME.format("callee")
        closing = rf"(?:{call_end}{blanks}(?:{end})?|{end})" if self.call_end else end
        tail = rf"{closing}{blanks}(?:{callee}|{last})"
        return regex.compile(rf"(?P<close>{close})|(?P<blank>\n?)(?:{key}|{tail})")

    @override
    def write_call(self, name: str, arguments: str) -> str:
        written = [self._write_argument(key, value) for key, value in json.loads(arguments).items()]
        inside = "".join(written) or self.no_arguments
        return self.call_begin + name + self.name_end + inside + self.call_end

    @override
    def _without_arguments(self, write: Writer) -> Self:
        name = "probe"
        written = write([(name, "{}")])
        head, tail = self.call_begin + name + self.name_end, self.call_end or self.end
        pattern = rf"{re.escape(head)}(\s*){re.escape(tail)}"
        found = None if written is None else re.search(pattern, written[1])
        return self if found is None else replace(self, no_arguments=found[1])

    def _write_argument(self, key: str, value: object) -> str:
        is_python = isinstance(value, bool) and self.has_python_words
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        text = str(value) if is_python else text
        begin = self.key_begin + key + self._key_end(is_text=isinstance(value, str))
        return begin + text + self.padding + self.value_end + self.argument_end

    def _key_end(self, *, is_text: bool) -> str:
        kind = "" if self.kinds is None else self.kinds[0 if is_text else 1]
        return self.key_gap.join(self.key_end) + kind + self.padding

    @override
    def call(self, tool: BoundTool) -> CallSyntax:
        begin = self.call_begin + tool.name + self.name_end
        if set(tool.schema) <= {"type"}:
            return CallSyntax(begin=begin, arguments=self._any_arguments(), end=self.call_end)
        parameters = parameters_of(tool.schema)
        if parameters is None or any(re.search(r"[<>\"\s]", parameter.name) for parameter in parameters):
            return _OBJECT.call(tool)
        arguments = [self._argument(parameter) for parameter in parameters]
        if not any(parameter.is_required for parameter in parameters):
            arguments.append(optional(const(self.no_arguments)) if self.no_arguments else const(""))
        return CallSyntax(begin=begin, arguments=sequence(*arguments), end=self.call_end)

    def _any_arguments(self) -> Tag:
        key_ends = dict.fromkeys(self._key_end(is_text=is_text) for is_text in (True, False))
        key_end = either(*map(const, key_ends))
        argument = sequence(matching(r"[^<>\s]+"), key_end, text_without(self.value_end))
        many = any_number(sequence(tag(self.key_begin, argument, self.value_end), const(self.argument_end)))
        return sequence(many, optional(const(self.no_arguments))) if self.no_arguments else many

    def _argument(self, parameter: Parameter) -> Tag:
        begin = self.key_begin + parameter.name + self._key_end(is_text=_is_text(parameter))
        content = self._value(parameter)
        is_free = content["type"] == "any_text"
        # Free text ends where the tag begins; its last line break is padding then.
        end = self.value_end if is_free else self.padding + self.value_end
        argument = sequence(tag(begin, content, end), const(self.argument_end))
        return argument if parameter.is_required else optional(argument)

    def _value(self, parameter: Parameter) -> Tag:
        restrictions = parameter.restrictions
        if self.has_python_words and parameter.types == {"boolean"} and not restrictions:
            return either(const("True"), const("False"))
        if not _is_text(parameter):
            return json_value(parameter.schema)
        if not restrictions:
            return text_without(self.value_end)
        if isinstance(grammar := restrictions.get(TEXT_GRAMMAR), TextGrammar):
            return ebnf(grammar.plain)
        if choices := _choices(parameter):
            return either(*map(const, choices))
        # A part of what may be written: no tag can stand in it.
        least, most = restrictions.get("minLength", 0), restrictions.get("maxLength", "")
        return matching(f"[^<]{{{least},{most}}}")


@dataclass(frozen=True, kw_only=True)
class _ValueEnd:
    """The number of characters that are certainly a value's, and of those that end it; None if none has come.

    is_close: whether the end is the value's own tag.
    """

    num_before: int
    length: int | None = None
    is_close: bool = False


class _ArgumentsReader:
    """The reader of one call's arguments, from the end of its name to what closes it, which stays unread."""

    def __init__(
        self, tool_format: TaggedValuesFormat, tools: Mapping[str, Schema], name: str, *, is_bound: bool
    ) -> None:
        self._format = tool_format
        self._tools = tools
        self._parameters = named_parameters(tools[name])
        self._is_bound = is_bound
        self._given: set[str] = set()

    def read(self, text: IncomingText) -> Reading[None]:
        known = self._format
        ends = tuple(filter(None, (*known.closes, *known.openings, known.sign)))
        while True:
            yield from text.blanks()
            keys = self._missing if known.has_key_tags else ()
            body = () if self._given else ("{",)
            try:
                following = yield from text.literal(known.key_sign, known.value_end, *ends, *keys, *body)
            except EndOfText:
                if not self._may_end(text, ends):
                    raise
                break
            if following == "{":  # a body of JSON
                text.go_back(1)
                yield from read_value(text, ends=ends)
                return
            if following in ends:
                text.go_back(len(following))
                break
            if following != known.value_end:
                yield from self._read_argument(text, following)
        yield CallArguments("}" if self._given else "{}")

    @property
    def _missing(self) -> tuple[str, ...]:
        return tuple(key for key in self._parameters if key and key not in self._given)

    def _may_end(self, text: IncomingText, ends: Sequence[str]) -> bool:
        """Return whether the answer may end here, since all but tags that close the call has come."""
        is_whole = bool(self._given) and not any(self._parameters[key].is_required for key in self._missing)
        return is_whole and not text.is_cut and any(end.startswith(text.unread) for end in ends)

    def _read_argument(self, text: IncomingText, following: str) -> Reading[None]:
        known, kind = self._format, None
        if known.has_key_tags:
            if following != known.key_begin:  # the tag before the key is missing
                text.go_back(len(following))
            key = (yield from text.until(known.key_end[0], limit=_MAX_HEAD)).strip()
            for literal in known.key_end[1:]:
                yield from text.blanks()
                yield from text.literal(literal, "")
        else:
            key, kind = yield from _read_head(text)
        yield from text.literal(known.padding, "")
        yield CallArguments(f"{', ' if self._given else '{'}{json.dumps(key, ensure_ascii=False)}: ")
        self._given.add(key)
        parameter = self._parameters.get(key)
        if known.is_written_as_text(parameter, kind):
            yield from self._read_text(text)
        else:
            value = yield from self._read_value(text)
            yield CallArguments(self._as_json(value, parameter.types if parameter else ANY_TYPE))

    def _read_text(self, text: IncomingText) -> Reading[None]:
        yield CallArguments('"')
        while True:
            end = self._find_end(text)
            if value := text.take(end.num_before):
                yield CallArguments(inside_json_string(value))
            if end.length is not None:
                break
            yield from text.more()
        text.take(end.length)
        yield CallArguments('"')

    def _read_value(self, text: IncomingText) -> Waiting[str]:
        whole, pieces = "", list[str]()
        is_inside = False  # whether the text breaks off inside a string of JSON
        while True:
            end = self._find_end(text)
            pieces.append(text.take(end.num_before))
            if end.length is None:
                yield from text.more()
                continue
            piece = "".join(pieces)
            is_json = (whole or piece).startswith(('"', "[", "{"))
            is_inside ^= is_json and _ESCAPE.sub("", piece).count('"') % 2 == 1
            whole += piece
            closing = text.take(end.length)
            if not (self._is_bound and end.is_close and is_inside):
                return whole
            whole, pieces = whole + closing, []  # the string has the tag for text

    def _find_end(self, text: IncomingText) -> _ValueEnd:
        """Return the end of a value: its own tag or, where that is missing, what comes next in the call or
        after it. The next is a parameter that the call still lacks, so that no value swallows it.
        """
        unread = text.unread
        may_end = text.is_final and not text.is_cut
        pattern, at = self._format.value_ends(may_end=may_end), 0
        while found := pattern.search(unread, at, partial=not may_end):
            if found.partial:
                return _ValueEnd(num_before=found.start())
            if found["close"]:
                return _ValueEnd(num_before=found.start(), length=len(found["close"]), is_close=True)
            if found["key"] in self._missing or found["callee"] in self._tools or found["last"] is not None:
                return _ValueEnd(num_before=found.start(), length=len(found["blank"]))
            at = found.start() + 1
        return _ValueEnd(num_before=len(unread))

    @staticmethod
    def _as_json(value: str, types: frozenset[str]) -> str:
        """Return the value as JSON of a type that it may have; otherwise as a string."""
        written = value.strip()
        word = _PYTHON_WORDS.get(written, written)
        # What may be a string too is not taken for something else.
        options = (written, word) if "string" in types else (written, word, mended(written) or "")
        for option in options:
            try:
                if type_of_json(msgspec.json.decode(option)) & types:
                    return option
            except (msgspec.MsgspecError, RecursionError):
                continue
        return json.dumps(value, ensure_ascii=False)


def _read_head(text: IncomingText) -> Waiting[tuple[str, str | None]]:
    """Read the rest of a tag that holds a name; return the name, and what the tag says of being a string."""
    found = _HEAD.fullmatch((yield from text.until(">", limit=_MAX_HEAD)))
    if found is None:
        raise Malformed
    return found["name"].strip(), found["string"]


def _is_text(parameter: Parameter) -> bool:
    """Return whether the value is written without JSON's quotes: a string that a grammar can write so."""
    if parameter.types != {"string"}:
        return False
    restrictions = parameter.restrictions
    if TEXT_GRAMMAR in restrictions:
        return True
    if set(restrictions) in ({"enum"}, {"const"}):
        return all("<" not in choice for choice in _choices(parameter))
    lengths = restrictions.values()
    is_counted = all(isinstance(length, int) and length <= _MAX_LENGTH for length in lengths)
    return set(restrictions) <= {"minLength", "maxLength"} and is_counted


def _choices(parameter: Parameter) -> list[str]:
    """Return the values that a schema of strings lists, if any."""
    enum = parameter.schema.get("enum", [parameter.schema["const"]] if "const" in parameter.schema else [])
    return [str(value) for value in enum] if isinstance(enum, list) else []
