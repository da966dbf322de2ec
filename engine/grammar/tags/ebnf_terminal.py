"""The terminals of grammars in xgrammar's notation that are as regular as an expression."""

from typing import Final

import xgrammar

from engine.grammar.ebnf.parsed_rules import Kind, ParsedRules
from engine.grammar.ebnf.printed_grammar import enforceable_ebnf
from engine.grammar.ebnf.xgrammar_errors import mapped_xgrammar_errors
from engine.grammar.lark.lark_grammar import LarkGrammar, literal
from engine.grammar.patterns.pattern_terminals import written_class
from engine.grammar.patterns.unicode_properties import other_spans, united
from engine.grammar.tags.formats import NoCounterpart

_EMPTY: Final = '""'


def ebnf_terminal(grammar: LarkGrammar, rules: str) -> str:
    """Return the name of a terminal of the texts of a grammar.

    Raises InvalidGrammar; NoCounterpart for rules that hold themselves other than at their end.
    """
    with mapped_xgrammar_errors():
        parsed = ParsedRules(xgrammar.Grammar.from_ebnf(enforceable_ebnf(rules)))
    return _RegularRules(grammar, parsed).terminal(parsed.root)


class _RegularRules:
    """The terminals of one grammar's rules."""

    def __init__(self, grammar: LarkGrammar, rules: ParsedRules) -> None:
        self._grammar = grammar
        self._rules = rules
        self._terminals: dict[int, str] = {}
        self._open: set[int] = set()  # rules whose terminals are being written

    def terminal(self, rule: int) -> str:
        """Return the name of the terminal of a rule."""
        if rule in self._open:
            raise NoCounterpart
        if rule not in self._terminals:
            self._open.add(rule)
            self._terminals[rule] = self._grammar.terminal(self._body(rule))
            self._open.remove(rule)
        return self._terminals[rule]

    def _body(self, rule: int) -> str:
        """Return the expression of a rule. One that may hold itself at its end, as xgrammar writes `x*`, is a
        repetition."""
        again: list[str] = []
        once: list[str] = []
        for choice in self._choices(self._rules.bodies[rule]):
            parts = self._sequence(choice)
            goes_on = bool(parts) and self._rules.expressions[parts[-1]] == (Kind.RULE, [rule])
            body = " ".join(self._expression(part) for part in (parts[:-1] if goes_on else parts)) or _EMPTY
            (again if goes_on else once).append(body)
        last = f"({' | '.join(once)})"
        return f"({' | '.join(again)})* {last}" if again else last

    def _choices(self, expression: int) -> list[int]:
        kind, operands = self._rules.expressions[expression]
        return operands if kind == Kind.CHOICES else [expression]

    def _sequence(self, expression: int) -> list[int]:
        kind, operands = self._rules.expressions[expression]
        return operands if kind == Kind.SEQUENCE else [expression]

    def _expression(self, expression: int) -> str:
        kind, operands = self._rules.expressions[expression]
        match kind:
            case Kind.BYTES:
                return literal(bytes(operands).decode())
            case Kind.CLASS:
                return f"/{_class(operands)}/"
            case Kind.CLASS_STAR:
                return f"/{_class(operands)}*/"
            case Kind.EMPTY:
                return _EMPTY
            case Kind.RULE:
                return self.terminal(operands[0])
            case Kind.SEQUENCE:
                return " ".join(map(self._expression, operands))
            case Kind.CHOICES:
                return f"({' | '.join(map(self._expression, operands))})"
            case Kind.REPETITION:
                rule, low, high = operands
                return f"({self.terminal(rule)}){{{low},{'' if high < 0 else high}}}"
        raise NoCounterpart


def _class(operands: list[int]) -> str:
    is_complement, *ends = operands
    spans = united(zip(ends[::2], ends[1::2], strict=True))
    return written_class(other_spans(spans) if is_complement else spans)
