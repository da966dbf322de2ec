"""The check that a grammar allows a text of finite length, made on the rules that xgrammar has parsed."""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import Any

import xgrammar

from engine.port.errors import InvalidGrammar


class _Kind(IntEnum):
    """The kinds of expressions in xgrammar 0.2.8's `Grammar.serialize_json` that consist of others; each is
    [kind, number of operands, *operands]. All other kinds have a finite text."""

    RULE = 4  # the number of a rule
    SEQUENCE = 5  # those of expressions
    CHOICES = 6  # those of expressions
    REPETITION = 8  # the number of a rule, at least so often, at most so often


def check_finiteness(grammar: xgrammar.Grammar) -> None:
    """Check that some text of the grammar can end, in time in proportion to the grammar's length.

    Raises InvalidGrammar, which names a rule whose text would never end.
    """
    rules = _Rules(json.loads(grammar.serialize_json()))
    if (name := rules.endless_name()) is not None:
        raise InvalidGrammar(f"rule {name}: its text would go on without end, since it must hold itself")


class _Rules:
    """The rules and expressions of one grammar, by their numbers."""

    def __init__(self, parsed: dict[str, Any]) -> None:
        self._names: list[str] = [rule[0] for rule in parsed["rules"]]
        self._bodies: list[int] = [rule[1] for rule in parsed["rules"]]
        self._root: int = parsed["root_rule_id"]
        data: list[int] = parsed["grammar_expr_data"]
        self._expressions = [
            (data[at], data[at + 2 : at + 2 + data[at + 1]]) for at in parsed["grammar_expr_indptr"]
        ]
        self._finite = self._finite_expressions()

    def endless_name(self) -> str | None:
        """Return the name of a rule that recurs before any text from the root can end; None if a text can
        end."""
        if self._bodies[self._root] in self._finite:
            return None
        rule, passed = self._root, set[int]()
        while rule not in passed:
            passed.add(rule)
            rule = self._endless_inner(self._bodies[rule])
        return self._names[rule]

    def _endless_inner(self, expression: int) -> int:
        """Return a rule without finite text that this expression without finite text needs."""
        while True:
            kind, operands = self._expressions[expression]
            if kind in (_Kind.RULE, _Kind.REPETITION):
                return operands[0]
            expression = next(inner for inner in operands if inner not in self._finite)

    def _finite_expressions(self) -> set[int]:
        """Return the least set of expressions whose text may be finite."""
        finite = set[int]()
        num_missing = [self._num_needed(kind, operands) for kind, operands in self._expressions]
        users: dict[int, list[int]] = defaultdict(list)
        for number in range(len(self._expressions)):
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
            case _Kind.SEQUENCE:
                return len(operands)
            case _Kind.CHOICES | _Kind.RULE:
                return 1
            case _Kind.REPETITION:
                return min(operands[1], 1)
            case _:
                return 0

    def _inner(self, number: int) -> Iterator[int]:
        kind, operands = self._expressions[number]
        match kind:
            case _Kind.SEQUENCE | _Kind.CHOICES:
                yield from operands
            case _Kind.RULE | _Kind.REPETITION:
                yield self._bodies[operands[0]]
