"""The check that a grammar allows a text of finite length, made on the rules that xgrammar has parsed."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import xgrammar

from engine.grammar.ebnf.parsed_rules import Kind, ParsedRules
from engine.port.errors import InvalidGrammar


def check_finiteness(grammar: xgrammar.Grammar) -> None:
    """Check that some text of the grammar can end, in time in proportion to the grammar's length.

    Raises InvalidGrammar, which names a rule whose text would never end.
    """
    rules = _FiniteRules(ParsedRules(grammar))
    if (name := rules.endless_name()) is not None:
        raise InvalidGrammar(f"rule {name}: its text would go on without end, since it must hold itself")


class _FiniteRules:
    """The rules of one grammar, and those of their expressions whose text may be finite."""

    def __init__(self, rules: ParsedRules) -> None:
        self._rules = rules
        self._finite = self._finite_expressions()

    def endless_name(self) -> str | None:
        """Return the name of a rule that recurs before any text from the root can end; None if a text can
        end."""
        if self._rules.bodies[self._rules.root] in self._finite:
            return None
        rule, passed = self._rules.root, set[int]()
        while rule not in passed:
            passed.add(rule)
            rule = self._endless_inner(self._rules.bodies[rule])
        return self._rules.names[rule]

    def _endless_inner(self, expression: int) -> int:
        """Return a rule without finite text that this expression without finite text needs."""
        while True:
            kind, operands = self._rules.expressions[expression]
            if kind in (Kind.RULE, Kind.REPETITION):
                return operands[0]
            expression = next(inner for inner in operands if inner not in self._finite)

    def _finite_expressions(self) -> set[int]:
        """Return the least set of expressions whose text may be finite."""
        finite = set[int]()
        num_missing = [self._num_needed(kind, operands) for kind, operands in self._rules.expressions]
        users: dict[int, list[int]] = defaultdict(list)
        for number in range(len(self._rules.expressions)):
            for inner in self._inner(number):
                users[inner].append(number)
        waiting = [number for number, missing in enumerate(num_missing) if missing <= 0]
        while waiting:
            number = waiting.pop()
            if number in finite:
                continue
            finite.add(number)
            for user in users[number]:
                num_missing[user] -= 1
                if num_missing[user] == 0:
                    waiting.append(user)
        return finite

    def _num_needed(self, kind: int, operands: Sequence[int]) -> int:
        """Return how many of the inner expressions have to be finite."""
        match kind:
            case Kind.SEQUENCE:
                return len(operands)
            case Kind.CHOICES | Kind.RULE:
                return 1
            case Kind.REPETITION:
                return min(operands[1], 1)
            case _:
                return 0

    def _inner(self, number: int) -> Iterator[int]:
        kind, operands = self._rules.expressions[number]
        match kind:
            case Kind.SEQUENCE | Kind.CHOICES:
                yield from operands
            case Kind.RULE | Kind.REPETITION:
                yield self._rules.bodies[operands[0]]
