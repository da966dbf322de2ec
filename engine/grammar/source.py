"""A grammar from the text of a request to xgrammar's compiled form. Imports no torch."""

from typing import Any

import xgrammar

from engine.errors import InvalidGrammar
from engine.grammar.finiteness import check_finiteness
from engine.grammar.regex_pattern import check_regex
from engine.grammar.schema.json_schema import enforceable_schema
from engine.grammar.structural_tag import enforceable_tag
from engine.grammar.xgrammar_errors import refusing_in_own_words
from engine.request import Grammar, GrammarKind

MAX_SOURCE_LENGTH = 262_144  # characters

_ANY_OBJECT = '{"type": "object"}'


def check_length(grammar: Grammar) -> None:
    """Raise InvalidGrammar for a source over MAX_SOURCE_LENGTH."""
    if len(grammar.source) > MAX_SOURCE_LENGTH:
        raise InvalidGrammar(
            f"a grammar may have {MAX_SOURCE_LENGTH} characters; this one has {len(grammar.source)}"
        )


def checked_source(grammar: Grammar) -> str:
    """The source for `compile_source`, checked against all that xgrammar would not honour, and against
    grammars that allow no finite text.

    Takes up to seconds. Raises InvalidGrammar, naming the cause.
    """
    check_length(grammar)
    with refusing_in_own_words():
        match grammar.kind:
            case GrammarKind.JSON_SCHEMA:
                source = enforceable_schema(grammar.source)
                check_finiteness(xgrammar.Grammar.from_json_schema(source, any_whitespace=False))
                return source
            case GrammarKind.JSON_OBJECT:
                return _ANY_OBJECT
            case GrammarKind.REGEX:
                check_regex(grammar.source)
                return grammar.source
            case GrammarKind.EBNF:
                check_finiteness(xgrammar.Grammar.from_ebnf(grammar.source))
                return grammar.source
            case GrammarKind.STRUCTURAL_TAG:
                return enforceable_tag(grammar.source)


def compile_source(compiler: xgrammar.GrammarCompiler, kind: GrammarKind, source: str) -> Any:
    """An `xgrammar.CompiledGrammar`. Takes milliseconds to minutes. Raises InvalidGrammar, naming the cause.

    source: as `checked_source` returns it. compiler: made for `GrammarVocabulary.info` of that kind.
    """
    with refusing_in_own_words():
        match kind:
            case GrammarKind.JSON_SCHEMA | GrammarKind.JSON_OBJECT:
                # The layout of `json_layout`, which says why.
                return compiler.compile_json_schema(source, any_whitespace=False)
            case GrammarKind.REGEX:
                return compiler.compile_regex(source)
            case GrammarKind.EBNF:
                return compiler.compile_grammar(source)
            case GrammarKind.STRUCTURAL_TAG:
                return compiler.compile_structural_tag(source)
