"""The check that a grammar allows a text of finite length, made on the rules that xgrammar has parsed."""

import xgrammar

from engine.grammar.ebnf.parsed_rules import Expression, Kind, ParsedRules
from engine.grammar.finiteness import endless_circle, endless_nodes
from engine.port.errors import InvalidGrammar

_Node = str | int
"""The name of a rule, or the number of an expression."""


def check_finiteness(grammar: xgrammar.Grammar) -> None:
    """Check that some text of the grammar can end.

    Raises InvalidGrammar, which names a rule whose text would never end.
    """
    rules = ParsedRules(grammar)
    needs: dict[_Node, list[list[_Node]]] = {
        name: [[body]] for name, body in zip(rules.names, rules.bodies, strict=True)
    }
    for number, expression in enumerate(rules.expressions):
        needs[number] = _needs(expression, rules.names)
    endless, root = endless_nodes(needs), rules.names[rules.root]
    if root in endless:
        name = next(node for node in endless_circle(needs, endless, root) if isinstance(node, str))
        raise InvalidGrammar(f"rule {name}: its text would go on without end, since it must hold itself")


def _needs(expression: Expression, names: list[str]) -> list[list[_Node]]:
    operands = expression.operands
    match expression.kind:
        case Kind.SEQUENCE:
            return [[inner] for inner in operands]
        case Kind.CHOICES:
            return [[*operands]]
        case Kind.RULE:
            return [[names[operands[0]]]]
        case Kind.REPETITION if operands[1] > 0:
            return [[names[operands[0]]]]
        case _:
            return []
