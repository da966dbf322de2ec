"""Calls whose arguments stand one by one between tags: Qwen 3 Coder, GLM 4.5, Seed OSS, MiniMax M2,
DeepSeek V3.2.

A string is written as it is; any other value as JSON.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from typing_extensions import override

from handlers.chat.structured_output.structural_tag import (
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
from handlers.chat.tool_calls.parameters import Parameter, parameters_of
from handlers.chat.tool_calls.tool_format import BoundTool, CallSyntax, ToolFormat, Writer
from handlers.chat.tools import TextGrammar

OBJECT = JsonObjectFormat(name="object", signs=())  # how arguments are written that have no names
_MAX_LENGTH = 1000  # of a string whose length a regular expression counts


@dataclass(frozen=True, kw_only=True)
class TaggedSyntax(ToolFormat):
    """The syntax of such calls, as templates and grammars write them; `tagged_values` reads them.

    A call is `call_begin` NAME `name_end`, its arguments, `call_end`.
    An argument is `key_begin` KEY `key_end` VALUE `value_end` `argument_end`. Texts that are given here with
    line breaks are also read without them.

    key_gap: the blanks between the texts of `key_end`.
    argument_end: the blanks after an argument.
    no_arguments: the blanks in place of arguments where there are none.
    padding: text on either side of a value that is not part of it.
    has_python_words: whether True and False are Python's words, instead of JSON's.
    kinds: the ends of `key_end` by which the model says that a value is a string, and that it is JSON; None
        where only the schema says so.
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
            return OBJECT.call(tool)
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
        begin = self.key_begin + parameter.name + self._key_end(is_text=is_text(parameter))
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
        if not is_text(parameter):
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


def is_text(parameter: Parameter) -> bool:
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
