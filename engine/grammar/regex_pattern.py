"""The check that xgrammar honours a regular expression, in bounded time.

xgrammar refuses much of what it cannot do. Constructs that it would ignore or misread are refused here:

* an anchor that is not at an edge of an alternative of the whole pattern. Matching is anchored anyway, so at
  an edge it changes nothing; elsewhere it would be dropped;
* lookaround and other `(?` groups except `(?:` and those with names: dropped in a JSON Schema's `pattern`;
* in a JSON string, a count without a maximum of a group that has alternatives: where one of them ends in a
  repetition, that would go on after the others. `{0,}` and `{1,}` are written as `*` and `+`, which do not;
* U+0000 other than in a class: it would be left out;
* inside a JSON string, a literal quote, backslash or control character, written without JSON's escape. A
  class such as `[^a]` or `.` leaves these characters out, which is narrower than the pattern but sound. A
  class of such characters alone is refused too: with it, xgrammar leaves them out nowhere in the pattern.
"""

import json
import re
from functools import lru_cache
from math import prod

import xgrammar

from engine.grammar.ebnf.xgrammar_errors import mapped_xgrammar_errors
from engine.grammar.patterns.normal_pattern import CHARACTER_CLASS, normal_pattern
from engine.port.errors import InvalidGrammar

MAX_DEPTH = 64
# How many characters and classes the pattern has with its counted repetitions written out.
MAX_EXPANSION = 20_000
# Counts inside counts inside counts: `((a{0,20}){0,20}){0,20}` takes xgrammar seconds a token, since each of
# its levels may be empty. Their product may be this large.
MAX_NESTED_PRODUCT = 512

_COUNT = re.compile(r"\{(\d{1,9})(?:(,)(\d{1,9})?)?\}")
_GROUP = re.compile(r"\((?:\?:|(?!\?))")
_ATOM = re.compile(rf"\\.|{CHARACTER_CLASS.pattern}", re.DOTALL)
_ATOM_OR_OPTIONAL_GROUP = re.compile(rf"{_ATOM.pattern}|(?P<optional>\)\?\??)|\{{0*[01],\}}", re.DOTALL)
_FOREIGN = re.compile(r"[^ -~]")
_READ_AS_JSON = re.compile(r'^\w+ ::= Regex\(".*", json_string=true\)$', re.MULTILINE)


def check_regex(pattern: str, *, inside_json: bool = False) -> None:
    """Check a regular expression. inside_json: whether it is for the characters of a JSON string.

    Raises InvalidGrammar, which names the place, for a pattern that is out of bounds or not honoured.
    """
    _Scan(normal_pattern(pattern), inside_json=inside_json).run()
    if inside_json and not _is_read_as_json(pattern):
        raise InvalidGrammar(f"regular expression: {pattern[:50]!r} cannot be kept to a JSON string")


def json_string_pattern(pattern: str) -> str:
    """Return an equal pattern that xgrammar honours for the characters of a JSON string.

    There xgrammar lets the start of an optional group be left out, if the group ends in a repetition:
    `a(b[0-9]+)?` would match `a1`. A count means the same, and is read right. `{0,}` and `{1,}` are written
    as the signs that mean the same.
    """
    return _in_ascii(_ATOM_OR_OPTIONAL_GROUP.sub(_honoured_atom, normal_pattern(pattern)))


def text_pattern(pattern: str) -> str:
    """Return an equal pattern that xgrammar honours for a text that is no JSON."""
    return _in_ascii(normal_pattern(pattern))


def _in_ascii(pattern: str) -> str:
    """Escape the characters which xgrammar takes for others, or for no part of a pattern; and leave out of
    complements what it takes for characters, surrogates, as their bytes are no text."""
    without = _ATOM.sub(
        lambda found: f"{found[0][:-1]}\\u{{d800}}-\\u{{dfff}}]" if found[0][:2] == "[^" else found[0],
        pattern,
    )
    return _FOREIGN.sub(lambda found: f"\\u{{{ord(found[0]):x}}}", without)


def _honoured_atom(found: "re.Match[str]") -> str:
    if found["optional"]:
        return "){0,1}"
    if found[0].startswith("{"):
        return "+" if "1" in found[0] else "*"
    return found[0]


@lru_cache(1024)
def _is_read_as_json(pattern: str) -> bool:
    """Return whether xgrammar reads the pattern of a JSON string as one.

    Some it reads in another way, in which classes and `.` let quotes, backslashes and control characters
    through as they are, so that the string would end, or be no JSON. Raises InvalidGrammar for one that it
    cannot read.
    """
    schema = json.dumps({"type": "string", "pattern": json_string_pattern(pattern)})
    with mapped_xgrammar_errors():
        grammar = xgrammar.Grammar.from_json_schema(schema, any_whitespace=False)
    return _READ_AS_JSON.search(str(grammar)) is not None


class _Group:
    """An open group: its expanded size so far and that of its last atom, which a count would multiply; and
    the nested counts that multiply each other, the worst of the group and those of the last atom.
    """

    def __init__(self) -> None:
        self.size = 0
        self.has_alternatives = False  # it or a group inside
        self.last_has_alternatives = False
        self.counts: tuple[int, ...] = ()
        self._last_size = 0
        self._last_counts: tuple[int, ...] = ()

    def add(self, size: int, counts: tuple[int, ...] = ()) -> None:
        self.size += size
        self.last_has_alternatives = False
        self._last_size = size
        self._last_counts = counts
        self.counts = max(self.counts, counts, key=lambda nested: (len(nested), prod(nested)))

    def repeat(self, times: int) -> None:
        self.add(self._last_size * (times - 1), (*self._last_counts, times))


class _Scan:
    """The scanner of a pattern, in one pass from left to right."""

    def __init__(self, pattern: str, *, inside_json: bool) -> None:
        self._pattern = pattern
        self._inside_json = inside_json
        self._at = 0
        self._groups = [_Group()]

    def run(self) -> None:
        steps = {
            "\\": self._escape,
            "[": self._class,
            "(": self._open,
            ")": self._close,
            "{": self._count,
            "^": self._start,
            "$": self._end,
            "*": self._skip,
            "+": self._skip,
            "?": self._skip,
            "|": self._alternative,
        }
        while self._at < len(self._pattern):
            steps.get(self._pattern[self._at], self._literal)()
            group = self._groups[-1]
            if group.size > MAX_EXPANSION:
                raise self._refusal(f"repetitions amount to more than {MAX_EXPANSION} characters")
            if len(group.counts) > 2 and prod(group.counts) > MAX_NESTED_PRODUCT:
                raise self._refusal(f"three nested counts come to more than {MAX_NESTED_PRODUCT}")
        if len(self._groups) > 1:
            raise self._refusal("a parenthesis is not closed")

    def _escape(self) -> None:
        self._at += 1
        self._literal()

    def _class(self) -> None:
        match = self._take(CHARACTER_CLASS, "a character class that is empty or not closed")
        if match[0] == "[\0]":
            raise self._refusal("U+0000 is not supported")
        if self._inside_json and not _is_read_as_json(match[0]):  # nothing would be left of it
            raise self._refusal(f"all of {match[0][:20]!r} needs an escape in a JSON string")
        self._groups[-1].add(1)

    def _open(self) -> None:
        self._take(_GROUP, "lookaround, a flag or another kind of group that is not supported")
        self._groups.append(_Group())
        if len(self._groups) > MAX_DEPTH:
            raise self._refusal(f"groups are nested more than {MAX_DEPTH} deep")

    def _close(self) -> None:
        if len(self._groups) == 1:
            raise self._refusal("a parenthesis is closed that is not open")
        closed = self._groups.pop()
        group = self._groups[-1]
        group.add(closed.size, closed.counts)
        group.has_alternatives |= closed.has_alternatives
        group.last_has_alternatives = closed.has_alternatives
        self._at += 1

    def _count(self) -> None:
        match = self._take(_COUNT, "a brace that is no count")
        is_open = match[2] is not None and match[3] is None and int(match[1]) > 1
        if self._inside_json and is_open and self._groups[-1].last_has_alternatives:
            raise self._refusal("a count without a maximum of a group with alternatives")
        self._groups[-1].repeat(max(1, int(match[1]), int(match[3] or 0)))

    def _start(self) -> None:
        self._check_anchor(self._at == 0 or self._pattern[self._at - 1] == "|")

    def _end(self) -> None:
        self._check_anchor(self._pattern[self._at + 1 : self._at + 2] in ("", "|"))

    def _alternative(self) -> None:
        self._groups[-1].has_alternatives = True
        self._at += 1

    def _skip(self) -> None:
        self._at += 1

    def _literal(self) -> None:
        literal = self._pattern[self._at]
        if self._inside_json and (literal in '"\\' or literal < " "):
            raise self._refusal(f"{literal!r} needs an escape in a JSON string, which is not supported,")
        if literal == "\0":
            raise self._refusal("U+0000 is not supported")
        self._groups[-1].add(1)
        self._at += 1

    def _check_anchor(self, is_at_edge: bool) -> None:
        if len(self._groups) > 1 or not is_at_edge:
            raise self._refusal("an anchor stands inside the pattern")
        self._at += 1

    def _take(self, expected: "re.Pattern[str]", otherwise: str) -> "re.Match[str]":
        match = expected.match(self._pattern, self._at)
        if match is None:
            raise self._refusal(otherwise)
        self._at = match.end()
        return match

    def _refusal(self, what: str) -> InvalidGrammar:
        around = self._pattern[max(self._at - 10, 0) : self._at + 10]
        return InvalidGrammar(f"regular expression: {what} at character {self._at}, near {around!r}")
