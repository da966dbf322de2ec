"""Calls whose arguments stand one by one between tags: Qwen 3 Coder, GLM 4.5, Seed OSS, MiniMax M2,
DeepSeek V3.2.

A string is written as it is; any other value as JSON.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import msgspec
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
    regex,
    sequence,
    tag,
    text_without,
)
from handlers.chat.tool_calls.formats.json_object import JsonObjectFormat
from handlers.chat.tool_calls.parameters import (
    ANY_TYPE,
    Parameter,
    named_parameters,
    parameters_of,
    type_of_json,
)
from handlers.chat.tool_calls.text import CallArguments, CallBegin, CallEnd, IncomingText, Reading
from handlers.chat.tool_calls.tool_format import BoundTool, CallSyntax, Schema, ToolFormat, Writer
from handlers.chat.tools import TextGrammar

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

    @override
    def read(self, text: IncomingText, tools: Mapping[str, Schema], *, is_bound: bool) -> Reading[None]:
        yield from text.spaced(self.begin)
        while True:
            yield from self._read_call(text, tools, is_bound=is_bound)
            if not self.holds_many:
                yield from text.ending(self.end.strip())
                yield CallEnd()
                break
            yield CallEnd()
            if (yield from text.ending(self.call_begin, self.end.strip())) != self.call_begin:
                break
            text.go_back(len(self.call_begin))

    def _read_call(self, text: IncomingText, tools: Mapping[str, Schema], *, is_bound: bool) -> Reading[None]:
        if (yield from text.peek()) == "{":
            yield from _OBJECT.read_object(text, tools, is_bound=is_bound)
            return
        yield from text.spaced(self.call_begin)
        name = yield from text.literal(*tools)
        yield from text.spaced(self.name_end)
        yield CallBegin(name)
        yield from self._read_arguments(text, named_parameters(tools[name]), is_bound=is_bound)

    def _read_arguments(
        self, text: IncomingText, parameters: Mapping[str, Parameter], *, is_bound: bool
    ) -> Reading[None]:
        separator = "{"
        end = (self.call_end or self.end).strip()
        while True:
            yield from text.blanks()
            if (yield from text.literal(self.key_begin, end)) == end:
                break
            key = (yield from text.until(self.key_end[0])).strip()
            for literal in self.key_end[1:]:
                yield from text.blanks()
                yield from text.literal(literal)
            kind = (yield from text.literal(*self.kinds)) if self.kinds else None
            yield from text.literal(self.padding, "")
            yield CallArguments(f"{separator}{json.dumps(key, ensure_ascii=False)}: ")
            separator = ", "
            parameter = parameters.get(key)
            if self._is_written_as_text(parameter, kind):
                yield from self._read_text(text)
            else:
                value = yield from self._read_value(text, is_bound=is_bound)
                yield CallArguments(self._as_json(value, parameter.types if parameter else ANY_TYPE))
        if not self.call_end:
            text.go_back(len(end))
        yield CallArguments("{}" if separator == "{" else "}")

    def _is_written_as_text(self, parameter: Parameter | None, kind: str | None) -> bool:
        """Return whether a value is text as it stands. kind: the one of `kinds` that came before it."""
        if self.kinds is None:
            return parameter is not None and _is_text(parameter)
        return kind == self.kinds[0] and (parameter is None or "string" in parameter.types)

    def _read_text(self, text: IncomingText) -> Reading[None]:
        ends = (self.padding + self.value_end, self.value_end)
        yield CallArguments('"')
        while True:
            if value := text.certain_before(*ends):
                yield CallArguments(json.dumps(value, ensure_ascii=False)[1:-1])
            if text.unread.startswith(ends):
                break
            yield from text.more()
        yield from text.literal(*ends)
        yield CallArguments('"')

    def _read_value(self, text: IncomingText, *, is_bound: bool) -> Reading[str]:
        value = yield from text.until(self.value_end)
        while is_bound and _is_inside_string(value):  # it has the tag for text
            value += self.value_end + (yield from text.until(self.value_end))
        return value

    def _as_json(self, value: str, types: frozenset[str]) -> str:
        """Return the value itself if it is JSON of a type that it may have; otherwise the value
        as a string.
        """
        word = _PYTHON_WORDS.get(value.strip(), value.strip())
        for text in (value.strip(), word):
            try:
                if type_of_json(msgspec.json.decode(text)) & types:
                    return text
            except (msgspec.MsgspecError, RecursionError):
                continue
        return json.dumps(value.removesuffix(self.padding), ensure_ascii=False)

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
        argument = sequence(regex(r"[^<>\s]+"), key_end, text_without(self.value_end))
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
        return regex(f"[^<]{{{least},{most}}}")


def _is_inside_string(value: str) -> bool:
    """Return whether the JSON text breaks off inside a string."""
    is_json = value.startswith(('"', "[", "{"))
    return is_json and _ESCAPE.sub("", value).count('"') % 2 == 1


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
