"""Calls as Python writes them: Llama 3.2 and 4 under templates that teach it, ToolACE, LFM 2, Olmo 3."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from keyword import iskeyword
from typing import Self

from typing_extensions import override

from handlers.chat.structured_output.structural_tag import (
    Tag,
    any_number,
    const,
    either,
    json_value,
    optional,
    regex,
    sequence,
)
from handlers.chat.tool_calls.lenient_json import read_value
from handlers.chat.tool_calls.parameters import Parameter, item_of, parameters_of
from handlers.chat.tool_calls.text import CallArguments, CallBegin, CallEnd, IncomingText, Malformed, Reading
from handlers.chat.tool_calls.tool_format import BoundTool, CallSyntax, Schema, ToolFormat

# Of optional arguments where none is required: which of them comes first is written out.
_MAX_OPTIONAL = 8
_SINGLE_QUOTED = r"'(?:[^'\\\n]|\\['\\nt])*'"
_MAX_KEY = 256  # characters of an argument's name


@dataclass(frozen=True, kw_only=True)
class PythonicFormat(ToolFormat):
    """A call is NAME(KEY=VALUE, ...), or NAME(**{...}) for arguments that its schema does not name.

    marker_end: the text that may close a block which a marker opened.
    quote: the quotation mark around strings.
    has_json_words: whether true, false and null are JSON's words, instead of Python's.
    """

    marker_end: str
    quote: str = '"'
    has_json_words: bool = False

    @property
    @override
    def layouts(self) -> Sequence[Self]:
        return [
            self,
            *(
                replace(self, quote=quote, has_json_words=is_json)
                for quote in "\"'"
                for is_json in (False, True)
            ),
        ]

    @property
    @override
    def tags(self) -> tuple[str, ...]:
        return (*super().tags, self.marker_end)

    @override
    def read(self, text: IncomingText, tools: Mapping[str, Schema], *, is_bound: bool) -> Reading[None]:
        marker = yield from text.literal(self.marker, *([""] if self.start else []))
        bracket = self.begin.removeprefix(self.marker).strip()
        yield from text.spaced(bracket)
        while True:
            yield from text.blanks()
            head = yield from text.literal(*(f"{name}(" for name in tools))
            yield CallBegin(head[:-1])
            yield from _read_arguments(text)
            yield CallEnd()
            if bracket and (yield from text.ending(",", "]")) != ",":
                break
            if not bracket and ((yield from text.ending(self.end, "")) or text.is_at_end):
                return
        if marker:
            yield from text.ending(self.marker_end)

    @override
    def call(self, tool: BoundTool) -> CallSyntax:
        parameters = parameters_of(tool.schema)
        named = None if parameters is None else self._named_arguments(parameters)
        if set(tool.schema) <= {"type"}:
            named = self._any_arguments()
        arguments = named or sequence(const("**"), json_value(tool.schema))
        return CallSyntax(begin=f"{tool.name}(", arguments=arguments, end=")")

    @override
    def write_call(self, name: str, arguments: str) -> str:
        values: dict[str, object] = json.loads(arguments)
        if not all(map(_is_keyword, values)):
            return f"{name}(**{values!r})"
        return f"{name}({', '.join(f'{key}={self._literal(value)}' for key, value in values.items())})"

    def _literal(self, value: object) -> str:
        if isinstance(value, str) and self.quote == "'" and not re.search(r"['\\]", value):
            return f"'{value}'"
        is_json = isinstance(value, str) or self.has_json_words
        return json.dumps(value, ensure_ascii=False) if is_json else repr(value)

    def _named_arguments(self, parameters: Sequence[Parameter]) -> Tag | None:
        """Return a tag of the arguments, required ones first; None if their names or number do not permit
        it.
        """
        if not all(_is_keyword(parameter.name) for parameter in parameters):
            return None
        required = [self._argument(parameter) for parameter in parameters if parameter.is_required]
        optionals = [self._argument(parameter) for parameter in parameters if not parameter.is_required]
        if required:
            return _first_and(required[0], required[1:], optionals)
        if len(optionals) > _MAX_OPTIONAL:
            return None
        starts = [_first_and(first, [], optionals[at:]) for at, first in enumerate(optionals, start=1)]
        return either(const(""), *starts)

    def _any_arguments(self) -> Tag:
        quoted = [regex(_SINGLE_QUOTED)] if self.quote == "'" else []
        value = either(json_value({}), *map(const, ("True", "False", "None")), *quoted)
        argument = sequence(regex(r"[A-Za-z_][A-Za-z0-9_]*"), const("="), value)
        return optional(sequence(argument, any_number(sequence(const(", "), argument))))

    def _argument(self, parameter: Parameter) -> Tag:
        return sequence(const(f"{parameter.name}="), self._value(parameter))

    def _value(self, parameter: Parameter) -> Tag:
        as_json, restrictions = json_value(parameter.schema), set(parameter.restrictions)
        if parameter.types == {"boolean"} and not restrictions and not self.has_json_words:
            return either(const("True"), const("False"))
        if self.quote != "'":
            return as_json
        if parameter.types == {"string"} and not restrictions:
            return either(regex(_SINGLE_QUOTED), as_json)
        if parameter.types == {"string"} and restrictions <= {"enum"}:
            choices = parameter.schema["enum"]
            assert isinstance(choices, list)
            return either(*(const(self._literal(choice)) for choice in choices))
        if parameter.types == {"array"} and restrictions == {"items"}:
            item = self._value(item_of(parameter.schema))
            items = optional(sequence(item, any_number(sequence(const(", "), item))))
            return either(sequence(const("["), items, const("]")), as_json)
        return as_json


def _read_arguments(text: IncomingText) -> Reading[None]:
    """Read the arguments and the bracket after them."""
    yield from text.blanks()
    if (yield from text.literal("**", "")):
        yield from read_value(text, is_python=True)
        yield from text.blanks()
        yield from text.literal(")")
        return
    separator = "{"
    following = yield from text.literal(")", "")
    while not following.endswith(")"):
        key = (yield from text.until("=", limit=_MAX_KEY)).strip()
        if not _is_keyword(key):
            raise Malformed
        yield CallArguments(f'{separator}"{key}": ')
        yield from read_value(text, is_python=True)
        separator = ", "
        yield from text.blanks()
        following = yield from text.literal(",", ")")
        if following == ",":
            yield from text.blanks()
            following = yield from text.literal(")", "")
    yield CallArguments("{}" if separator == "{" else "}")


def _is_keyword(name: str) -> bool:
    """Return whether an argument can have this name."""
    return name.isidentifier() and not iskeyword(name)


def _first_and(first: Tag, required: Sequence[Tag], optionals: Sequence[Tag]) -> Tag:
    following = [sequence(const(", "), argument) for argument in (*required, *optionals)]
    return sequence(first, *following[: len(required)], *map(optional, following[len(required) :]))
