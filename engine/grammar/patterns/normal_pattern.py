r"""The normal form of regular expressions, which all that read them here take alike.

Python's `re` and ECMA 262 write characters in ways of their own, and read some of each other's as something
else: in JavaScript `\ud83d\ude00` is one character. So all escapes are read here. In the normal form a
character stands for itself, with a backslash only before a sign that has a meaning; classes and `.` are lists
of characters and ranges; and groups have no names. What the two languages read as different things is
refused.

`\d` and `\w` are of ASCII; `\s` and `.` are ECMA's. In a class a hyphen next to `\d` or its like stands for
itself, as in ECMA.
"""

import re
from typing import Final

from engine.grammar.patterns.unicode_properties import (
    LAST_CHARACTER,
    Spans,
    other_spans,
    property_spans,
    united,
)
from engine.port.errors import InvalidGrammar

CHARACTER_CLASS: Final = re.compile(r"\[(?!\^?\])\^?(?:[^\]\\]|\\.)+\]", re.DOTALL)
"""A class that is not empty."""

MAX_LENGTH: Final = 8192  # characters, with each class counted as two
MAX_WRITTEN: Final = 32_768  # all characters; a general category of Unicode is up to two thousand

_HEX: Final = "[0-9a-fA-F]"
CODE: Final = (
    rf"\\u(?P<high>[dD][89abAB]{_HEX}{{2}})\\u(?P<low>[dD][c-fC-F]{_HEX}{{2}})"
    rf"|\\(?:x(?P<x>{_HEX}{{2}})|u(?P<u>{_HEX}{{4}})|u\{{(?P<braced>{_HEX}{{1,6}})\}}|U(?P<U>{_HEX}{{8}}))"
)
r"""An escape that gives the number of a character: `\x41`, `\u0041`, `\u{41}`, `\U00000041` or a pair."""

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_ESCAPE: Final = re.compile(
    rf"{CODE}|\\(?:(?P<control>[nrtfv]|0(?![0-9]))|c(?P<letter>[A-Za-z])|(?P<set>[dDwWsS])"
    r"|(?P<property>[pP](?:\{[^{}]*\})?)|(?P<itself>[^a-zA-Z0-9]))",
    re.DOTALL,
)
_NAMED_GROUP: Final = re.compile(r"\(\?P?<[A-Za-z_]\w*>", re.ASCII)
_CONTROLS: Final = dict(zip("nrtfv0", "\n\r\t\f\v\0", strict=True))
WORD: Final = [(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)]
"""The characters of `\\w`."""
_SPACE: Final = [(9, 13), (32, 32), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029)]
_SETS: Final[dict[str, Spans]] = {
    "d": [(0x30, 0x39)],
    "w": WORD,
    "s": [*_SPACE, (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)],
}
_LINE_ENDS: Final = [(10, 10), (13, 13), (0x2028, 0x2029)]
_SIGNS: Final = frozenset("\\^$.*+?()[]{}|")
_SIGNS_IN_CLASS: Final = frozenset("\\^-[]&~|")


def check_length(pattern: str) -> None:
    """Raise InvalidGrammar for a pattern that is too long."""
    if len(pattern) > MAX_WRITTEN:
        raise InvalidGrammar(
            f"a regular expression may have {MAX_WRITTEN} characters, its classes written out"
        )
    if len(pattern) > MAX_LENGTH and (length := len(CHARACTER_CLASS.sub("[]", pattern))) > MAX_LENGTH:
        raise InvalidGrammar(f"a regular expression may have {MAX_LENGTH} characters; this one has {length}")


def check_characters(text: str) -> None:
    """Raise InvalidGrammar for half of a surrogate pair, which JSON can write, and is no character."""
    if found := _SURROGATE.search(text):
        before = text[max(found.start() - 20, 0) : found.start()]
        raise InvalidGrammar(f"{found[0]!r} after {before!r} is half of a surrogate pair, no character")


def normal_pattern(pattern: str) -> str:
    """Return an equal pattern in the normal form, which is that of itself.

    Raises InvalidGrammar, which names the place, for an escape or a class that is malformed or not supported,
    and for a pattern that is too long, or would be.
    """
    check_length(pattern)
    check_characters(pattern)
    return _Reader(pattern).run()


def coded_character(found: "re.Match[str]") -> str:
    """Return the character of an escape that `CODE` has found. Raises InvalidGrammar if it is none."""
    if found["high"]:
        return chr(0x10000 + (int(found["high"], 16) - 0xD800 << 10) + int(found["low"], 16) - 0xDC00)
    code = int(found["x"] or found["u"] or found["braced"] or found["U"], 16)
    if code > LAST_CHARACTER or 0xD800 <= code < 0xE000:
        raise InvalidGrammar(f"{found[0]!r} is no character of Unicode")
    return chr(code)


class _Reader:
    """The reader of a pattern, in one pass from left to right."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    def run(self) -> str:
        written, length = list[str](), 0
        while self._at < len(self._pattern):
            written.append(self._next())
            length += len(written[-1])
            _check_written(length)
        return "".join(written)

    def _next(self) -> str:
        """Read one character, class or sign; return it in the normal form."""
        match self._pattern[self._at]:
            case "\\" if self._pattern[self._at + 1 : self._at + 2] in ("b", "B"):
                self._at += 2
                return self._pattern[self._at - 2 : self._at]
            case "\\":
                read = self._escape()
                if isinstance(read, str):
                    return f"\\{read}" if read in _SIGNS else read
                return _class(read)
            case "[":
                return self._class()
            case "(" if group := _NAMED_GROUP.match(self._pattern, self._at):
                self._at = group.end()
                return "("
            case sign:
                self._at += 1
                return _class(_LINE_ENDS, is_complement=True) if sign == "." else sign

    def _class(self) -> str:
        found = CHARACTER_CLASS.match(self._pattern, self._at)
        if found is None:
            raise self._refusal("a character class that is empty or not closed")
        is_complement = self._pattern.startswith("[^", self._at)
        spans, end = Spans(), found.end() - 1
        self._at += 1 + is_complement
        while self._at < end:
            _check_written(len(spans))
            first = self._member()
            is_range = self._pattern[self._at] == "-" and self._at + 1 < end
            if not is_range or not isinstance(first, str):
                spans += _spans(first)
                continue
            self._at += 1
            last = self._member()
            if not isinstance(last, str):
                spans += [*_spans(first), *_spans("-"), *last]
            elif first > last:
                raise self._refusal(f"the range from {first!r} to {last!r} of a character class")
            else:
                spans.append((ord(first), ord(last)))
        self._at = end + 1
        if not united(other_spans(united(spans)) if is_complement else spans):
            raise self._refusal("a character class that has no character")
        return _class(spans, is_complement=is_complement)

    def _member(self) -> str | Spans:
        """Read a character of a class, or the set that an escape names there."""
        if self._pattern.startswith("\\b", self._at):
            self._at += 2
            return "\b"
        if self._pattern[self._at] == "\\":
            return self._escape()
        self._at += 1
        return self._pattern[self._at - 1]

    def _escape(self) -> str | Spans:
        found = _ESCAPE.match(self._pattern, self._at)
        if found is None:
            sign = self._pattern[self._at + 1 : self._at + 2]
            is_reference = sign == "k" or sign.isdecimal()
            kind = "a back reference or an octal number" if is_reference else "no known escape"
            raise self._refusal(f"{self._pattern[self._at : self._at + 2]!r}, an escape that is {kind},")
        self._at = found.end()
        if (name := found["set"] or found["property"]) is None:
            if found["control"]:
                return _CONTROLS[found["control"]]
            if found["letter"]:
                return chr(ord(found["letter"]) % 32)
            return found["itself"] or coded_character(found)
        spans = _SETS.get(name.lower()) or property_spans(name[2:-1])
        return other_spans(spans) if name[0].isupper() else spans

    def _refusal(self, what: str) -> InvalidGrammar:
        around = self._pattern[max(self._at - 10, 0) : self._at + 10]
        return InvalidGrammar(
            f"regular expression: {what} at character {self._at}, near {around!r}, is not supported"
        )


def _check_written(length: int) -> None:
    if length > MAX_WRITTEN:
        raise InvalidGrammar("a regular expression has too many properties or classes of characters")


def _spans(read: str | Spans) -> Spans:
    return [(ord(read), ord(read))] if isinstance(read, str) else read


def _class(spans: Spans, *, is_complement: bool = False) -> str:
    ranges = (
        _member(first) if first == last else f"{_member(first)}-{_member(last)}"
        for first, last in united(spans)
    )
    return f"[{'^' if is_complement else ''}{''.join(ranges)}]"


def _member(code: int) -> str:
    return f"\\{chr(code)}" if chr(code) in _SIGNS_IN_CLASS else chr(code)
