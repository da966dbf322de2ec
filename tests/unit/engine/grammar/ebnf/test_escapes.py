"""An escape of rules is one character, and what is none is refused by name, in every kind of grammar."""

import random

import pytest
import xgrammar

from engine.grammar.ebnf.printed_grammar import enforceable_ebnf
from engine.port.errors import InvalidGrammar
from engine.port.request import Grammar, GrammarKind
from tests.unit.engine.grammar.grammar_cases import COMPILER

_CHARACTERS = 'Ab0 _-]^$."\\/\n\t\x01\x7fé\xa0ßЛ\u2028\uffee😀😂'
_BYTES = xgrammar.TokenizerInfo([bytes([byte]) for byte in range(256)], vocab_type=xgrammar.VocabType.RAW)
RULES = xgrammar.GrammarCompiler(_BYTES)


def _numbered(character: str) -> list[str]:
    """Return the escapes that name a character by its number."""
    code, units = ord(character), character.encode("utf-16-be").hex()
    pair = "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
    return [pair, f"\\u{{{code:X}}}", f"\\U{code:08x}", *([f"\\x{code:02x}"] if code < 256 else [])]


@pytest.mark.parametrize("seed", range(8))
def test_an_escape_of_rules_is_one_character(seed: int) -> None:
    draw = random.Random(seed)
    text = "".join(draw.choices(_CHARACTERS, k=5))
    first, last = sorted(draw.choices(_CHARACTERS, k=2))
    literal, low, high = (
        "".join(draw.choice(_numbered(one)) for one in group) for group in (text, first, last)
    )
    compiled = RULES.compile_grammar(enforceable_ebnf(f'root ::= "{literal}" [{low}-{high}b]  # é "\\x"'))

    def is_allowed(text: str) -> bool:
        matcher = xgrammar.GrammarMatcher(compiled)
        return bool(matcher.accept_string(text) and matcher.is_completed())

    for end in _CHARACTERS:
        assert is_allowed(text + end) == (first <= end <= last or end == "b"), (literal, low, high)
    assert not is_allowed(text)


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        (GrammarKind.EBNF, r'root ::= "\ud83d"'),
        (GrammarKind.EBNF, r'root ::= "\x4"'),
        (GrammarKind.EBNF, r'root ::= "a\0"'),
        (GrammarKind.EBNF, r"root ::= [\x00]"),
        (GrammarKind.EBNF, 'root ::= "\ud83d"'),
        (GrammarKind.EBNF, 'röt ::= "a"\nroot ::= röt'),
        (GrammarKind.EBNF, 'root ::= Regex("((a{0,99}){0,99}){0,99}")'),
        (GrammarKind.JSON_SCHEMA, r'{"enum": ["\ud83d"]}'),
        (GrammarKind.JSON_SCHEMA, r'{"properties": {"a": {"properties": {"\ud83dx": {}}}}}'),
        (GrammarKind.JSON_SCHEMA, r'{"enum": [1, {"\ude00": "\ud83d\ude00"}]}'),
        (
            GrammarKind.STRUCTURAL_TAG,
            r'{"type": "structural_tag", "format": {"type": "const_string", "value": "\ud83d"}}',
        ),
    ],
)
def test_what_is_no_character_or_no_name_is_refused_by_name(kind: GrammarKind, source: str) -> None:
    with pytest.raises(InvalidGrammar, match="no character|hexadecimal digits|U\\+0000|names of rules|Regex"):
        COMPILER.compile(Grammar(kind, source))
