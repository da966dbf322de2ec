"""The checks and the compilation of a grammar's source, from a request's text. Imports no torch."""

from typing import Any, NamedTuple

import xgrammar

from engine.grammar.finiteness import check_finiteness
from engine.grammar.printed_grammar import enforceable_ebnf, enforceable_regex
from engine.grammar.run_time.rules import RunTimeRules
from engine.grammar.schema.json_schema import EnforceableSchema, parse_json
from engine.grammar.structural_tag import enforceable_tag
from engine.grammar.xgrammar_errors import mapped_xgrammar_errors
from engine.port.errors import InvalidGrammar
from engine.port.request import Grammar, GrammarKind

MAX_SOURCE_LENGTH = 262_144  # characters

_ANY_OBJECT = '{"type": "object"}'


def check_length(grammar: Grammar) -> None:
    """Raise InvalidGrammar for a source over MAX_SOURCE_LENGTH."""
    if len(grammar.source) > MAX_SOURCE_LENGTH:
        raise InvalidGrammar(
            f"a grammar may have {MAX_SOURCE_LENGTH} characters; this one has {len(grammar.source)}"
        )


class CheckedSource(NamedTuple):
    """A source that xgrammar honours, and what the grammar leaves to `run_time`."""

    text: str  # for `compile_source`
    rules: RunTimeRules = RunTimeRules()


def checked_source(grammar: Grammar) -> CheckedSource:
    """Return the source in the form in which it is enforced.

    Takes up to seconds. Raises InvalidGrammar, naming the cause, for a source that xgrammar would not honour,
    or that allows no finite text.
    """
    check_length(grammar)
    with mapped_xgrammar_errors():
        match grammar.kind:
            case GrammarKind.JSON_SCHEMA:
                schema = EnforceableSchema(parse_json(grammar.source))
                source = schema.grammar()
                check_finiteness(xgrammar.Grammar.from_ebnf(source))
                return CheckedSource(source, schema.run_time_rules)
            case GrammarKind.JSON_OBJECT:
                return CheckedSource(_ANY_OBJECT)
            case GrammarKind.REGEX:
                return CheckedSource(enforceable_regex(grammar.source))
            case GrammarKind.EBNF:
                return CheckedSource(enforceable_ebnf(grammar.source))
            case GrammarKind.STRUCTURAL_TAG:
                return CheckedSource(*enforceable_tag(grammar.source))


def compile_source(compiler: xgrammar.GrammarCompiler, kind: GrammarKind, source: str) -> Any:
    """Return an `xgrammar.CompiledGrammar`. Takes milliseconds to minutes. Raises InvalidGrammar, naming the
    cause.

    source: the text that `checked_source` returns. compiler: made for `GrammarVocabulary.info` of that kind.
    """
    with mapped_xgrammar_errors():
        match kind:
            case GrammarKind.JSON_OBJECT:
                # The layout of `schema.layout`, which gives the reason.
                return compiler.compile_json_schema(source, any_whitespace=False)
            case GrammarKind.EBNF | GrammarKind.JSON_SCHEMA | GrammarKind.REGEX:
                return compiler.compile_grammar(source)
            case GrammarKind.STRUCTURAL_TAG:
                return compiler.compile_structural_tag(source)
