"""The rules of a grammar as xgrammar has parsed them."""

import json
from enum import IntEnum
from typing import Any, NamedTuple

import xgrammar


class Kind(IntEnum):
    """The kinds of expressions in xgrammar 0.2.8's `Grammar.serialize_json`."""

    BYTES = 0  # the bytes of a text
    CLASS = 1  # whether it is a complement, and the first and last characters of ranges
    CLASS_STAR = 2  # any number of the characters of such a class
    EMPTY = 3
    RULE = 4  # the number of a rule
    SEQUENCE = 5  # the numbers of expressions
    CHOICES = 6  # the numbers of expressions
    REPETITION = 8  # the number of a rule, at least so often, at most so often; -1 is without bound


class Expression(NamedTuple):
    """One expression, with the operands that `Kind` lists."""

    kind: int
    operands: list[int]


class ParsedRules:
    """The rules and expressions of one grammar, by their numbers.

    names, bodies: the name and the expression of each rule. root: the number of the first rule.
    """

    def __init__(self, grammar: xgrammar.Grammar) -> None:
        parsed: dict[str, Any] = json.loads(grammar.serialize_json())
        self.names: list[str] = [rule[0] for rule in parsed["rules"]]
        self.bodies: list[int] = [rule[1] for rule in parsed["rules"]]
        self.root: int = parsed["root_rule_id"]
        data: list[int] = parsed["grammar_expr_data"]
        self.expressions = [
            Expression(data[at], data[at + 2 : at + 2 + data[at + 1]]) for at in parsed["grammar_expr_indptr"]
        ]
