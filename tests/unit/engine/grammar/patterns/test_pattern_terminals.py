"""A pattern finds what `re` finds, and its content of JSON strings is JSON."""

import itertools
import json
import random
import re
from collections.abc import Callable

import pytest

from engine.grammar.lark.byte_matcher import ByteMatcher
from engine.grammar.lark.lark_grammar import LarkGrammar
from engine.grammar.patterns.parsed_pattern import parsed_pattern
from engine.grammar.patterns.pattern_terminals import PatternTerminals, PatternTest
from engine.port.errors import InvalidGrammar

_ATOMS = ("a", "b", "x", "é", ".", "]", "[^a]", "[ab]", "[^é]", r"\S", r"\D", '["]', r"[\\x]")
_ASSERTIONS = ("^", "$", r"\b", "(?=a)", "(?!b)", "(?=.*x)", "(?!a$)", "(?:^|b)", "(?:a|$)")
_COUNTS = ("", "", "", "*", "+", "?", "{2}", "{1,2}", "{0,}", "{1,}", "{2,}", "*?")
_TEXTS = ["".join(text) for length in range(5) for text in itertools.product("abx]", repeat=length)]
# What no JSON has in a string, and where a string would end.
_BROKEN = ['"', "\n", "\\", 'a"b', "b\nx", "é\\", '""', "\x01]"]


class Matches:
    """A pattern of whole texts, or of whole contents of JSON strings."""

    def __init__(self, pattern: str, *, inside_json: bool) -> None:
        grammar = LarkGrammar()
        terminal = grammar.terminal(PatternTerminals(grammar, inside_json=inside_json).whole(pattern))
        self._matcher = ByteMatcher(grammar.text(terminal))

    def allows(self, text: str) -> bool:
        self._matcher.restart()
        return self._matcher.follow(text.encode()) and self._matcher.is_whole


def _pattern(draw: random.Random, depth: int, *, assertions: bool) -> str:
    kind = draw.random() if depth else 0
    if kind < 0.4:
        return "".join(
            draw.choice(_ASSERTIONS)
            if assertions and draw.random() < 0.4
            else draw.choice(_ATOMS) + draw.choice(_COUNTS)
            for _ in range(draw.randint(1, 3))
        )
    inner = _pattern(draw, depth - 1, assertions=assertions)
    if kind < 0.7:
        count = draw.choice(_COUNTS[:3] if assertions else _COUNTS)
        return f"(?:{inner}|{_pattern(draw, depth - 1, assertions=assertions)}){count}"
    return f"({inner})" if kind < 0.9 else inner + _pattern(draw, depth - 1, assertions=assertions)


@pytest.mark.parametrize("seed", range(40))
def test_a_search_finds_what_re_finds(seed: int) -> None:
    pattern = _pattern(random.Random(seed), 2, assertions=True)
    expected = [text for text in _TEXTS if re.search(pattern, text, re.ASCII)]
    try:
        tried = PatternTest(pattern)
    except InvalidGrammar as refusal:
        is_empty = "no text matches" in str(refusal)
        assert is_empty or "not supported" in str(refusal), pattern
        assert not (is_empty and expected), pattern
        return
    assert [text for text in _TEXTS if tried.finds(text)] == expected, pattern


@pytest.mark.parametrize("seed", range(40))
def test_a_content_matches_as_a_whole_and_ends_no_string(seed: int) -> None:
    pattern = _pattern(random.Random(seed), 2, assertions=False)
    matches, expected = Matches(pattern, inside_json=True), re.compile(f"(?:{pattern})")
    different = [text for text in _TEXTS if matches.allows(text) != bool(expected.fullmatch(text))]
    assert not different, (pattern, different[:5])
    assert not [text for text in _BROKEN if matches.allows(text)], pattern


@pytest.mark.parametrize("seed", range(20))
def test_a_width_is_that_of_its_texts(seed: int) -> None:
    pattern = _pattern(random.Random(seed), 2, assertions=False)
    low, high = parsed_pattern(pattern).least, parsed_pattern(pattern).most
    lengths = [len(text) for text in _TEXTS if re.fullmatch(pattern, text)]
    assert all(low <= length and (high is None or length <= high) for length in lengths)


def test_what_is_no_word_boundary_stands_between_two_words_or_none() -> None:
    """ECMA has it so; in Python it does not match the empty text."""
    found = PatternTest(r"\B")
    assert [text for text in ("", "a", "aa", "-", "a-") if found.finds(text)] == ["", "aa", "-", "a-"]


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
                written += escape
                inside |= {text for text in _CHARACTERS if _SETS[escape](text)}
            case 1:
                written += f"{_spelled(draw, first)}-{_spelled(draw, last)}"
                inside |= {text for text in _CHARACTERS if first <= text <= last}
            case _:
                written += _spelled(draw, first)
                inside.add(first)
    found = [text for text in _CHARACTERS if (text in inside) != is_complement]
    return f"[{'^' if is_complement else ''}{written}]", "".join(found)


@pytest.mark.parametrize("inside_json", [False, True])
@pytest.mark.parametrize("seed", range(30))
def test_an_escape_is_the_same_character_in_texts_and_in_json(seed: int, inside_json: bool) -> None:
    draw = random.Random(seed)
    written, found = _class(draw) if seed % 2 else (_spelled(draw, one := draw.choice(_CHARACTERS)), one)
    if not found:
        return
    matches = Matches(written, inside_json=inside_json)
    for text in _CHARACTERS:
        content = json.dumps(text, ensure_ascii=False)[1:-1] if inside_json else text
        assert matches.allows(content) == (text in found), (written, text)


_NO_CHARACTER = (
    *(r"\ud83d", r"\ude00", r"[\ud83d]", r"[\ud83d-\ude00]", r"\ude00\ud83d", r"\u{d83d}\u{de00}", "\ud83d"),
    *(r"\u{110000}", r"\U00110000", r"\x4", r"\u004", r"\c1", "[z-a]", r"[^\d\D]"),
)
_FOREIGN = (
    *(
        r"\N{BULLET}",
        r"\1",
        r"\012",
        r"[\1]",
        r"\a",
        r"\e",
        r"\Z",
        r"\k<x>",
        r"\p{Script=Foo}",
        r"\Q",
        r"\uz",
    ),
)
_REFUSED = {
    r"(?<=a)b": "looking behind",
    r"(a(?=b))+": "in a repetition",
    r"(a$)*": "in a repetition",
    r"(a)\1": "back reference",
    r"[]": "class",
    r"[a": "class",
    r"(a": "unterminated",
    r"a)": "unbalanced",
    r"a{,3}": "not supported",
    r"a^b": "no text matches",
    r"(?m)a": "flags",
    "a" * 8193: "8192 characters",
    r"(?=(.{7})*$)(?=(.{11})*$)(?=(.{13})*$)(?=(.{17})*$)a*": "several lengths",
}


@pytest.mark.parametrize("pattern", [*_NO_CHARACTER, *_FOREIGN])
def test_what_is_no_character_in_both_languages_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidGrammar, match=r"no character|not supported|no property|reference"):
        PatternTest(pattern)


@pytest.mark.parametrize(("pattern", "message"), _REFUSED.items(), ids=[pattern[:24] for pattern in _REFUSED])
def test_a_pattern_that_would_not_be_honoured_is_refused(pattern: str, message: str) -> None:
    with pytest.raises(InvalidGrammar, match=message):
        PatternTest(pattern)


def test_bytes_that_are_no_text_match_nothing() -> None:
    grammar = LarkGrammar()
    character = PatternTerminals(grammar, inside_json=False).whole(".")
    matcher = ByteMatcher(grammar.text(grammar.terminal(character)))
    for end, is_text in ((b"\xed\xa0\x80", False), (b"\xed\x9f\xbf", True)):
        matcher.restart()
        assert matcher.follow(end) == is_text
