"""Regular expressions of ECMA 262, as JSON Schema's `pattern` has them, read once by Python's `re`."""

import re
import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final

from engine.grammar.patterns.normal_pattern import normal_pattern
from engine.grammar.patterns.unicode_properties import Spans, other_spans
from engine.port.errors import InvalidGrammar

_PARSER: Any = vars(re)["_parser"]  # a private module; the tests of this one notice a change
_FOREIGN: Final = re.compile(r"\\.|(\{,|\(\?#)", re.DOTALL)
_ASSERTIONS: Final = frozenset(("AT", "ASSERT", "ASSERT_NOT"))
_MAX_CASES: Final = 4096  # characters of a class of which the other case is looked up

Node = tuple[str, Any]
"""The name of an operator of `re`'s parser, and its operand."""


class ParsedPattern:
    """A pattern, read once."""

    def __init__(self, source: str) -> None:
        """Read the pattern. Raises InvalidGrammar for one that is malformed or not supported."""
        tree = _tree(source)
        self.nodes = nodes_of(tree)
        self.least, self.most = tree.getwidth()
        """The fewest and the most characters of a text that matches as a whole; the most are above any length
        that a schema may give where there is no bound."""
        self.periods = {*_periods(self.nodes)}
        """The lengths of groups of one length that are repeated."""

    @property
    def is_anchored(self) -> bool:
        """True if the pattern begins with ^ and ends with $, outside of groups and alternatives."""
        edges = (*self.nodes[:1], *self.nodes[-1:])
        anchors = [str(operand) for operator, operand in edges if operator == "AT"]
        return anchors == ["AT_BEGINNING", "AT_END"]


parsed_pattern = lru_cache(256)(ParsedPattern)
"""Return the pattern of a source; those of formats come again and again."""


def _tree(pattern: str) -> Any:
    normal = normal_pattern(pattern)
    for found in _FOREIGN.finditer(normal):
        if found[1]:
            raise refusal(pattern, f"{found[1]!r} at character {found.start()}, which is not supported")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tree = _PARSER.parse(normal)
    except (re.error, OverflowError, Warning) as error:
        raise refusal(pattern, str(error)) from None
    if tree.state.flags & ~(re.UNICODE | re.IGNORECASE):
        raise refusal(pattern, "flags other than i are not supported")
    return tree


def nodes_of(parsed: Any) -> list[Node]:
    """Return the nodes of a parsed pattern; those of one character as SPANS where case is ignored."""
    ignores_case = bool(parsed.state.flags & re.IGNORECASE)
    found = list[Node]()
    for operator, operand in parsed:
        name = str(operator)
        characters = characters_of(name, operand, ignores_case=True) if ignores_case else None
        found.append((name, operand) if characters is None else ("SPANS", characters))
    return found


def group_nodes(operand: Any) -> list[Node]:
    """Return the nodes of a group. Raises InvalidGrammar for one that has flags."""
    if operand[1] or operand[2]:
        raise InvalidGrammar("regular expression: flags of a group are not supported")
    return nodes_of(operand[3])


def _inner(node: Node) -> list[Any]:
    """Return the parsed patterns inside a node."""
    operator, operand = node
    match operator:
        case "SUBPATTERN":
            return [operand[3]]
        case "BRANCH":
            return list(operand[1])
        case "MAX_REPEAT" | "MIN_REPEAT":
            return [operand[2]]
        case "ASSERT" | "ASSERT_NOT":
            return [operand[1]]
    return []


def has_assertion(node: Node) -> bool:
    inside = (each for one in _inner(node) for each in nodes_of(one))
    return node[0] in _ASSERTIONS or any(map(has_assertion, inside))


def holds(nodes: Iterable[Node], anchor: str) -> bool:
    return any(
        (node[0] == "AT" and str(node[1]) == anchor)
        or any(holds(nodes_of(one), anchor) for one in _inner(node))
        for node in nodes
    )


def may_be_empty(nodes: list[Node]) -> bool:
    """Return whether the nodes match the empty text."""
    for node in nodes:
        operator, operand = node
        if operator in _ASSERTIONS or (operator in ("MAX_REPEAT", "MIN_REPEAT") and not operand[0]):
            continue
        inner = _inner(node)
        if not inner or not any(may_be_empty(nodes_of(one)) for one in inner):
            return False
    return True


def _periods(nodes: Iterable[Node]) -> Iterator[int]:
    """Yield the lengths of groups of one length that are repeated."""
    for operator, operand in nodes:
        if operator in ("MAX_REPEAT", "MIN_REPEAT") and operand[1] != 1:
            low, high = operand[2].getwidth()
            if low == high > 1:
                yield low
        for one in _inner((operator, operand)):
            yield from _periods(nodes_of(one))


def characters_of(operator: str, operand: Any, *, ignores_case: bool = False) -> Spans | None:
    """Return the characters that a node matches; None for a node that is not of one character."""
    match operator:
        case "SPANS":
            spans: Spans = operand
            return spans
        case "LITERAL" | "NOT_LITERAL":
            found, is_complement = [(operand, operand)], operator == "NOT_LITERAL"
        case "IN":
            found = [
                value if str(kind) == "RANGE" else (value, value)
                for kind, value in operand
                if str(kind) != "NEGATE"
            ]
            is_complement = any(str(kind) == "NEGATE" for kind, _ in operand)
        case _:
            return None
    if ignores_case:
        found = _in_both_cases(found)
    return other_spans(sorted(found)) if is_complement else sorted(found)


def _in_both_cases(spans: Spans) -> Spans:
    if sum(last - first + 1 for first, last in spans) > _MAX_CASES:
        return spans  # nearly all characters, or a whole script
    letters = (chr(code) for first, last in spans for code in range(first, last + 1))
    others = (other for letter in letters for other in (letter.upper(), letter.lower()) if len(other) == 1)
    return [*spans, *((ord(other), ord(other)) for other in others)]


def refusal(pattern: str, cause: str) -> InvalidGrammar:
    around = pattern if len(pattern) <= 40 else pattern[:40] + "…"
    return InvalidGrammar(f"regular expression {around!r}: {cause}")
