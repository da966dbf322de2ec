"""The reader of values as models write them, in JSON or as Python's literals, which emits JSON; pure.

JSON passes to the letter. What can mean only one value is mended: Python's quotes, words and tuples, raw line
breaks in strings, backslashes that begin no escape, keys without quotes, and a comma after the last element.
"""

import json
import re
from collections.abc import Generator, Sequence
from enum import Enum, auto
from typing import Final, TypeAlias

from handlers.chat.tool_calls.text import CallArguments, IncomingText, Malformed, Reading, Waiting

_WORDS: Final = {word: word for word in ("true", "false", "null")} | {
    "True": "true",
    "False": "false",
    "None": "null",
}
_NULLS: Final = ("null", "None")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_WORD: Final = re.compile(r"[\w.+-]+")
_KEY: Final = re.compile(r"[A-Za-z_$][\w$.-]*", re.ASCII)
_MAX_WORD: Final = 512  # characters of a number, a word, or a key without quotes
_CLOSING: Final = {"[": "]", "(": ")", "{": "}"}
_AS_JSON: Final = {"(": "[", ")": "]"}  # a tuple is an array
_PLAIN: Final = {quote: re.compile(rf"[^\\{quote}\x00-\x1f]+") for quote in "'\""}

_JSON_ESCAPE: Final = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})')
# The Python language reference, 2.4.1; and JSON's escaped slash.
_PYTHON_ESCAPE: Final = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|(\n|.))", re.DOTALL
)
_BEGUN_ESCAPE: Final = re.compile(
    r"\\(?:x[0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-7]{1,2})?\Z", re.DOTALL
)
_LONGEST_ESCAPE: Final = 10
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "a": "\a", "v": "\v", "\n": ""}
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")

FENCE: Final = "```"
_INFO: Final = re.compile(r"[A-Za-z_]*")  # what follows a code fence: the name of a language


Pieces: TypeAlias = Generator[str | None, None, None]


class _Expected(Enum):
    """The element of a value that may come next."""

    KEY = auto()
    COLON = auto()
    VALUE = auto()
    COMMA = auto()  # or the bracket that closes


def read_value(text: IncomingText, *, ends: Sequence[str] = (), is_python: bool = False) -> Reading[None]:
    """Read one value, and emit it as JSON while it arrives. Raises Malformed for what is none.

    ends: texts that close all open brackets where they come after an element; they stay unread.
    is_python: whether a backslash in double quotes means what it means to Python, as in single quotes.
    """
    pieces: list[str] = []
    try:
        for piece in _Value(text, ends, is_python=is_python).read():
            if piece is not None:
                pieces.append(piece)
                continue
            if pieces:
                yield CallArguments("".join(pieces))
                pieces = []
            yield None
    except Malformed:
        if pieces:
            yield CallArguments("".join(pieces))
        raise
    if pieces:
        yield CallArguments("".join(pieces))


def captured(reading: Reading[None], pieces: list[str]) -> Waiting[str]:
    """Read, and return the text of the arguments rather than emit it. pieces: where it is until then."""
    for piece in reading:
        if piece is None:
            yield None
        elif isinstance(piece, CallArguments):
            pieces.append(piece.json)
    return "".join(pieces)


def mended(text: str) -> str | None:
    """Return the JSON that a whole text means; None if it is no value."""
    incoming, pieces = IncomingText(), list[str]()
    incoming.feed(text + "\n")  # after which no word goes on
    incoming.finish()
    try:
        for _ in captured(read_value(incoming), pieces):
            raise AssertionError("a text that is final needs no more")
    except Malformed:
        return None
    return None if incoming.unread.strip() else "".join(pieces)


def expect_arguments(text: IncomingText, *, ends: Sequence[str] = (), may_end: bool = False) -> Waiting[None]:
    """Skip blanks. Raises Malformed where `read_arguments` could not read what comes next."""
    yield from text.blanks()
    if may_end and text.is_final and not text.is_cut and text.is_read:
        return
    if not (yield from text.comes(*ends, "{", '"', "'", *_NULLS, FENCE)):
        raise Malformed


def read_arguments(text: IncomingText, *, ends: Sequence[str] = (), may_end: bool = False) -> Reading[None]:
    """Read the arguments of a call, and emit them: an object, or a string that holds one; `null` and nothing
    are none. A code fence may be around them.

    ends: the texts that may follow, which stay unread.
    may_end: whether no arguments are meant where the answer ends.
    """
    if may_end and text.is_final and text.is_read:
        yield CallArguments("{}")
        return
    fence = yield from open_fence(text)
    ends = (*ends, *fence)
    if (yield from text.comes(*ends)) or (yield from text.literal(*_NULLS, "")):
        yield CallArguments("{}")
    elif (yield from text.peek()) == "{":
        yield from read_value(text, ends=ends)
    else:
        yield CallArguments(_as_object((yield from captured(read_value(text), []))))
    if fence:
        yield from text.ending(*fence, "")


def open_fence(text: IncomingText) -> Waiting[tuple[str, ...]]:
    """Read the beginning of a code fence, if one comes; return the texts that may end it."""
    if not (yield from text.literal(FENCE, "")):
        return ()
    text.run_of(_INFO)
    while text.is_read:
        yield from text.more()
        text.run_of(_INFO)
    yield from text.blanks()
    return (FENCE,)


def _as_object(value: str) -> str:
    """Return the object that a JSON value holds which is none itself."""
    inner = json.loads(value)
    if inner is None:
        return "{}"
    if not isinstance(inner, str):
        raise Malformed
    written = mended(inner.strip() or "null")
    if written == "null":
        return "{}"
    if written is None or not written.startswith("{"):
        raise Malformed
    return written


class _Value:
    """The reading of one value, which yields pieces of JSON, and None wherever it needs more text."""

    def __init__(self, text: IncomingText, ends: Sequence[str], *, is_python: bool) -> None:
        self._text = text
        self._ends = ends
        self._is_python = is_python
        self._open: list[str] = []  # the brackets that close what is open
        self._expected = _Expected.VALUE
        self._comma = ""  # a comma and blanks that are emitted if another element follows
        self._may_close = False

    def read(self) -> Pieces:
        yield from self._text.blanks()
        while True:
            character = self._text.next or (yield from self._text.peek())
            if self._may_close and character == self._open[-1]:
                yield self._close()
            elif self._expected is _Expected.COMMA:
                if character == ",":
                    self._comma = self._text.take(1)
                    self._expected = _Expected.KEY if self._open[-1] == "}" else _Expected.VALUE
                elif self._ends and (yield from self._text.comes(*self._ends)):
                    while self._open:
                        yield self._as_json(self._open.pop())
                    return
                else:
                    raise Malformed
            elif self._expected is _Expected.COLON:
                yield from self._text.literal(":")
                yield ":"
                self._expected = _Expected.VALUE
            else:
                yield from self._read_element(character)
            if not self._open:
                return
            if not (following := self._text.next) or following.isspace():
                yield from self._read_blanks()

    def _close(self) -> str:
        self._text.take(1)
        self._comma = ""
        self._expect_comma()
        return self._as_json(self._open.pop())

    def _expect_comma(self) -> None:
        self._expected, self._may_close = _Expected.COMMA, True

    @staticmethod
    def _as_json(bracket: str) -> str:
        return _AS_JSON.get(bracket, bracket)

    def _read_blanks(self) -> Pieces:
        blanks = yield from self._text.blanks()
        if self._comma:
            self._comma += blanks
        elif blanks:
            yield blanks

    def _read_element(self, character: str) -> Pieces:
        """Read a key, a scalar, or the bracket that opens an array or an object."""
        if self._comma:
            yield self._comma
            self._comma = ""
        self._may_close = False
        is_key = self._expected is _Expected.KEY
        if character in "'\"":
            yield from self._read_string(self._text.take(1))
        elif is_key:
            yield to_json_string((yield from self._read_run(_KEY)))
        elif character in _CLOSING:
            self._open.append(_CLOSING[self._text.take(1)])
            self._expected = _Expected.KEY if character == "{" else _Expected.VALUE
            self._may_close = True
            yield self._as_json(character)
            return
        else:
            word = yield from self._read_run(_WORD)
            yield _WORDS.get(word, word)
        if is_key:
            self._expected = _Expected.COLON
        else:
            self._expect_comma()

    def _read_run(self, pattern: "re.Pattern[str]") -> Waiting[str]:
        """Read a word, which stays unread until it is whole, since text that is emitted cannot be unread."""
        run = self._text.run_of(pattern)
        while self._text.is_read:
            self._text.go_back(len(run))
            if len(run) > _MAX_WORD:
                raise Malformed
            yield from self._text.more()
            run = self._text.run_of(pattern)
        if not run or (pattern is _WORD and run not in _WORDS and not _NUMBER.fullmatch(run)):
            self._text.go_back(len(run))
            raise Malformed
        return run

    def _read_string(self, quote: str) -> Pieces:
        is_python = self._is_python or quote == "'"
        yield '"'
        while True:
            if run := self._text.run_of(_PLAIN[quote]):
                yield inside_json_string(run) if is_python else run
            character = yield from self._text.peek()
            if character == "\\":
                yield (yield from self._read_escape(is_python=is_python))
                continue
            self._text.take(1)
            if character == quote:
                yield '"'
                return
            yield inside_json_string(character)

    def _read_escape(self, *, is_python: bool) -> Waiting[str]:
        while True:
            head = self._text.take(_LONGEST_ESCAPE)
            self._text.go_back(len(head))
            if not _BEGUN_ESCAPE.match(head):
                break
            yield from self._text.more()
        if is_python:
            found = _PYTHON_ESCAPE.match(head)
            assert found is not None, "whatever follows a backslash is an escape"
            self._text.take(found.end())
            return _unescape(found)
        if found := _JSON_ESCAPE.match(head):
            return self._text.take(found.end())
        self._text.take(1)
        if head[1] == "'":
            return self._text.take(1)
        return "\\\\"  # a backslash that begins no escape stands for itself


def _unescape(found: "re.Match[str]") -> str:
    *codes, octal, other = found.groups()
    code = next((int(code, 16) for code in codes if code), int(octal, 8) if octal else None)
    if code is not None:
        if code > 0x10FFFF:
            raise Malformed
        return inside_json_string(chr(code))
    # An escape that Python does not know stands for itself, with its backslash.
    return inside_json_string(_ESCAPED.get(other, other if other in "\\'\"/" else f"\\{other}"))


def inside_json_string(text: str) -> str:
    """Return what stands between the quotes of the text's JSON string."""
    return to_json_string(text)[1:-1]


def to_json_string(text: str) -> str:
    """Return the text as a JSON string. Surrogate pairs are joined; a lone surrogate is escaped, since UTF-8
    has none.
    """
    joined = _PAIR.sub(lambda pair: pair.group().encode("utf-16", "surrogatepass").decode("utf-16"), text)
    return _SURROGATE.sub(lambda half: f"\\u{ord(half.group()):04x}", json.dumps(joined, ensure_ascii=False))
