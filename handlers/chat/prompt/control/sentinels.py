"""Sentinels in a client's text, wherever a control token could begin."""

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
    """Puts a sentinel into whatever could become a control token, so that it does not.

    A token begins either in the client's text or in the template's. Where it begins in the client's, a
    sentinel behind the first character keeps it from forming, whatever the template leaves out or joins
    later. Where the template writes a beginning in front of a value and an end behind it ('<' + name + '>',
    as those do that write calls as XML), what would complete a token has a sentinel, and so has the client's
    own end of one.
    """

    def __init__(
        self, tokens: Collection[str], literals: TemplateLiterals, reasoning_tags: Collection[str]
    ) -> None:
        """Find where control tokens can begin. reasoning_tags: tags that an assistant's content may hold."""
        openings = _Openings(frozenset(tokens), literals.written)
        inner = {inner for _, inner in openings.inner()}
        self._known_roles = {text for text in literals.sought if text.isidentifier()} - inner
        starts = {token[0] for token in tokens if not _is_plain(token[0])}
        kept = set(_kept(literals.sought, frozenset(tokens), starts))
        places = partial(_Places, frozenset(tokens), openings)
        self._places = places(kept)
        self._places_in_answers = places(kept.union(reasoning_tags))

    def are_needed(self, text: str) -> bool:
        """Return whether a sentinel may be needed in the text, which is all of a request's."""
        return self._places.are_in(text)

    def put(self, text: str, sentinel: str, *, has_reasoning: bool = False) -> str:
        """Return the text with the sentinel wherever it is needed. has_reasoning: whether to leave the tags
        of thoughts whole.
        """
        places = self._places_in_answers if has_reasoning else self._places
        return places.put(text, sentinel)

    def put_in_role(self, role: str, sentinel: str) -> str:
        """Return the role, with sentinels unless the contract or the template knows it."""
        is_known = role in KNOWN_ROLES or role in self._known_roles
        return role if is_known else self.put(role, sentinel)

    def put_in_json(self, text: str, sentinel: str) -> str:
        """Return JSON text with the sentinel put into its strings, escaped characters included; it
        stays valid.
        """
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            return self.put(text, sentinel)
        return _JSON_STRING.sub(lambda found: self._put_in_string(found[0], sentinel), text)

    def _put_in_string(self, literal: str, sentinel: str) -> str:
        text = json.loads(literal, strict=False)
        changed = self.put(text, sentinel)
        return literal if changed == text else json.dumps(changed, ensure_ascii=literal.isascii())


class _Openings:
    """The places at which a template continues with a value in the middle of a possible token."""

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
        """Yield the tokens whose beginning the template writes in front of a value."""
        beginnings = tuple(self._beginnings)
        return (token for token in self._tokens if token.startswith(beginnings))

    def inner(self) -> Iterator[tuple[str, str]]:
        """Yield pairs: a text that the template writes in front of a value, and a value that would complete a
        token.
        """
        for token in self.begun():
            for beginning in filter(token.startswith, self._beginnings):
                for end in filter(token.endswith, self._ends):
                    if inner := token[len(beginning) : -len(end)]:
                        yield beginning, inner


class _Places:
    """The places of sentinels: behind first characters, in front of last characters of tokens that the
    template may have begun, and inside words.

    kept: texts that stay whole although they begin as a token does.
    """

    def __init__(self, tokens: Set[str], openings: _Openings, kept: Collection[str]) -> None:
        self._starts = sorted({token[0] for token in tokens if not _is_plain(token[0])})
        self._ends = sorted({token[-1] for token in openings.begun() if not _is_plain(token[-1])})
        self._kept = sorted(kept)
        words = "|".join(_words(tokens, openings))
        self._words = re.compile(words) if words else None

    def are_in(self, text: str) -> bool:
        """Return whether the text may have such a place."""
        for character in (*self._starts, *self._ends):
            if character in text:
                return True
        return self._words is not None and self._words.search(text) is not None

    def put(self, text: str, sentinel: str) -> str:
        # Words first, since a sentinel beside one would make it a longer one. All else is by `replace`, which
        # takes a twentieth of the time that a pattern takes for a text of nothing but first characters.
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
        """Remove the sentinels of a literal's first and last characters, but not those of tokens inside
        it.
        """
        rest = kept[1:]
        for end in self._ends:
            rest = rest.replace(end, sentinel + end)
        return changed.replace(
            kept[0] + sentinel + self._behind_starts(rest, sentinel),
            kept[0] + self._behind_starts(kept[1:], sentinel),
        )


def _words(tokens: Set[str], openings: _Openings) -> Iterator[str]:
    """Yield patterns of the first characters of tokens that begin like words, and of values that would
    complete a token.
    """
    if words := [token for token in tokens if _is_plain(token[0])]:
        yield f"(?i:{first_of(words)})"
    for beginning, inners in _grouped(openings.inner()).items():
        # Behind the same beginning in the client's own text, that has the sentinel.
        yield f"(?<!{re.escape(beginning)})(?i:{'|'.join(map(_word, sorted(inners)))})"


def _grouped(pairs: Iterator[tuple[str, str]]) -> dict[str, set[str]]:
    grouped: dict[str, set[str]] = {}
    for key, value in pairs:
        grouped.setdefault(key, set()).add(value)
    return grouped


def _word(text: str) -> str:
    """Return a pattern of the text's first character, where the text is not part of a longer word."""
    behind = r"(?!\w)" if re.match(r"\w", text[-1]) else ""
    before = r"(?<!\w)" if re.match(r"\w", text[0]) else ""
    return f"{before}{re.escape(text[0])}(?={re.escape(text[1:])}{behind})"


def _kept(sought: Collection[str], tokens: Set[str], starts: Collection[str]) -> Iterator[str]:
    """Yield the texts that a template looks for which begin like a token but are not the beginning of one."""
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
