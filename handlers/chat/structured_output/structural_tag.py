"""Parts of xgrammar's structural tags: plain dictionaries that the engine reads as JSON."""

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from handlers.chat.tools import TextGrammar

Tag: TypeAlias = dict[str, object]

# The keyword of a schema of strings under which the grammar of its texts stands; no client can send it.
TEXT_GRAMMAR: Final = "\0text_grammar"
# The keyword of a schema that is left out where it cannot be enforced; no client can send it.
MAY_BE_LOOSENED: Final = "\0may_be_loosened"


def const(text: str) -> Tag:
    """Return a tag of exactly this text."""
    return {"type": "const_string", "value": text}


def regex(pattern: str) -> Tag:
    return {"type": "regex", "pattern": pattern}


def ebnf(rules: str) -> Tag:
    return {"type": "grammar", "grammar": rules}


def json_value(schema: Mapping[str, object]) -> Tag:
    """Return a tag of JSON that fits a schema, or an object with one text that follows a grammar.

    At most one blank stands between its tokens: a model could write nothing else for ever.
    """
    if isinstance(grammar := schema.get(TEXT_GRAMMAR), TextGrammar):
        return sequence(const('"'), ebnf(grammar.in_json), const('"'))
    members = schema.get("properties")
    if isinstance(members, Mapping) and len(members) == 1:
        [(name, member)] = members.items()
        if isinstance(member, Mapping) and isinstance(member.get(TEXT_GRAMMAR), TextGrammar):
            return sequence(const(f'{{"{name}": '), json_value(member), const("}"))
    made: Tag = {"type": "json_schema", "json_schema": schema, "max_whitespace_cnt": 1}
    if MAY_BE_LOOSENED in schema:
        made["json_schema"] = {key: value for key, value in schema.items() if key != MAY_BE_LOOSENED}
        made["otherwise"] = {"type": "object"} if schema.get("type") == "object" else {}
    return made


def any_text() -> Tag:
    return {"type": "any_text"}


def text_without(excluded: str) -> Tag:
    return {"type": "any_text", "excludes": [excluded]}


def tag(begin: str, content: Tag, end: str) -> Tag:
    return {"type": "tag", "begin": begin, "content": content, "end": end}


def sequence(*elements: Tag) -> Tag:
    return {"type": "sequence", "elements": list(elements)}


def either(*elements: Tag) -> Tag:
    return {"type": "or", "elements": list(elements)}


def optional(content: Tag) -> Tag:
    return {"type": "optional", "content": content}


def any_number(content: Tag) -> Tag:
    return {"type": "star", "content": content}


def separated(tags: Sequence[Tag], separator: str, *, is_single: bool) -> Tag:
    """Return a tag of one of the tags, or of several unless `is_single`."""
    return {
        "type": "tags_with_separator",
        "tags": list(tags),
        "separator": separator,
        "at_least_one": True,
        "stop_after_first": is_single,
    }


def written_length(part: object) -> int:
    """Return about how many characters of JSON a tag has, in time for each of its parts once.

    Parts may be shared: a tag of kilobytes in memory may be gigabytes of text.
    """
    return _length(part, {})


def _length(part: object, known: dict[int, int]) -> int:
    if isinstance(part, str):
        return len(part) + 2
    if not isinstance(part, Mapping | list):
        return 4
    if id(part) not in known:
        inner = [*part, *part.values()] if isinstance(part, Mapping) else part
        known[id(part)] = 2 + sum(2 + _length(one, known) for one in inner)
    return known[id(part)]
