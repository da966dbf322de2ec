"""Texts against grammars, and texts that grammars make."""

import random

import numpy as np

from engine.grammar.bitmask import new_bitmask
from engine.grammar.compiler import CompiledGrammar, GrammarCompiler
from engine.grammar.lark_source import lark_source
from engine.port.request import Grammar, GrammarKind
from tests.unit.engine.port.text import tiny_tokenizers

TOKENIZER = tiny_tokenizers.byte_level()
COMPILER = GrammarCompiler(TOKENIZER)
_ENDERS = frozenset('"}],')


def ids_of(text: str) -> list[int]:
    return TOKENIZER.encode(text, add_special_tokens=False)


def schema_grammar(source: str) -> str:
    """The rules of a JSON Schema's values. Raises InvalidGrammar where the server does."""
    written = lark_source(Grammar(GrammarKind.JSON_SCHEMA, source), TOKENIZER.token_id)
    assert written is not None
    return written.text


def allowed_ids(state_bits: np.ndarray[tuple[int, ...], np.dtype[np.int32]]) -> list[int]:
    bits = np.unpackbits(state_bits.view(np.uint8), bitorder="little")[: TOKENIZER.vocab_size]
    return [int(token_id) for token_id in bits.nonzero()[0]]


def accepts(grammar: CompiledGrammar, text: str, num_checked: int | None = None) -> bool:
    """Return whether the grammar allows the tokens of the text, and then its end.

    num_checked: how many of the last tokens are looked up in a mask; None for all.
    """
    state = grammar.start()
    row = new_bitmask(1, state.vocab_size)[0]
    token_ids = [*ids_of(text), *TOKENIZER.end_token_ids]
    first_checked = 0 if num_checked is None else max(len(token_ids) - num_checked, 0)
    for token_id in token_ids[:first_checked]:
        state.accept(token_id)
    for token_id in token_ids[first_checked:]:
        state.fill(row)
        if token_id not in allowed_ids(row.numpy()):
            return False
        state.accept(token_id)
    return state.is_complete


def generate(grammar: CompiledGrammar, seed: int, *, max_tokens: int = 200) -> str | None:
    """A text that the grammar allows, tokens drawn at random, those that end something more often; None if it
    is not complete by then.
    """
    generator = random.Random(seed)
    state = grammar.start()
    row = new_bitmask(1, state.vocab_size)[0]
    token_ids: list[int] = []
    while not state.is_complete and len(token_ids) < max_tokens:
        state.fill(row)
        allowed = allowed_ids(row.numpy())
        ending = [
            i for i in allowed if i in TOKENIZER.end_token_ids or TOKENIZER.token_text(i)[:1] in _ENDERS
        ]
        token_ids.append(generator.choice(ending if ending and generator.random() < 0.4 else allowed))
        state.accept(token_ids[-1])
    return TOKENIZER.decode(token_ids, skip_special_tokens=True) if state.is_complete else None
