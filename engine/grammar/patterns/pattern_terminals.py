"""The terminals of regular expressions.

What llguidance's terminals lack is said by `&` and `~`: a lookahead is an intersection with what follows, so
`T(?=[0-9])x*` becomes `"T" (/[0-9]/ ANY & /x*/)`.

A pattern stands for whole texts, or for the content of JSON strings, in which each character has one form:
itself, or the shortest escape.
"""

from collections.abc import Iterable
from functools import cache
from math import prod
from typing import Final

from engine.grammar.lark.byte_matcher import ByteMatcher
from engine.grammar.lark.lark_grammar import LarkGrammar
from engine.grammar.patterns.normal_pattern import WORD
from engine.grammar.patterns.parsed_pattern import (
    Node,
    characters_of,
    group_nodes,
    has_assertion,
    holds,
    may_be_empty,
    nodes_of,
    parsed_pattern,
    refusal,
)
from engine.grammar.patterns.unicode_properties import LAST_CHARACTER, Spans, other_spans, united
from engine.port.errors import InvalidGrammar

# Periods that hold together multiply the work of the lexer: `(?=(..)*$)(...)*$` has six states.
_MAX_PERIODS: Final = 2310

_SHORT_ESCAPES: Final = {'"': '"', "\\": "\\", "\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t"}
_ESCAPED: Final = (*range(0x20), ord('"'), ord("\\"))
_PLAIN: Final = other_spans(united((code, code) for code in _ESCAPED))


class PatternTerminals:
    """The terminals of patterns in one grammar."""

    def __init__(self, grammar: LarkGrammar, *, inside_json: bool) -> None:
        """inside_json: whether they are of the content of JSON strings, else of plain text."""
        self._grammar = grammar
        self._inside_json = inside_json
        self.character = _any_character(inside_json)
        """The regular expression of one character."""
        self._anything = grammar.terminal(f"/{self.character}*/")

    def whole(self, pattern: str) -> str:
        """Return the expression of the texts that match from their start to their end.

        Raises InvalidGrammar for a pattern that is malformed or not supported.
        """
        check_periods([pattern])
        nodes = parsed_pattern(pattern).nodes
        return self._satisfiable(pattern, self._sequence(nodes, None, at_start=True))

    def search(self, pattern: str) -> str:
        """Return the expression of the texts that hold a match; raises InvalidGrammar as `whole` does."""
        check_periods([pattern])
        nodes = parsed_pattern(pattern).nodes
        if not holds(nodes, "AT_BEGINNING"):
            return self._satisfiable(pattern, self._sequence(nodes, self._anything, leading=self._anything))
        something = self._terminal(f"/{self.character}+/")
        first = self._sequence(nodes, self._anything, at_start=True)
        return self._satisfiable(
            pattern, _either([first, self._sequence(nodes, self._anything, leading=something)])
        )

    def _satisfiable(self, pattern: str, expression: str | None) -> str:
        is_sure = expression is not None and "&" not in expression  # which no class has as it is
        if expression is None or not (is_sure or self._grammar.is_satisfiable(self._terminal(expression))):
            raise refusal(pattern, "no text matches it")
        return expression

    def _terminal(self, expression: str) -> str:
        return self._grammar.terminal(expression)

    def _sequence(
        self, nodes: list[Node], following: str | None, *, leading: str | None = None, at_start: bool = False
    ) -> str | None:
        """Return the expression of a match of the nodes between `leading` and `following`; None if there is
        none.

        leading, following: the names of terminals; None for nothing. at_start: whether the text begins here.
        """
        place = next((at for at, node in enumerate(nodes) if has_assertion(node)), len(nodes))
        before, rest = nodes[:place], nodes[place + 1 :]
        plain = self._plain(before)
        if place == len(nodes):
            return _joined([leading, plain, following])
        operator, operand = nodes[place]
        if operator == "AT" and str(operand) == "AT_BEGINNING":
            # What is before it can only be empty.
            return (
                self._sequence(rest, following, at_start=True) if at_start and may_be_empty(before) else None
            )
        if operator == "AT" and str(operand) in ("AT_BOUNDARY", "AT_NON_BOUNDARY"):
            if holds(rest, "AT_BEGINNING") or (leading is None and not at_start and may_be_empty(before)):
                raise InvalidGrammar(
                    "regular expression: a word boundary before ^ or in a group is not supported"
                )
            then = self._sequence(rest, following)
            if then is None:
                return None
            left = _joined([leading, plain])
            return self._boundary(left, then, is_one=str(operand) == "AT_BOUNDARY")
        if at_start and before and may_be_empty(before) and holds(nodes[place:], "AT_BEGINNING"):
            return _either(
                [self._sequence(nodes[place:], following, at_start=True), self._sequence(nodes, following)]
            )
        after = self._after(nodes[place], rest, following, at_start=at_start and not before)
        return None if after is None else _joined([leading, plain, f"({after})"])

    def _boundary(self, left: str, then: str, *, is_one: bool) -> str:
        """Return the expression of what meets where exactly one side has a character of a word, or else where
        both sides have or neither has."""
        word = _class(WORD, inside_json=self._inside_json)
        left, then = self._terminal(left), self._terminal(then)
        ends, begins = f"/{self.character}*{word}/", f"/{word}{self.character}*/"
        sides = [("", "~"), ("~", "")] if is_one else [("", ""), ("~", "~")]
        return " | ".join(f"(({left} & {one}{ends}) ({then} & {other}{begins}))" for one, other in sides)

    def _after(self, node: Node, rest: list[Node], following: str | None, *, at_start: bool) -> str | None:
        """Return the expression of a node that has assertions, of those after it, and of `following`."""
        operator, operand = node
        if operator in ("SUBPATTERN", "BRANCH", "MAX_REPEAT", "MIN_REPEAT") and holds(rest, "AT_BEGINNING"):
            raise InvalidGrammar("regular expression: ^ after a group with an anchor is not supported")
        then = self._sequence(rest, following, at_start=at_start)
        if then is None:
            return None
        match operator:
            case "AT" if str(operand) == "AT_END":
                return '""' if then == self._anything else f'"" & {self._terminal(then)}'
            case "ASSERT" | "ASSERT_NOT" if operand[0] == 1:
                ahead = self._sequence(nodes_of(operand[1]), self._anything, at_start=at_start)
                if operator == "ASSERT":
                    return None if ahead is None else f"({self._terminal(ahead)} & {self._terminal(then)})"
                return then if ahead is None else f"({self._terminal(then)} & ~{self._terminal(ahead)})"
            case "SUBPATTERN":
                return self._sequence(group_nodes(operand), self._terminal(then), at_start=at_start)
            case "BRANCH":
                name = self._terminal(then)
                branches = [
                    self._sequence(nodes_of(branch), name, at_start=at_start) for branch in operand[1]
                ]
                return _either(branches)
            case "MAX_REPEAT" | "MIN_REPEAT" if (operand[0], operand[1]) == (0, 1):
                name = self._terminal(then)
                return _either([name, self._sequence(nodes_of(operand[2]), name, at_start=at_start)])
        raise InvalidGrammar(
            f"regular expression: {_NAMES.get(operator, 'an anchor in a repetition')} is not supported"
        )

    def _plain(self, nodes: list[Node]) -> str | None:
        """Return the regular expression of nodes without assertions; None if there are none."""
        return f"/{''.join(self._node(node) for node in nodes)}/" if nodes else None

    def _node(self, node: Node) -> str:
        operator, operand = node
        if (spans := characters_of(operator, operand)) is not None:
            return _class(spans, inside_json=self._inside_json)
        match operator:
            case "SUBPATTERN":
                return f"(?:{''.join(map(self._node, group_nodes(operand)))})"
            case "BRANCH":
                branches = ("".join(map(self._node, nodes_of(branch))) for branch in operand[1])
                return f"(?:{'|'.join(branches)})"
            case "MAX_REPEAT" | "MIN_REPEAT":
                low, high, repeated = operand
                inner = "".join(map(self._node, nodes_of(repeated)))
                return f"(?:{inner}){{{low},{'' if str(high) == 'MAXREPEAT' else high}}}"
        raise InvalidGrammar(f"regular expression: {_NAMES.get(operator, operator.lower())} is not supported")


class PatternTest:
    """A pattern that finds its matches in texts."""

    def __init__(self, pattern: str) -> None:
        """Raise InvalidGrammar for a pattern that is malformed or not supported."""
        grammar = LarkGrammar()
        found = grammar.terminal(PatternTerminals(grammar, inside_json=False).search(pattern))
        self._matcher = ByteMatcher(grammar.text(found))

    def finds(self, text: str) -> bool:
        """Return whether the text holds a match."""
        self._matcher.restart()
        return self._matcher.follow(text.encode()) and self._matcher.is_whole


def check_periods(patterns: Iterable[str]) -> None:
    """Raise InvalidGrammar if the periods of patterns that hold together multiply too much for the lexer."""
    if prod(set[int]().union(*(parsed_pattern(pattern).periods for pattern in patterns))) > _MAX_PERIODS:
        raise InvalidGrammar("regular expression: groups of several lengths are repeated without an end")


def _class(spans: Spans, *, inside_json: bool) -> str:
    """Return the regular expression of one of these characters.

    Raises InvalidGrammar if there is none.
    """
    spans = united(spans)
    if not spans:
        raise InvalidGrammar("regular expression: a character class that has no character")
    if not inside_json:
        return written_class(spans)
    plain = _intersection(spans, _PLAIN)
    escaped = [chr(code) for code in _ESCAPED if any(first <= code <= last for first, last in spans)]
    short = [_SHORT_ESCAPES[sign] for sign in escaped if sign in _SHORT_ESCAPES]
    long = [f"{ord(sign):02x}" for sign in escaped if sign not in _SHORT_ESCAPES]
    rows = {first: "".join(code[1] for code in long if code[0] == first) for first in "01"}
    choices = [
        *([written_class(plain)] if plain else []),
        *([rf"\\{written_class(united((ord(sign), ord(sign)) for sign in short))}"] if short else []),
        *(rf"\\u00{first}[{others}]" for first, others in rows.items() if others),
    ]
    return choices[0] if len(choices) == 1 else f"(?:{'|'.join(choices)})"


@cache
def _any_character(inside_json: bool) -> str:
    return _class([(0, LAST_CHARACTER)], inside_json=inside_json)


def _intersection(some: Spans, others: Spans) -> Spans:
    """Return the characters of both, each in ascending spans."""
    pairs = ((max(a, c), min(b, d)) for a, b in some for c, d in others)
    return [(first, last) for first, last in pairs if first <= last]


def written_class(spans: Spans) -> str:
    """Return the regular expression of one of these characters, in ascending spans."""
    if len(spans) == 1 and spans[0][0] == spans[0][1]:
        return _written(spans[0][0])
    ranges = (
        _written(first) if first == last else f"{_written(first)}-{_written(last)}" for first, last in spans
    )
    return f"[{''.join(ranges)}]"


def _written(code: int) -> str:
    letter = chr(code)
    return letter if letter.isascii() and letter.isalnum() else rf"\x{{{code:x}}}"


def _joined(parts: list[str | None]) -> str:
    """Return the expression of texts after each other; of the empty text if there are none."""
    return " ".join(part for part in parts if part) or '""'


def _either(choices: list[str | None]) -> str | None:
    possible = [choice for choice in choices if choice is not None]
    if not possible:
        return None
    return possible[0] if len(possible) == 1 else f"({' | '.join(possible)})"


_NAMES: Final = {
    "ASSERT": "looking behind, or around in a repetition,",
    "ASSERT_NOT": "looking behind, or around in a repetition,",
    "GROUPREF": "a back reference",
}
