"""Gemma 4 and FunctionGemma: arguments in a notation of its own, `{key:<|"|>text<|"|>,list:[1,true]}`.

Texts stand between tokens of their own, so that nothing in them is escaped, and keys have no quotes. Numbers,
`true`, `false` and `null` are JSON's. JSON is read as well, and a grammar demands it for values whose schema
says more than the notation's grammar can.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec
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
    tag,
    text_without,
    written_length,
)
from handlers.chat.tool_calls.lenient_json import to_json_string
from handlers.chat.tool_calls.parameters import (
    ANY_TYPE,
    Parameter,
    item_of,
    named_parameters,
    parameters_of,
    type_of_json,
)
from handlers.chat.tool_calls.text import CallArguments, CallBegin, CallEnd, IncomingText, Malformed, Reading
from handlers.chat.tool_calls.tool_format import BoundTool, CallSyntax, Schema, ToolFormat

_BARE_KEY: Final = re.compile(r"[\w.\-]+")
_BARE_WORD: Final = re.compile(r"[^,\[\]{}<>\"]*")
_WORDS: Final = {"None": "null", "True": "true", "False": "false"}
_CLOSING: Final = {"{": "}", "[": "]"}
# Of named arguments, each of which may come first or be left out: the grammar grows with the square.
_MAX_NAMED: Final = 24
# Characters of an object's grammar. Each of its members is written once for each that may come first, and so
# are the members in it, level by level; thirty tools share what a grammar may have.
_MAX_WRITTEN: Final = 8192
_MAX_LENGTH: Final = 1000  # of a string whose length a regular expression counts
_MAX_DEPTH: Final = 4  # of objects and arrays that are written in the notation where a grammar demands them


@dataclass(frozen=True, kw_only=True)
class GemmaFormat(ToolFormat):
    """A call is `call:NAME{`, its arguments, `}`.

    quote: the token on either side of a text.
    """

    quote: str

    @property
    @override
    def tags(self) -> tuple[str, ...]:
        return (*super().tags, self.quote)

    @override
    def read(self, text: IncomingText, tools: Mapping[str, Schema], *, is_bound: bool) -> Reading[None]:
        yield from text.spaced(self.begin)
        yield from text.literal("call:")
        name = (yield from text.literal(*(f"{name}{{" for name in tools)))[:-1]
        text.go_back(1)
        yield CallBegin(name)
        yield from self._read_arguments(text, named_parameters(tools[name]))
        yield from text.ending(self.end)
        yield CallEnd()

    @override
    def write_call(self, name: str, arguments: str) -> str:
        return f"call:{name}{self._written(json.loads(arguments))}"

    @override
    def call(self, tool: BoundTool) -> CallSyntax:
        begin = f"call:{tool.name}"
        if set(tool.schema) <= {"type"}:
            return CallSyntax(begin=begin + "{", arguments=self._any_members(), end="}")
        members = self._members(tool.schema, _MAX_DEPTH)
        if members is None:
            return CallSyntax(begin=begin, arguments=json_value(tool.schema), end="")
        return CallSyntax(begin=begin + "{", arguments=members, end="}")

    def _written(self, value: object) -> str:
        """Return a value in the notation, keys in the order in which the family's templates write them."""
        match value:
            case dict():
                members = sorted(value.items(), key=lambda member: member[0].lower())
                return (
                    "{"
                    + ",".join(f"{self._written_key(key)}:{self._written(inner)}" for key, inner in members)
                    + "}"
                )
            case list():
                return "[" + ",".join(map(self._written, value)) + "]"
            case str() if self.quote not in value:
                return self.quote + value + self.quote
            case _:
                return json.dumps(value, ensure_ascii=False)

    def _written_key(self, key: str) -> str:
        return key if _BARE_KEY.fullmatch(key) else self._written(key)

    def _read_arguments(self, text: IncomingText, parameters: Mapping[str, Parameter]) -> Reading[None]:
        """Read an object from its bracket on, and emit it as JSON while it arrives.

        parameters: the parameters of the object's own members, by name.
        """
        yield CallArguments((yield from text.literal("{")))
        open_brackets = ["}"]
        types = ANY_TYPE
        is_first = True
        while open_brackets:
            yield from text.blanks()
            if (yield from text.literal(open_brackets[-1], "")):
                yield CallArguments(open_brackets.pop())
                is_first = False
                continue
            if not is_first:
                yield from text.literal(",")
                yield CallArguments(", ")
            if open_brackets[-1] == "}":
                key = yield from self._read_key(text)
                yield CallArguments(f"{to_json_string(key)}: ")
                if len(open_brackets) == 1:
                    types = parameters[key].types if key in parameters else ANY_TYPE
            yield from text.blanks()
            bracket = yield from text.literal(*_CLOSING, "")
            if bracket:
                yield CallArguments(bracket)
                open_brackets.append(_CLOSING[bracket])
            else:
                yield from self._read_scalar(text, types if len(open_brackets) == 1 else ANY_TYPE)
            is_first = bool(bracket)

    def _read_key(self, text: IncomingText) -> Reading[str]:
        yield from text.blanks()
        quote = yield from text.literal(self.quote, '"', "")
        if not quote:
            key = (yield from text.until(":")).strip()
            if not _BARE_KEY.fullmatch(key):
                raise Malformed
            return key
        key = yield from (_read_json_string(text) if quote == '"' else text.until(self.quote))
        yield from text.blanks()
        yield from text.literal(":")
        return key

    def _read_scalar(self, text: IncomingText, types: frozenset[str]) -> Reading[None]:
        """Read a text, a number or a word. types: the types that an unquoted word may have."""
        quote = yield from text.literal(self.quote, '"', "")
        if quote == '"':
            yield CallArguments(to_json_string((yield from _read_json_string(text))))
        elif quote:
            yield from self._read_text(text)
        else:
            yield CallArguments(_as_json((yield from _read_word(text)), types))

    def _read_text(self, text: IncomingText) -> Reading[None]:
        """Read a text and the token after it, and emit it while it arrives."""
        yield CallArguments('"')
        while True:
            if piece := text.certain_before(self.quote):
                yield CallArguments(to_json_string(piece)[1:-1])
            if text.unread.startswith(self.quote):
                break
            yield from text.more()
        yield from text.literal(self.quote)
        yield CallArguments('"')

    def _members(self, schema: Schema, depth: int) -> Tag | None:
        """Return a tag of an object's members; None if the notation cannot hold them to the schema."""
        parameters = parameters_of(schema)
        if parameters is None or len(parameters) > _MAX_NAMED or not depth:
            return None
        if not all(_BARE_KEY.fullmatch(parameter.name) for parameter in parameters):
            return None
        ordered = sorted(parameters, key=lambda parameter: parameter.name.lower())
        members = _from_first(
            [(self._member(parameter, depth), parameter.is_required) for parameter in ordered]
        )
        return members if written_length(members) <= _MAX_WRITTEN else None

    def _member(self, parameter: Parameter, depth: int) -> Tag:
        return sequence(const(f"{parameter.name}:"), self._value(parameter, depth))

    def _value(self, parameter: Parameter, depth: int) -> Tag:
        restrictions = parameter.restrictions
        if parameter.types == {"string"}:
            return self._text(parameter)
        if parameter.types == {"array"} and set(restrictions) == {"items"} and depth:
            item = self._value(item_of(parameter.schema), depth - 1)
            items = optional(sequence(item, any_number(sequence(const(","), item))))
            return sequence(const("["), items, const("]"))
        if (
            parameter.types == {"object"}
            and (members := self._members(parameter.schema, depth - 1)) is not None
        ):
            return sequence(const("{"), members, const("}"))
        return json_value(parameter.schema)

    def _text(self, parameter: Parameter) -> Tag:
        restrictions = parameter.restrictions
        if not restrictions:
            return tag(self.quote, text_without(self.quote), self.quote)
        choices = restrictions.get("enum", [restrictions.get("const")])
        if set(restrictions) in ({"enum"}, {"const"}) and isinstance(choices, list):
            return either(*(const(self._written(choice)) for choice in choices))
        least, most = restrictions.get("minLength", 0), restrictions.get("maxLength", _MAX_LENGTH)
        is_counted = isinstance(least, int) and isinstance(most, int) and 0 <= least <= most <= _MAX_LENGTH
        if set(restrictions) <= {"minLength", "maxLength"} and is_counted:
            counted = regex(f"[^<]{{{least},{most if 'maxLength' in restrictions else ''}}}")
            # As JSON a text may have a "<" too.
            return either(
                sequence(const(self.quote), counted, const(self.quote)), json_value(parameter.schema)
            )
        return json_value(parameter.schema)

    def _any_members(self) -> Tag:
        value = either(tag(self.quote, text_without(self.quote), self.quote), json_value({}))
        member = sequence(regex(r"[A-Za-z0-9_.\-]+:"), value)
        return optional(sequence(member, any_number(sequence(const(","), member))))


def _read_json_string(text: IncomingText) -> Reading[str]:
    """Read the rest of a JSON string."""
    written = yield from text.until('"')
    while (len(written) - len(written.rstrip("\\"))) % 2:  # the quote is escaped
        written += '"' + (yield from text.until('"'))
    try:
        return str(json.loads(f'"{written}"', strict=False))
    except ValueError as error:
        raise Malformed from error


def _read_word(text: IncomingText) -> Reading[str]:
    while True:
        found = _BARE_WORD.match(text.unread)
        length = found.end() if found else 0
        if length < len(text.unread):
            return text.take(length).strip()
        yield from text.more()


def _as_json(word: str, types: frozenset[str]) -> str:
    """Return the word if it is JSON of one of the types; otherwise as a string. Raises Malformed for none."""
    if not word:
        raise Malformed
    known = _WORDS.get(word, word)
    try:
        if type_of_json(msgspec.json.decode(known)) & types:
            return known
    except msgspec.MsgspecError:
        pass
    return to_json_string(word)


def _from_first(members: Sequence[tuple[Tag, bool]]) -> Tag:
    """Return a tag of the members in turn, with commas between those that are there.

    members: each with whether it is required.
    """
    starts: list[Tag] = []
    for at, (member, is_required) in enumerate(members):
        others = [(sequence(const(","), other), is_demanded) for other, is_demanded in members[at + 1 :]]
        further = [other if is_demanded else optional(other) for other, is_demanded in others]
        starts.append(sequence(member, *further))
        if is_required:
            return either(*starts)
    return either(*starts, const(""))


GEMMA_4 = GemmaFormat(
    name="gemma4",
    quote='<|"|>',
    marker="<|tool_call>",
    begin="<|tool_call>",
    separator="",
    end="<tool_call|>",
    signs=("<|tool_call>",),
    tokens=("<|tool_call>", "<tool_call|>"),
)

FUNCTION_GEMMA = GemmaFormat(
    name="functiongemma",
    quote="<escape>",
    marker="<start_function_call>",
    begin="<start_function_call>",
    separator="",
    end="<end_function_call>",
    signs=("<start_function_call>",),
    tokens=("<start_function_call>", "<escape>"),
)
