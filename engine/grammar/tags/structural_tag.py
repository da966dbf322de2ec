"""The rules of structural tags.

llguidance's lexer takes the longest text that a terminal can still become, and does not go back. So a part
that may end in several places, such as free text, is one terminal with the fixed text behind it.
"""

import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

import msgspec

from engine.grammar.lark.lark_grammar import LarkGrammar, literal
from engine.grammar.patterns.normal_pattern import check_characters
from engine.grammar.patterns.pattern_terminals import PatternTerminals, written_class
from engine.grammar.schema.writing.values import schema_rule
from engine.grammar.tags import formats
from engine.grammar.tags.ebnf_terminal import ebnf_terminal
from engine.grammar.tags.formats import Format, NoCounterpart
from engine.port.errors import InvalidGrammar

_log = logging.getLogger(__name__)

_ANY_TEXT: Final = "/(?s:.*)/"

TokenId = Callable[[str], int | None]


def tag_rule(grammar: LarkGrammar, tag: object, token_id: TokenId) -> str:
    """Return the rule of a structural tag's texts.

    token_id: returns the id of the token of a name. Raises InvalidGrammar, which names the tag's part;
    NoCounterpart.
    """
    try:
        parsed = msgspec.convert(tag, formats.StructuralTag)
        return _TagWriter(grammar, token_id).whole(parsed.format)
    except msgspec.ValidationError as error:
        raise InvalidGrammar(f"structural tag: {error}") from error


class _TagWriter:
    """The translation of a tag's parts into rules of one grammar."""

    def __init__(self, grammar: LarkGrammar, token_id: TokenId) -> None:
        self._grammar = grammar
        self._token_id = token_id
        self._schemas: dict[tuple[str, int | None], str] = {}  # the rules of schemas that are written already
        self._patterns = PatternTerminals(grammar, inside_json=False)

    def whole(self, part: Format) -> str:
        """Return the expression of a part behind which nothing comes."""
        body = self._terminal(part)
        return self.rule(part) if body is None else self._grammar.terminal(body)

    def rule(self, part: Format, tail: str = "") -> str:
        """Return the expression of a part and the fixed text behind it."""
        if tail and (body := self._terminal(part)) is not None:
            return self._grammar.terminal(f"{body} {_literal(tail)}")
        match part:
            case formats.ConstString(value):
                return _literal(value)
            case formats.AnyText() | formats.Regex() | formats.Ebnf():
                return self._grammar.terminal(self._terminal(part) or "")
            case formats.JsonSchema():
                return _joined(self._json(part), tail)
            case formats.Sequence(elements):
                return self._sequence(elements, tail)
            case formats.Or(elements):
                return self._either([self.rule(element, tail) for element in elements])
            case formats.Tag():
                return self._tag(part, tail)
            case formats.Optional(content):
                return self._either([self.rule(content, tail), _literal(tail)])
            case formats.Star(content):
                return _joined(f"({self.rule(content)})*", tail)
            case formats.Plus(content):
                return _joined(f"({self.rule(content)})+", tail)
            case formats.Repeat(content=content):
                return _joined(f"({self.rule(content)}){_counts(part)}", tail)
            case formats.TagsWithSeparator():
                return self._separated(part, tail)
            case formats.Dispatch():
                return self._dispatch(part, tail)
            case formats.TriggeredTags():
                return self._triggered(part, tail)
            case formats.Token(token):
                return _joined(f"<[{self._id(token)}]>", tail)
            case formats.ExcludeToken(excluded):
                return _joined(self._token_but(excluded), tail)
            case formats.AnyTokens(excluded, max_tokens):
                return _joined(
                    f"{self._token_but(excluded)}{{0,{'' if max_tokens is None else max_tokens}}}", tail
                )
            case _:
                raise NoCounterpart

    def _terminal(self, part: Format) -> str | None:
        """Return the regular expression of a part, for a terminal; None where it has none."""
        match part:
            case formats.ConstString(value):
                return _literal(value)
            case formats.Regex(pattern, excludes):
                return self._free_text(excludes, f"({self._patterns.whole(pattern)})")
            case formats.Ebnf(rules):
                return ebnf_terminal(self._grammar, rules)
            case formats.AnyText(excludes, None, max_chars):
                text = _ANY_TEXT if max_chars is None else f"/(?s:.{{0,{max_chars}}})/"
                return self._free_text(excludes, text)
            case formats.AnyText():
                raise NoCounterpart
            case formats.Sequence(elements):
                return self._of_all(elements, " ")
            case formats.Or(elements):
                return self._of_all(elements, " | ")
            case formats.Tag(str(begin), content, str(end)) if end or not _is_open(content):
                parts = [formats.ConstString(begin), _ended(content, [end]), formats.ConstString(end)]
                with _named(part):
                    return self._of_all(parts, " ")
            case formats.Optional(content):
                return self._repeated(content, "?")
            case formats.Star(content):
                return self._repeated(content, "*")
            case formats.Plus(content):
                return self._repeated(content, "+")
            case formats.Repeat(content=content):
                return self._repeated(content, _counts(part))
            case _:
                return None

    def _of_all(self, parts: Sequence[Format], between: str) -> str | None:
        if not parts:
            raise InvalidGrammar("structural tag: a sequence, or a choice, has at least one element")
        written = [self._terminal(part) for part in parts]
        return None if None in written else f"({between.join(filter(None, written))})"

    def _repeated(self, content: Format, times: str) -> str | None:
        body = self._terminal(content)
        return None if body is None else f"({body}){times}"

    def _free_text(self, excludes: Sequence[str], text: str = _ANY_TEXT) -> str:
        if not excludes:
            return text
        if "" in excludes:
            raise InvalidGrammar("structural tag: an excluded text, or a trigger, has at least one character")
        excluded = self._grammar.terminal(" | ".join(map(_literal, dict.fromkeys(excludes))))
        return f"({text} & ~({_ANY_TEXT} {excluded} {_ANY_TEXT}))"

    def _json(self, part: formats.JsonSchema) -> str:
        if part.excludes:
            raise InvalidGrammar(
                "excludes beside json_schema is not supported: it lifts the lengths of strings"
            )
        if part.style != "json" or part.any_order:
            raise NoCounterpart
        key = json.dumps(part.json_schema), part.max_whitespace_cnt
        if key not in self._schemas:
            try:
                self._schemas[key] = schema_rule(
                    self._grammar, part.json_schema, max_whitespace=part.max_whitespace_cnt
                )
            except InvalidGrammar as error:
                if part.otherwise is None:
                    raise
                _log.debug("Instead of a schema, %s is enforced: %s", part.otherwise, error)
                return self._json(msgspec.structs.replace(part, json_schema=part.otherwise, otherwise=None))
        return self._schemas[key]

    def _sequence(self, elements: Sequence[Format], tail: str) -> str:
        if not elements:
            raise InvalidGrammar("structural tag: a sequence has at least one element")
        written: list[str] = []
        flat = [*_flat(elements)]
        for at, element in reversed([*enumerate(flat)]):
            match element:
                case formats.ConstString(value):
                    tail = value + tail
                case formats.Tag(str(begin)) if at and _is_open(flat[at - 1]):
                    written.append(self._tag(element, tail, begun=begin))
                    tail = begin
                case _ if _is_open(element) and written and not tail:
                    raise NoCounterpart  # its end is not to be seen
                case _:
                    written.append(self.rule(element, tail))
                    tail = ""
        return " ".join([*([_literal(tail)] if tail or not written else []), *reversed(written)])

    def _either(self, alternatives: Sequence[str]) -> str:
        if not alternatives:
            raise InvalidGrammar("structural tag: a choice has at least one element")
        return f"({' | '.join(dict.fromkeys(alternatives))})"

    def _tag(self, part: formats.Tag, tail: str, *, before: str = "", begun: str = "") -> str:
        """Return the expression of a tag.

        before: the text in front of it. begun: the part of its beginning that has been written.
        """
        with _named(part):
            ends = [part.end] if isinstance(part.end, str) else part.end
            if isinstance(ends, formats.Token):
                content = f"{self.rule(part.content)} {_joined(self.rule(ends), tail)}"
            else:
                if _is_open(part.content) and "" in ends:
                    raise InvalidGrammar("structural tag: a tag of free text has an end")
                ended = _ended(part.content, ends)
                content = self._either([self.rule(ended, end + tail) for end in ends])
            if isinstance(part.begin, formats.Token):
                content = f"{self.rule(part.begin)} {content}"
                begin = before
            else:
                begin = before + part.begin.removeprefix(begun)
            return f"{_literal(begin)} {content}" if begin else content

    def _separated(self, part: formats.TagsWithSeparator, tail: str) -> str:
        if part.stop_after_first:
            tags = self._either([self._tag(one, tail) for one in part.tags])
            return tags if part.at_least_one else self._either([tags, _literal(tail)])
        first = self._either([self._tag(one, "") for one in part.tags])
        # The separator and the text behind the tags may begin alike.
        others = self._either([self._tag(one, "", before=part.separator) for one in part.tags])
        many = f"{first} {others}*"
        return _joined(many if part.at_least_one else f"({many})?", tail)

    def _triggered(self, part: formats.TriggeredTags, tail: str) -> str:
        tags: dict[str, list[formats.Tag]] = {trigger: [] for trigger in part.triggers}
        for one in part.tags:
            triggers = [
                trigger for trigger in tags if isinstance(one.begin, str) and one.begin.startswith(trigger)
            ]
            if len(triggers) != 1:
                raise InvalidGrammar(
                    f"structural tag: {len(triggers)} triggers begin the tag {one.begin!r}, not one"
                )
            tags[triggers[0]].append(one)
        inner = "" if not part.stop_after_first else tail
        branches = {
            trigger: self._either([self._tag(one, inner, begun=trigger) for one in begun])
            for trigger, begun in tags.items()
            if begun
        }
        first = self._either([self._tag(one, inner) for one in part.tags]) if part.at_least_one else ""
        if part.at_least_one and part.stop_after_first:
            return first
        free = self._between(
            branches, [*part.triggers, *part.excludes], tail, loops=not part.stop_after_first
        )
        return f"{first} {free}".strip()

    def _dispatch(self, part: formats.Dispatch, tail: str) -> str:
        inner = "" if part.loop else tail
        branches = {pattern: self.rule(content, inner) for pattern, content in part.rules}
        return self._between(branches, [*branches, *part.excludes], tail, loops=part.loop)

    def _between(
        self, branches: Mapping[str, str], excludes: Sequence[str], tail: str, *, loops: bool
    ) -> str:
        """Return the expression of free text in which each of these texts is followed by its branch."""
        pieces = self._pieces(excludes) if not tail or tail.startswith(tuple(excludes)) else None
        text = pieces or self._free_text(excludes)

        def text_and(following: str) -> str:
            expression = _joined(text, following)
            return expression if pieces else self._grammar.terminal(expression)

        begun = self._either([f"{text_and(trigger)} {branch}" for trigger, branch in branches.items()])
        return f"{begun}* {text_and(tail)}" if loops else self._either([begun, text_and(tail)])

    def _pieces(self, excludes: Sequence[str]) -> str | None:
        """Return the rule of text without these, in pieces; None if they are not all like `<a>` and `</b>`.

        After `<`, llguidance sees that tokens without either sign are allowed. In the terminal of
        `_free_text` it has to try all tokens, which takes five times as long.
        """
        signs = {(text[:1], text[-1:]) for text in excludes}
        if len(signs) != 1 or "" in excludes:
            return None
        [(first, last)] = signs
        if first == last or any(first in text[1:] or last in text[:-1] for text in excludes):
            return None
        opening, closing = (written_class([(ord(sign), ord(sign))]) for sign in (first, last))
        # These pieces take longer than other text, so they end with the line.
        others = "" if any("\n" in text for text in excludes) else r"\n"
        inside = f"[^{opening}{closing}{others}]*"
        allowed = " | ".join(map(_literal, dict.fromkeys(excludes)))
        pieces = [
            self._grammar.terminal(f"/[^{opening}]+/"),
            self._grammar.terminal(f"/{opening}{inside}/"),
            self._grammar.terminal(f"/{opening}{inside}{closing}/ & ~({allowed})"),
        ]
        return self._grammar.rule(f"({' | '.join(pieces)})*")

    def _id(self, token: int | str) -> int:
        if isinstance(token, int):
            return token
        token_id = self._token_id(token)
        if token_id is None:
            raise InvalidGrammar(f"structural tag: the model has no token {token!r}")
        return token_id

    def _token_but(self, excluded: Sequence[int | str]) -> str:
        ids = ",".join(str(self._id(token)) for token in excluded)
        return f"<[^{ids}]>" if ids else "<[*]>"


@contextmanager
def _named(part: formats.Tag) -> Iterator[None]:
    """Name the innermost tag, by its beginning, in an InvalidGrammar about what is in it; the error has the
    beginnings of those around it too."""
    try:
        yield
    except InvalidGrammar as error:
        begin = str(part.begin if isinstance(part.begin, str) else part.begin.token)
        message = str(error) if error.begin else f"in the tag {begin!r}: {error}"
        raise InvalidGrammar(message, begin + error.begin) from error


def _literal(text: str) -> str:
    check_characters(text)
    return literal(text)


def _flat(elements: Sequence[Format]) -> Iterator[Format]:
    """Yield the elements of a sequence, and those of the sequences in it in their place."""
    for element in elements:
        if isinstance(element, formats.Sequence):
            yield from _flat(element.elements)
        else:
            yield element


def _joined(expression: str, tail: str) -> str:
    return f"{expression} {_literal(tail)}" if tail else expression


def _counts(part: formats.Repeat) -> str:
    if part.min < 0 or part.max < -1 or part.min > part.max >= 0:
        raise InvalidGrammar(f"structural tag: nothing repeats {part.min} to {part.max} times")
    return f"{{{part.min},{'' if part.max == -1 else part.max}}}"


def _is_open(part: Format) -> bool:
    """Return whether a part may go on after any text that it allows."""
    match part:
        case formats.AnyText(max_chars=None) | formats.Dispatch():
            return True
        case formats.TriggeredTags(stop_after_first=is_single):
            return not is_single
        case formats.Sequence([*_, last]):
            return _is_open(last)
        case formats.Or(elements):
            return any(map(_is_open, elements))
        case formats.Optional(content) | formats.Star(content) | formats.Plus(content):
            return _is_open(content)
        case _:
            return False


def _ended(part: Format, ends: Sequence[str]) -> Format:
    """Return a part whose free text has none of these texts, since the first ends it."""
    match part:
        case (
            formats.AnyText(excludes)
            | formats.Dispatch(excludes=excludes)
            | formats.TriggeredTags(excludes=excludes)
        ):
            return msgspec.structs.replace(part, excludes=[*excludes, *ends])
        case formats.Sequence([*others, last]):
            return formats.Sequence([*others, _ended(last, ends)])
        case formats.Or(elements):
            return formats.Or([_ended(element, ends) for element in elements])
        case _:
            return part
