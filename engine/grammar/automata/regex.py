"""The automaton of a regular expression, as JSON Schema's `pattern` has it: ECMA 262.

The reader is that of Python's `re`, for the normal form. Forms that ECMA reads otherwise are refused: `{,n}`,
flags. So is lookaround other than at the start, after `^`.
"""

import re
import warnings
from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any, cast

from engine.grammar.automata.automaton import LAST_CHARACTER, Automaton, Work
from engine.grammar.automata.net import MAX_NODES, Net
from engine.grammar.normal_pattern import normal_pattern
from engine.grammar.unicode_properties import Spans, other_spans, united
from engine.port.errors import InvalidGrammar

# The start and the end of the text, read as characters, so that ^ and $ may stand anywhere.
_START, _END = LAST_CHARACTER + 1, LAST_CHARACTER + 2

_PARSER: Any = vars(re)["_parser"]  # a private module; the tests of this one notice a change
_FOREIGN = re.compile(r"\\.|(\{,|\(\?#)", re.DOTALL)


def regex_automaton(pattern: str, work: Work, *, is_search: bool = False) -> Automaton:
    """Return the automaton of the texts that match as a whole, or with is_search, that hold a match.

    Raises InvalidGrammar for a pattern that is malformed, is not supported, or needs too many states.
    """
    nodes = list(_parsed(pattern))
    lookarounds, body = _split_lookarounds(nodes)
    made = _automaton(body, work, after=is_search or not body, before=is_search and not lookarounds)
    for is_wanted, inner in lookarounds:
        ahead = _automaton(inner, work, after=True, before=False)
        made = made.intersection(ahead if is_wanted else ahead.complement(), work)
    return made


def combined_automaton(patterns: Sequence[str], work: Work, *, is_search: bool) -> Automaton:
    """Return the smallest automaton of the texts that match all patterns, as in `regex_automaton`; without
    states if there are none."""
    parts = (regex_automaton(pattern, work, is_search=is_search) for pattern in patterns)
    return reduce(lambda one, other: one.intersection(other, work), parts).minimal(work)


def pattern_width(pattern: str) -> tuple[int, int]:
    """Return the fewest and the most characters of a text that matches as a whole; the most may be too many.

    Raises InvalidGrammar for a pattern that is malformed or not supported.
    """
    tree = _parsed(pattern)
    _, body = _split_lookarounds(list(tree))
    if not body:  # any text may follow
        return 0, LAST_CHARACTER
    return cast("tuple[int, int]", tree.getwidth())


def repeated_characters(pattern: str) -> tuple[Spans, int, int | None] | None:
    """Return the ascending characters that a pattern repeats, how often it does at least, and at most, None
    if there is no bound; None for a pattern that is more than one such repetition, or not supported."""
    try:
        nodes = [(str(operator), operand) for operator, operand in _parsed(pattern)]
    except InvalidGrammar:
        return None
    if nodes and nodes[0][0] == "AT" and str(nodes[0][1]) == "AT_BEGINNING":
        del nodes[0]
    if nodes and nodes[-1][0] == "AT" and str(nodes[-1][1]) == "AT_END":
        del nodes[-1]
    if len(nodes) != 1 or nodes[0][0] not in ("MAX_REPEAT", "MIN_REPEAT"):
        return None
    low, high, repeated = nodes[0][1]
    if len(repeated) != 1 or (spans := _spans(str(repeated[0][0]), repeated[0][1])) is None:
        return None
    return united(spans), low, None if str(high) == "MAXREPEAT" else high


def _parsed(pattern: str) -> Any:
    pattern = normal_pattern(pattern)
    for found in _FOREIGN.finditer(pattern):
        if found[1]:
            raise _refusal(pattern, f"{found[1]!r} at character {found.start()}, which is not supported")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tree = _PARSER.parse(pattern)
    except RecursionError:
        raise _refusal(pattern, "it is nested too deep") from None
    except (re.error, OverflowError, Warning) as error:
        raise _refusal(pattern, str(error)) from None
    if tree.state.flags & ~re.UNICODE:
        raise _refusal(pattern, "flags are not supported")
    return tree


def _split_lookarounds(nodes: list[Any]) -> tuple[list[tuple[bool, list[Any]]], list[Any]]:
    """Return the lookaheads after ^ at the start, each with whether it has to match, and the rest."""
    if not nodes or str(nodes[0][0]) != "AT":
        return [], nodes
    found, at = [], 1
    while at < len(nodes) and str(nodes[at][0]) in ("ASSERT", "ASSERT_NOT") and nodes[at][1][0] == 1:
        found.append((str(nodes[at][0]) == "ASSERT", list(nodes[at][1][1])))
        at += 1
    return (found, nodes[at:]) if found else ([], nodes)


def _automaton(nodes: list[Any], work: Work, *, before: bool, after: bool) -> Automaton:
    """Return the automaton of the texts in which these nodes match from the start (or with `before`, from
    anywhere) to the end (or with `after`, to anywhere)."""
    net = _RegexNet()
    start = net.node()
    inner = net.node()
    if before:
        net.arcs[start].append((0, _END, start))
    else:
        net.arcs[start].append((_START, _START, inner))
    net.jumps[start].append(inner)
    end = net.sequence(nodes, inner)
    final = net.node()
    net.jumps[end].append(final)
    if after:
        net.arcs[final].append((0, _END, final))
    else:
        net.arcs[end].append((_END, _END, final))
    at_start = net.node()  # without arcs, it tells the start of the text from the same nodes later on
    first = net.at_markers(net.reached(net.closure([start], work), _START, work), [_START], work)

    def accepts(nodes: frozenset[int]) -> bool:
        markers = [_START, _END] if at_start in nodes else [_END]
        return final in net.at_markers(nodes, markers, work)

    return net.deterministic(first | {at_start}, accepts, work)


class _RegexNet(Net):
    """The nodes of a parsed pattern."""

    def __init__(self) -> None:
        super().__init__(f"regular expression: repetitions amount to more than {MAX_NODES} characters")

    def at_markers(self, nodes: frozenset[int], markers: list[int], work: Work) -> frozenset[int]:
        """Return the nodes, and those that are reached by reading markers, each any number of times."""
        while True:
            reached = nodes.union(*(self.reached(nodes, marker, work) for marker in markers))
            if reached == nodes:
                return nodes
            nodes = reached

    def sequence(self, nodes: Iterable[Any], start: int) -> int:
        """Add the nodes behind `start`; return the last one."""
        for operator, operand in nodes:
            start = self._add(str(operator), operand, start)
        return start

    def _add(self, operator: str, operand: Any, start: int) -> int:
        if (spans := _spans(operator, operand)) is not None:
            end = self.node()
            self.arcs[start] += [(low, high, end) for low, high in spans]
            return end
        match operator:
            case "AT" if str(operand) in ("AT_BEGINNING", "AT_END"):
                end = self.node()
                marker = _START if str(operand) == "AT_BEGINNING" else _END
                self.arcs[start].append((marker, marker, end))
                return end
            case "SUBPATTERN" if not operand[1] and not operand[2]:
                return self.sequence(operand[3], start)
            case "BRANCH":
                end = self.node()
                for branch in operand[1]:
                    self.jumps[self.sequence(branch, self.after(start))].append(end)
                return end
            case "MAX_REPEAT" | "MIN_REPEAT":
                low, high, repeated = operand
                return self._repeat(low, high, repeated, start)
        raise InvalidGrammar(f"regular expression: {_NAMES.get(operator, operator.lower())} is not supported")

    def _repeat(self, low: int, high: Any, nodes: Any, start: int) -> int:
        for _ in range(low):
            start = self.sequence(nodes, self.after(start))
        end = self.node()
        self.jumps[start].append(end)
        if str(high) == "MAXREPEAT":
            first = self.after(start)
            last = self.sequence(nodes, first)
            self.jumps[last] += [first, end]
            return end
        for _ in range(high - low):
            start = self.sequence(nodes, self.after(start))
            self.jumps[start].append(end)
        return end


_NAMES = {
    "ASSERT": "lookaround, except after ^ at the start,",
    "ASSERT_NOT": "lookaround, except after ^ at the start,",
}


def _spans(operator: str, operand: Any) -> Spans | None:
    """Return the characters that a node matches; None for a node that is not of one character."""
    match operator:
        case "LITERAL":
            return [(operand, operand)]
        case "NOT_LITERAL":
            return other_spans([(operand, operand)])
        case "IN":
            spans = sorted(
                value if str(kind) == "RANGE" else (value, value)
                for kind, value in operand
                if str(kind) != "NEGATE"
            )
            return other_spans(spans) if any(str(kind) == "NEGATE" for kind, _ in operand) else spans
    return None


def _refusal(pattern: str, cause: str) -> InvalidGrammar:
    around = pattern if len(pattern) <= 40 else pattern[:40] + "…"
    return InvalidGrammar(f"regular expression {around!r}: {cause}")
