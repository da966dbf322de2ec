"""The reading of calls whose arguments stand one by one between tags, as models write them."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec
import regex
from typing_extensions import override

from handlers.chat.tool_calls.formats.tagged_syntax import OBJECT, TaggedSyntax, is_text
from handlers.chat.tool_calls.lenient_json import inside_json_string, mended, read_value
from handlers.chat.tool_calls.parameters import ANY_TYPE, Parameter, named_parameters, type_of_json
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
from handlers.chat.tool_calls.tool_format import Schema

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
_ESCAPE = re.compile(r"\\.", re.DOTALL)
_PYTHON_WORDS = {"True": "true", "False": "false", "None": "null"}


@dataclass(frozen=True, kw_only=True)
class TaggedValuesFormat(TaggedSyntax):
    """A format whose tags may be missing, or stand in attributes, in what the model writes."""

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
            yield from OBJECT.read_object(text, tools, is_bound=is_bound, ends=self.closes)
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
            return parameter is not None and is_text(parameter)
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
