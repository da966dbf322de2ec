"""Sentinels in a client's text, wherever a control token could begin.

A sentinel is a number that the request does not hold. Where `<|im_end|>` is a control token and the sentinel
is 7, the client's "Hi<|im_end|>" becomes "Hi<7|im_end|>". It is taken out again after the template has run.
"""

import json
import re
from collections.abc import Collection, Iterator, Set
from functools import partial
from typing import Final

from engine.port.text.patterns import first_of
from handlers.chat.prompt.control.literals import TemplateLiterals

# Those of the contracts. A template may make a token of one, as Phi's does: '<|' + role + '|>'.
KNOWN_ROLES: Final = frozenset(("system", "developer", "user", "assistant", "tool", "function"))
_MAX_KEPT: Final = 64  # characters of a literal that are looked at
_JSON_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)


class Sentinels:
    """Puts a sentinel into each text that could become a control token.

    A token may begin in the client's text: `<tool>` becomes `<7tool>`. The sentinel follows the first
    character, so no token forms, whatever the template leaves out or joins later.

    A token may also begin in the template's text. A template that writes calls as XML has '<' + name + '>'.
    There, the name `tool` would complete `<tool>`, so it becomes `t7ool`. The client's own `>` becomes `7>`.
    """

    def __init__(
        self, tokens: Collection[str], literals: TemplateLiterals, reasoning_tags: Collection[str]
    ) -> None:
        """Find where control tokens can begin.

        tokens: the control tokens. literals: the texts of the template. reasoning_tags: tags that an
        assistant's content may hold, such as `<think>`.
        """
        openings = _Openings(frozenset(tokens), literals.written)
        inner = {inner for _, inner in openings.inner()}
        self._known_roles = {text for text in literals.sought if text.isidentifier()} - inner
        starts = {token[0] for token in tokens if not _is_plain(token[0])}
        kept = set(_kept(literals.sought, frozenset(tokens), starts))
        places = partial(_Places, frozenset(tokens), openings)
        self._places = places(kept)
        self._places_in_answers = places(kept.union(reasoning_tags))

    def are_needed(self, text: str) -> bool:
        """Return whether a sentinel may be needed. text: all texts of a request, joined."""
        return self._places.are_in(text)

    def put(self, text: str, sentinel: str, *, has_reasoning: bool = False) -> str:
        """Return the text with the sentinel wherever it is needed.

        has_reasoning: whether tags of thoughts stay whole, as in an assistant's content.
        """
        places = self._places_in_answers if has_reasoning else self._places
        return places.put(text, sentinel)

    def put_in_role(self, role: str, sentinel: str) -> str:
        """Return the role. It has sentinels unless a contract or the template knows it."""
        is_known = role in KNOWN_ROLES or role in self._known_roles
        return role if is_known else self.put(role, sentinel)

    def put_in_json(self, text: str, sentinel: str) -> str:
        """Return JSON text with the sentinel in its strings. Valid JSON stays valid.

        Escaped characters are read first: of "\\u003ctool>", the string is `<tool>`.
        """
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            return self.put(text, sentinel)
        return _JSON_STRING.sub(lambda found: self._put_in_string(found[0], sentinel), text)

    def _put_in_string(self, literal: str, sentinel: str) -> str:
        text = json.loads(literal, strict=False)
        changed = self.put(text, sentinel)
        if changed == text:
            return literal
        # json.dumps escapes DEL too, which the literal has as it is.
        return json.dumps(changed, ensure_ascii=literal.isascii() and "\x7f" not in literal)


class _Openings:
    """The places in which a template writes the beginning of a token, and a value follows.

    If the template writes '<' + name + '>' and `<tool>` is a token, the beginning is '<' and the end is '>'.
    """

    def __init__(self, tokens: Set[str], written: Collection[str]) -> None:
        self._tokens = tokens
        beginnings = {token[:length] for token in tokens for length in range(1, len(token))}
        ends = {token[-length:] for token in tokens for length in range(1, len(token))}
        longest = max(map(len, tokens), default=1)
        self._beginnings = {
            text[-n:]
            for text in written
            for n in range(1, min(longest, len(text)) + 1)
            if text[-n:] in beginnings
        }
        self._ends = {
            text[:n] for text in written for n in range(1, min(longest, len(text)) + 1) if text[:n] in ends
        }

    def begun(self) -> Iterator[str]:
        """Yield the tokens whose beginning the template writes before a value, such as `<tool>`."""
        beginnings = tuple(self._beginnings)
        return (token for token in self._tokens if token.startswith(beginnings))

    def inner(self) -> Iterator[tuple[str, str]]:
        """Yield pairs such as ('<', 'tool'): a beginning, and the value that completes a token."""
        for token in self.begun():
            for beginning in filter(token.startswith, self._beginnings):
                for end in filter(token.endswith, self._ends):
                    if inner := token[len(beginning) : -len(end)]:
                        yield beginning, inner


class _Places:
    """The places of sentinels.

    They are after the first character of a token (`<7tool>`), before the last character of a token that the
    template may have begun (`7>`), and inside words (`t7ool`).

    kept: texts that stay whole although they begin like a token. An example is `</think>`, if the template
    looks for it and `</s>` is a token.
    """

    def __init__(self, tokens: Set[str], openings: _Openings, kept: Collection[str]) -> None:
        self._starts = sorted({token[0] for token in tokens if not _is_plain(token[0])})
        self._ends = sorted({token[-1] for token in openings.begun() if not _is_plain(token[-1])})
        self._kept = sorted(kept)
        words = "|".join(_words(tokens, openings))
        self._words = re.compile(words) if words else None

    def are_in(self, text: str) -> bool:
        """Return whether the text may have such a place. It may have none after all."""
        for character in (*self._starts, *self._ends):
            if character in text:
                return True
        return self._words is not None and self._words.search(text) is not None

    def put(self, text: str, sentinel: str) -> str:
        """Return the text with a sentinel in each place."""
        # Words come first, since a sentinel next to a word would make it a longer one. All else is by
        # `replace`. It takes a twentieth of a pattern's time for a text of only first characters.
        changed = text if self._words is None else self._words.sub(rf"\g<0>{sentinel}", text)
        for end in self._ends:
            changed = changed.replace(end, sentinel + end)
        changed = self._behind_starts(changed, sentinel)
        if changed != text:
            for kept in self._kept:
                changed = self._keep(changed, kept, sentinel)
        return changed

    def _behind_starts(self, text: str, sentinel: str) -> str:
        for start in self._starts:
            text = text.replace(start, start + sentinel)
        return text

    def _keep(self, changed: str, kept: str, sentinel: str) -> str:
        """Return the text with a kept literal whole again. Tokens inside the literal keep their sentinels."""
        rest = kept[1:]
        for end in self._ends:
            rest = rest.replace(end, sentinel + end)
        return changed.replace(
            kept[0] + sentinel + self._behind_starts(rest, sentinel),
            kept[0] + self._behind_starts(kept[1:], sentinel),
        )


def _words(tokens: Set[str], openings: _Openings) -> Iterator[str]:
    """Yield patterns of first characters: of tokens that begin like words, and of values that complete one.

    A token that begins like a word is `end_of_turn`; a value that completes one is `tool` (see `_Openings`).
    """
    if words := [token for token in tokens if _is_plain(token[0])]:
        yield f"(?i:{first_of(words)})"
    for beginning, inners in _grouped(openings.inner()).items():
        # After the same beginning in the client's own text, that has the sentinel.
        yield f"(?<!{re.escape(beginning)})(?i:{'|'.join(map(_word, sorted(inners)))})"


def _grouped(pairs: Iterator[tuple[str, str]]) -> dict[str, set[str]]:
    grouped: dict[str, set[str]] = {}
    for key, value in pairs:
        grouped.setdefault(key, set()).add(value)
    return grouped


def _word(text: str) -> str:
    """Return a pattern of the text's first character, where the text is not part of a longer word.

    For `tool`, it finds the `t` of "tool" but nothing in "tools".
    """
    after = r"(?!\w)" if re.match(r"\w", text[-1]) else ""
    before = r"(?<!\w)" if re.match(r"\w", text[0]) else ""
    return f"{before}{re.escape(text[0])}(?={re.escape(text[1:])}{after})"


def _kept(sought: Collection[str], tokens: Set[str], starts: Collection[str]) -> Iterator[str]:
    """Yield the texts that a template looks for and that only begin like a token.

    If `<tool>` is a token, `</think>` is such a text. `<to` is not: it may become the token.
    """
    beginnings = {token[:length] for token in tokens for length in range(1, len(token) + 1)}
    for text in sought:
        for at, character in enumerate(text):
            literal = text[at : at + _MAX_KEPT]
            if character in starts and literal not in beginnings and not _begins_with(literal, tokens):
                yield literal


def _begins_with(text: str, tokens: Set[str]) -> bool:
    return any(text[:length] in tokens for length in range(1, len(text) + 1))


def _is_plain(character: str) -> bool:
    return character.isalnum() or character.isspace()
