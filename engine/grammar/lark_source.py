"""The translation of a request's grammar into llguidance's dialect. Imports no torch."""

from collections.abc import Callable
from typing import NamedTuple

from engine.grammar.lark.lark_grammar import LarkGrammar
from engine.grammar.patterns.pattern_terminals import PatternTerminals
from engine.grammar.schema.enforceable_document import parse_json
from engine.grammar.schema.writing.values import schema_rule
from engine.grammar.tags.formats import NoCounterpart
from engine.grammar.tags.structural_tag import tag_rule
from engine.port.errors import InvalidGrammar
from engine.port.request import Grammar, GrammarKind


class LarkSource(NamedTuple):
    """A grammar in llguidance's dialect, and what `LarkGrammar.unique_arrays` has."""

    text: str
    unique_arrays: list[int]


def lark_source(grammar: Grammar, token_id: Callable[[str], int | None]) -> LarkSource | None:
    """Return the translation; None for a grammar that only xgrammar reads.

    token_id: returns the id of the token of a name. Raises InvalidGrammar, naming the cause.
    """
    try:
        return _translated(grammar, token_id)
    except NoCounterpart:
        return None
    except RecursionError:
        raise InvalidGrammar("the grammar is nested too deep") from None


def _translated(grammar: Grammar, token_id: Callable[[str], int | None]) -> LarkSource:
    lark = LarkGrammar()
    match grammar.kind:
        case GrammarKind.JSON_SCHEMA:
            start = schema_rule(lark, parse_json(grammar.source))
        case GrammarKind.JSON_OBJECT:
            start = schema_rule(lark, {"type": "object"})
        case GrammarKind.REGEX:
            start = lark.terminal(PatternTerminals(lark, inside_json=False).whole(grammar.source))
        case GrammarKind.STRUCTURAL_TAG:
            start = tag_rule(lark, parse_json(grammar.source), token_id)
        case GrammarKind.EBNF:
            raise NoCounterpart
    return LarkSource(lark.text(start), lark.unique_arrays)
