"""Texts against grammars, and texts that grammars make."""

import random

import numpy as np
import xgrammar

from engine.grammar.compiler import CompiledGrammar, GrammarCompiler
from engine.grammar.schema.json_schema import EnforceableSchema, parse_json
from tests.unit.engine.port.text import tiny_tokenizers

TOKENIZER = tiny_tokenizers.byte_level()
COMPILER = GrammarCompiler(TOKENIZER)
_ENDERS = frozenset('"}],')


def ids_of(text: str) -> list[int]:
    return TOKENIZER.encode(text, add_special_tokens=False)


def schema_grammar(source: str) -> str:
    """The EBNF of a JSON Schema's values. Raises InvalidGrammar where the server does."""
    return EnforceableSchema(parse_json(source)).grammar()


def allowed_ids(state_bits: np.ndarray[tuple[int, ...], np.dtype[np.int32]]) -> list[int]:
    bits = np.unpackbits(state_bits.view(np.uint8), bitorder="little")[: TOKENIZER.vocab_size]
    return [int(token_id) for token_id in bits.nonzero()[0]]


def accepts(grammar: CompiledGrammar, text: str, num_checked: int | None = None) -> bool:
    """Return whether the grammar allows the tokens of the text, and then its end.

    num_checked: how many of the last tokens are looked up in a mask; None for all.
    """
    state = grammar.start()
    bitmask = xgrammar.allocate_token_bitmask(1, TOKENIZER.vocab_size)
    token_ids = [*ids_of(text), *TOKENIZER.end_token_ids]
    first_checked = 0 if num_checked is None else max(len(token_ids) - num_checked, 0)
    for token_id in token_ids[:first_checked]:
        state.accept(token_id)
    for token_id in token_ids[first_checked:]:
        excludes = state.fill(bitmask, 0)
        if excludes and token_id not in allowed_ids(bitmask[0].numpy()):
            return False
        state.accept(token_id)
    return state.is_complete


def generate(grammar: CompiledGrammar, seed: int, *, max_tokens: int = 200) -> str | None:
    """A text that the grammar allows, tokens drawn at random, those that end something more often; None if it
    is not complete by then.
    """
    generator = random.Random(seed)
    state = grammar.start()
    bitmask = xgrammar.allocate_token_bitmask(1, TOKENIZER.vocab_size)
    token_ids: list[int] = []
    while not state.is_complete and len(token_ids) < max_tokens:
        bitmask.fill_(-1)
        state.fill(bitmask, 0)
        allowed = allowed_ids(bitmask[0].numpy())
        ending = [
            i for i in allowed if i in TOKENIZER.end_token_ids or TOKENIZER.token_text(i)[:1] in _ENDERS
        ]
        token_ids.append(generator.choice(ending if ending and generator.random() < 0.4 else allowed))
        state.accept(token_ids[-1])
    return TOKENIZER.decode(token_ids, skip_special_tokens=True) if state.is_complete else None
