"""The checks and the compilation of a grammar's source, from a request's text. Imports no torch."""

from typing import Any

import xgrammar

from engine.grammar.ebnf.printed_grammar import enforceable_ebnf
from engine.grammar.ebnf.structural_tag import enforceable_tag
from engine.grammar.ebnf.xgrammar_errors import mapped_xgrammar_errors
from engine.port.request import Grammar, GrammarKind


def checked_source(grammar: Grammar) -> str:
    """Return the source in the form in which it is enforced.

    Takes up to seconds. Raises InvalidGrammar, naming the cause, for a source that xgrammar would not honour,
    or that allows no finite text.
    """
    with mapped_xgrammar_errors():
        if grammar.kind is GrammarKind.EBNF:
            return enforceable_ebnf(grammar.source)
        return enforceable_tag(grammar.source)


def compile_source(compiler: xgrammar.GrammarCompiler, kind: GrammarKind, source: str) -> Any:
    """Return an `xgrammar.CompiledGrammar`. Takes milliseconds to minutes. Raises InvalidGrammar, naming the
    cause.

    source: the text that `checked_source` returns. compiler: made for `GrammarVocabulary.info` of that kind.
    """
    with mapped_xgrammar_errors():
        if kind is GrammarKind.EBNF:
            return compiler.compile_grammar(source)
        return compiler.compile_structural_tag(source)
