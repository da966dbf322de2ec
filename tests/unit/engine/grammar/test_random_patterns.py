"""A pattern of a schema allows the strings that match it, and no text that is no JSON."""

import itertools
import json
import random
import re
from collections.abc import Callable

import pytest
import xgrammar

from engine.grammar.ebnf.printed_grammar import enforceable_ebnf
from engine.grammar.lark.byte_matcher import ByteMatcher
from engine.grammar.lark_source import lark_source
from engine.port.errors import InvalidGrammar
from engine.port.request import Grammar, GrammarKind
from tests.unit.engine.grammar.grammar_cases import COMPILER, TOKENIZER

_BYTES = xgrammar.TokenizerInfo([bytes([byte]) for byte in range(256)], vocab_type=xgrammar.VocabType.RAW)
RULES = xgrammar.GrammarCompiler(_BYTES)

_NUM_PATTERNS = 40  # of each kind
_ATOMS = ("a", "b", "x", "é", ".", "]", "[^a]", "[ab]", "[^é]", r"\S", r"\D", '["]', r"[\\x]")
_COUNTS = ("", "", "", "*", "+", "?", "{2}", "{1,2}", "{0,}", "{1,}", "{2,}", "*?")
# Alone, and as JSON escapes none of them.
_TEXTS = ["".join(text) for length in range(5) for text in itertools.product("abx]", repeat=length)]
# What no JSON has in a string, and where a string would end.
_BROKEN = ['"', "\n", "\\", 'a"b', "b\nx", "é\\", '""', "\x01]"]


def _pattern(draw: random.Random, depth: int) -> str:
    kind = draw.random() if depth else 0
    if kind < 0.4:
        return "".join(draw.choice(_ATOMS) + draw.choice(_COUNTS) for _ in range(draw.randint(1, 3)))
    inner = _pattern(draw, depth - 1)
    if kind < 0.7:
        return f"(?:{inner}|{_pattern(draw, depth - 1)}){draw.choice(_COUNTS)}"
    return f"({inner}){draw.choice(_COUNTS)}" if kind < 0.9 else inner + _pattern(draw, depth - 1)


def _reader(pattern: str) -> Callable[[str], bool]:
    """Return whether the grammar of such strings allows a text of JSON."""
    return _allowed(GrammarKind.JSON_SCHEMA, json.dumps({"type": "string", "pattern": f"^(?:{pattern})$"}))


def _allowed(kind: GrammarKind, source: str) -> Callable[[str], bool]:
    is_allowed = _allowed_bytes(kind, source)
    return lambda text: is_allowed(text.encode())


def _allowed_bytes(kind: GrammarKind, source: str) -> Callable[[bytes], bool]:
    written = lark_source(Grammar(kind, source), TOKENIZER.token_id)
    if written is None:
        compiled = RULES.compile_grammar(enforceable_ebnf(source))
    else:
        start = ByteMatcher(written.text)

    def is_allowed(text: bytes) -> bool:
        if written is None:
            matcher = xgrammar.GrammarMatcher(compiled)
            return bool(matcher.accept_string(text) and matcher.is_completed())
        follower = start.copy()
        return follower.follow(text) and follower.is_whole

    return is_allowed


@pytest.mark.parametrize("seed", range(_NUM_PATTERNS))
def test_a_pattern_allows_what_matches_it_and_no_text_that_ends_its_string(seed: int) -> None:
    pattern = _pattern(random.Random(seed), 2)
    try:
        is_allowed = _reader(pattern)
    except InvalidGrammar as refusal:
        assert "automaton" in str(refusal) or "no value matches" in str(refusal), pattern
        return
    expected = re.compile(f"(?:{pattern})")
    different = [text for text in _TEXTS if is_allowed(f'"{text}"') != bool(expected.fullmatch(text))]
    assert not different, (pattern, different[:5])
    assert not [text for text in _BROKEN if is_allowed(f'"{text}"')], pattern


_CHARACTERS = 'Ab0 _-]^$."\\/\n\t\x01\x7fé\xa0ßЛ\u2028\uffee😀😂'
_SETS: dict[str, Callable[[str], bool]] = {
    r"\d": lambda text: text == "0",
    r"\W": lambda text: text not in "Ab0_",
    r"\s": lambda text: text in " \n\t\xa0\u2028",
    r"\S": lambda text: text not in " \n\t\xa0\u2028",
    r"\p{Lu}": lambda text: text in "AЛ",
    r"\P{L}": lambda text: text not in "AbéßЛ",
    r"\p{gc=So}": lambda text: text in "\uffee😀😂",
}
_NAMES = {"\n": [r"\n", r"\cJ", r"\cj"], "\t": [r"\t", r"\cI"], "\x01": [r"\cA"]}


def _numbered(character: str) -> list[str]:
    """Return the escapes that name a character by its number."""
    code, units = ord(character), character.encode("utf-16-be").hex()
    pair = "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
    return [pair, f"\\u{{{code:X}}}", f"\\U{code:08x}", *([f"\\x{code:02x}"] if code < 256 else [])]


def _spelled(draw: random.Random, character: str) -> str:
    itself = character if character.isalnum() else f"\\{character}"
    return draw.choice([itself, *_numbered(character), *_NAMES.get(character, [])])


def _class(draw: random.Random) -> tuple[str, str]:
    """Return a class as a client may write it, and its characters among ours."""
    written, inside, is_complement = "", set[str](), draw.random() < 0.3
    for _ in range(draw.randint(1, 4)):
        first, last = sorted(draw.choices(_CHARACTERS, k=2))
        match draw.randrange(4):
            case 0:
                escape = draw.choice([*_SETS])
                written += escape + draw.choice(["", "", "-"])
                inside |= {text for text in _CHARACTERS if _SETS[escape](text)}
                inside |= {"-"} if written.endswith("-") else set()
                if written.endswith("-"):
                    break  # in front of a character it would be a range to Python
            case 1:
                written += f"{_spelled(draw, first)}-{_spelled(draw, last)}"
                inside |= {text for text in _CHARACTERS if first <= text <= last}
            case _:
                written += _spelled(draw, first)
                inside.add(first)
    found = [text for text in _CHARACTERS if (text in inside) != is_complement]
    return f"[{'^' if is_complement else ''}{written}]", "".join(found)


def _escaped(draw: random.Random) -> tuple[str, str, str]:
    """Return a pattern of escapes, the same for `re`, and a text that should match."""
    written = plain = text = ""
    for _ in range(draw.randint(1, 4)):
        kind, count = draw.random(), draw.choice(["", "", "", "{2}", "?", "{1,2}"])
        if kind < 0.5:
            atom, found = _spelled(draw, character := draw.choice(_CHARACTERS)), draw.choice(_CHARACTERS)
            found = character
        elif kind < 0.6:
            atom = draw.choice([*_SETS])
            found = "".join(filter(_SETS[atom], _CHARACTERS))
        else:
            atom, found = _class(draw)
        if not found:
            continue
        written += atom + count
        plain += f"(?:{'|'.join(map(re.escape, found))}){count}"
        text += draw.choice(found) * (2 if count == "{2}" else 1)
    return written, plain, text


def _tag(pattern: str, **more: object) -> str:
    form = {"type": "regex", "pattern": pattern, **more}
    return json.dumps({"type": "structural_tag", "format": form})


_PROPERTY = '{"%s": null}'
_DOORS: dict[str, tuple[GrammarKind, Callable[[str], str], str]] = {
    "regex": (GrammarKind.REGEX, str, "%s"),
    "tag": (GrammarKind.STRUCTURAL_TAG, _tag, "%s"),
    "tag with excludes": (GrammarKind.STRUCTURAL_TAG, lambda pattern: _tag(pattern, excludes=["QQ"]), "%s"),
    "pattern": (
        GrammarKind.JSON_SCHEMA,
        lambda pattern: json.dumps({"type": "string", "pattern": f"^(?:{pattern})$"}),
        '"%s"',
    ),
    "automaton": (
        GrammarKind.JSON_SCHEMA,
        lambda pattern: json.dumps({"type": "string", "pattern": f"^(?:{pattern})$", "maxLength": 9}),
        '"%s"',
    ),
    "patternProperties": (
        GrammarKind.JSON_SCHEMA,
        lambda pattern: json.dumps(
            {"patternProperties": {f"^(?:{pattern})$": {"type": "null"}}, "additionalProperties": False}
        ),
        _PROPERTY,
    ),
}


@pytest.mark.parametrize("door", _DOORS)
@pytest.mark.parametrize("seed", range(_NUM_PATTERNS // 2))
def test_an_escape_is_the_same_character_through_every_door(door: str, seed: int) -> None:
    draw = random.Random(f"{seed} {door}")
    pattern, plain, matching = _escaped(draw)
    kind, source, frame = _DOORS[door]
    try:
        is_allowed = _allowed(kind, source(pattern))
    except InvalidGrammar as refusal:
        assert re.search("needs an escape|kept to a JSON string", str(refusal)), pattern
        assert kind is GrammarKind.JSON_SCHEMA
        return
    others = ["".join(draw.choices(_CHARACTERS, k=len(matching))) for _ in range(20)]
    for text in (matching, *others, *_CHARACTERS):
        escaped = json.dumps(text, ensure_ascii=False)[1:-1]
        is_found = is_allowed(frame % (escaped if kind is GrammarKind.JSON_SCHEMA else text))
        if is_found or kind is not GrammarKind.JSON_SCHEMA or escaped == text:
            assert is_found == bool(re.fullmatch(plain, text)), (pattern, text)


@pytest.mark.parametrize("seed", range(8))
def test_an_escape_of_rules_is_one_character(seed: int) -> None:
    draw = random.Random(seed)
    text = "".join(draw.choices(_CHARACTERS, k=5))
    first, last = sorted(draw.choices(_CHARACTERS, k=2))
    literal, low, high = (
        "".join(draw.choice(_numbered(one)) for one in group) for group in (text, first, last)
    )
    is_allowed = _allowed(GrammarKind.EBNF, f'root ::= "{literal}" [{low}-{high}b]  # é "\\x"')
    for end in _CHARACTERS:
        assert is_allowed(text + end) == (first <= end <= last or end == "b"), (literal, low, high)
    assert not is_allowed(text)


_LONE = (
    r"\ud83d",
    r"\ude00",
    r"[\ud83d]",
    r"[\ud83d-\ude00]",
    r"\ude00\ud83d",
    r"\u{d83d}\u{de00}",
    "\ud83d",
)
_NO_CHARACTER = (*_LONE, r"\u{110000}", r"\U00110000", r"\x4", r"\u004", r"\c1", "[z-a]", r"[^\d\D]")
_FOREIGN = (
    r"\N{BULLET}",
    r"\1",
    r"\012",
    r"[\1]",
    r"\a",
    r"\e",
    r"\Z",
    r"\k<x>",
    r"\p{Script=Nowhere}",
    r"\Q",
    r"\uz",
)


@pytest.mark.parametrize("door", _DOORS)
@pytest.mark.parametrize("pattern", [*_NO_CHARACTER, *_FOREIGN])
def test_what_is_no_character_in_both_languages_is_refused_by_every_door(door: str, pattern: str) -> None:
    kind, source, _ = _DOORS[door]
    with pytest.raises(InvalidGrammar, match=r"no character|not supported|no property"):
        COMPILER.compile(Grammar(kind, source(pattern)))


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


def test_half_a_pair_in_a_description_is_taken() -> None:
    schema = r'{"type": "null", "description": "cut \ud83d", "x-note": "\ude00"}'
    assert _allowed(GrammarKind.JSON_SCHEMA, schema)("null")


@pytest.mark.parametrize("door", ["regex", "tag with excludes", "pattern", "automaton"])
@pytest.mark.parametrize("pattern", [".", "[^a]", r"\S"])
def test_bytes_that_are_no_text_match_nothing(door: str, pattern: str) -> None:
    kind, source, frame = _DOORS[door]
    is_allowed = _allowed_bytes(kind, source(pattern))
    for end, is_text in ((b"\xed\xa0\x80", False), (b"\xed\x9f\xbf", True)):
        assert is_allowed(frame.encode().replace(b"%s", end)) == is_text


def test_a_pair_of_surrogates_is_a_character_in_names_and_values() -> None:
    schema = r'{"properties": {"\ud83d\ude00": {"enum": ["\ud83d\ude02"]}}, "required": ["\ud83d\ude00"]}'
    assert _allowed(GrammarKind.JSON_SCHEMA, schema)('{"😀": "😂"}')
