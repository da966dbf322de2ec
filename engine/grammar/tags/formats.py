"""The parts of structural tags, xgrammar's JSON for text that has constrained parts.

See https://xgrammar.mlc.ai/docs/tutorials/structural_tag.html, whose names these are.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec


class NoCounterpart(Exception):
    """A structural tag has a part that llguidance's dialect cannot say, so that only xgrammar reads it."""


class _Format(msgspec.Struct, tag_field="type", frozen=True):
    pass


class ConstString(_Format, tag="const_string", frozen=True):
    """Exactly this text."""

    value: str


class JsonSchema(_Format, tag="json_schema", frozen=True):
    """JSON that fits a schema. `style` other than json is a notation of some model's. `otherwise`, which is
    our own: a schema for the case that this one cannot be enforced."""

    json_schema: bool | dict[str, Any]
    style: str = "json"
    any_order: bool = False
    max_whitespace_cnt: int | None = None
    excludes: list[str] = []
    otherwise: dict[str, Any] | None = None


class AnyText(_Format, tag="any_text", frozen=True):
    """Text that has none of the excluded ones in it."""

    excludes: list[str] = []
    max_tokens: int | None = None
    max_chars: int | None = None


class Regex(_Format, tag="regex", frozen=True):
    """Text that matches a pattern from its first to its last character, without the excluded ones."""

    pattern: str
    excludes: list[str] = []


class Token(_Format, tag="token", frozen=True):
    """One token, by its id or its name."""

    token: int | str


class ExcludeToken(_Format, tag="exclude_token", frozen=True):
    """Any token but these."""

    exclude_tokens: list[int | str] = []


class AnyTokens(_Format, tag="any_tokens", frozen=True):
    """Any number of tokens other than these."""

    exclude_tokens: list[int | str] = []
    max_tokens: int | None = None


class Sequence(_Format, tag="sequence", frozen=True):
    """These one after another."""

    elements: list[Format]


class Or(_Format, tag="or", frozen=True):
    """One of these."""

    elements: list[Format]


class Tag(_Format, tag="tag", frozen=True):
    """A beginning, a content and one of the ends. Content without an end of its own ends at the first."""

    begin: str | Token
    content: Format
    end: str | list[str] | Token


class Dispatch(_Format, tag="dispatch", frozen=True):
    """Free text in which each of the patterns is followed by its format; it ends after the first of them
    unless `loop`."""

    rules: list[tuple[str, Format]]
    loop: bool = True
    excludes: list[str] = []


class TriggeredTags(_Format, tag="triggered_tags", frozen=True):
    """Free text in which each of the triggers begins one of the tags. `at_least_one`: the text begins with
    one."""

    triggers: list[str]
    tags: list[Tag]
    at_least_one: bool = False
    stop_after_first: bool = False
    excludes: list[str] = []


class TagsWithSeparator(_Format, tag="tags_with_separator", frozen=True):
    """Tags with a text between them."""

    tags: list[Tag]
    separator: str
    at_least_one: bool = False
    stop_after_first: bool = False


class Optional(_Format, tag="optional", frozen=True):
    """The content or nothing."""

    content: Format


class Plus(_Format, tag="plus", frozen=True):
    """The content once or more."""

    content: Format


class Star(_Format, tag="star", frozen=True):
    """The content any number of times."""

    content: Format


class Repeat(_Format, tag="repeat", frozen=True):
    """The content so many times; `max` -1 is without bound."""

    min: int
    max: int
    content: Format


class Ebnf(_Format, tag="grammar", frozen=True):
    """Text of a grammar in xgrammar's notation."""

    grammar: str


class QwenXml(_Format, tag="qwen_xml_parameter", frozen=True):
    """The older name of a style of `JsonSchema`."""

    json_schema: bool | dict[str, Any]


class TokenTriggeredTags(_Format, tag="token_triggered_tags", frozen=True):
    """A counterpart of `TriggeredTags` for tokens."""


class TokenDispatch(_Format, tag="token_dispatch", frozen=True):
    """A counterpart of `Dispatch` for tokens."""


Format: TypeAlias = (
    ConstString
    | JsonSchema
    | AnyText
    | Regex
    | Token
    | ExcludeToken
    | AnyTokens
    | Sequence
    | Or
    | Tag
    | Dispatch
    | TriggeredTags
    | TagsWithSeparator
    | Optional
    | Plus
    | Star
    | Repeat
    | Ebnf
    | QwenXml
    | TokenTriggeredTags
    | TokenDispatch
)


class StructuralTag(msgspec.Struct, frozen=True):
    """A whole structural tag."""

    type: Literal["structural_tag"]
    format: Format
