"""The reader of Python literals in text that arrives in pieces, which emits them as JSON; pure."""

import json
import re

from handlers.chat.tool_calls.text import CallArguments, IncomingText, Malformed, Reading

_WORDS = {"True": "true", "False": "false", "None": "null", "true": "true", "false": "false", "null": "null"}
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORD = re.compile(r"[\w.+-]*")
_IN_STRING = {quote: re.compile(rf"[^\\{quote}]+|\\.", re.DOTALL) for quote in "'\""}
_CLOSING = {"[": "]", "(": ")", "{": "}"}
_AS_JSON = {"(": "[", ")": "]"}  # a tuple is an array

# The Python language reference, 2.4.1; and JSON's escaped slash.
_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|(\n|.))", re.DOTALL
)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "a": "\a", "v": "\v", "\n": ""}
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def read_literal(text: IncomingText) -> Reading[None]:
    """Read one literal up to the comma or bracket that follows it, and emit its tokens as JSON.

    JSON's own words and escapes are taken too. The tokens are not checked to make a value.
    """
    open_brackets: list[str] = []
    while True:
        yield from text.blanks()
        character = yield from text.peek()
        if character in "'\"":
            yield CallArguments(to_json_string((yield from _read_string(text))))
        elif character in _CLOSING:
            open_brackets.append(_CLOSING[text.take(1)])
            yield CallArguments(_AS_JSON.get(character, character))
        elif open_brackets and character == open_brackets[-1]:
            text.take(1)
            open_brackets.pop()
            yield CallArguments(_AS_JSON.get(character, character))
        elif character in ",)]}":
            if not open_brackets:
                return
            yield from _read_comma(text)
        elif character == ":" and open_brackets:
            text.take(1)
            yield CallArguments(": ")
        else:
            yield CallArguments(_word_as_json((yield from _read_word(text))))


def _read_comma(text: IncomingText) -> Reading[None]:
    """Read a comma, which Python also allows after the last element."""
    if text.take(1) != ",":
        raise Malformed
    yield from text.blanks()
    if (yield from text.peek()) not in ")]}":
        yield CallArguments(", ")


def _read_word(text: IncomingText) -> Reading[str]:
    while True:
        unread = text.unread
        found = _WORD.match(unread)
        length = found.end() if found else 0
        if length < len(unread):
            return text.take(length)
        yield from text.more()


def _word_as_json(word: str) -> str:
    if word in _WORDS:
        return _WORDS[word]
    if _NUMBER.fullmatch(word):
        return word
    raise Malformed


def _read_string(text: IncomingText) -> Reading[str]:
    quote = text.take(1)
    num_searched = 0
    while True:
        unread = text.unread
        while found := _IN_STRING[quote].match(unread, num_searched):
            num_searched = found.end()
        if unread.startswith(quote, num_searched):
            written = text.take(num_searched)
            text.take(1)
            return _ESCAPE.sub(_unescape, written)
        yield from text.more()


def _unescape(found: "re.Match[str]") -> str:
    *codes, octal, other = found.groups()
    code = next((int(code, 16) for code in codes if code), int(octal, 8) if octal else None)
    if code is not None:
        if code > 0x10FFFF:
            raise Malformed
        return chr(code)
    # An escape that Python does not know stands for itself, with its backslash.
    return _ESCAPED.get(other, other if other in "\\'\"/" else f"\\{other}")


def to_json_string(text: str) -> str:
    """Return the text as a JSON string. Surrogate pairs are joined; a lone surrogate is escaped, since UTF-8
    has none.
    """
    joined = _PAIR.sub(lambda pair: pair.group().encode("utf-16", "surrogatepass").decode("utf-16"), text)
    return _SURROGATE.sub(lambda half: f"\\u{ord(half.group()):04x}", json.dumps(joined, ensure_ascii=False))
