"""Keeps a template's control tokens apart from those that a client writes."""

import re
from secrets import choice
from typing import Final

import msgspec
from msgspec.structs import replace

from engine.port.text.patterns import any_of
from engine.port.text.placed_tokens import PlacedTokens
from engine.port.text.tokenizer import Tokenizer
from handlers.chat.prompt.control.client_text import ClientText
from handlers.chat.prompt.control.control_tokens import control_tokens
from handlers.chat.prompt.control.literals import literals_of
from handlers.chat.prompt.control.sentinels import Sentinels
from handlers.chat.prompt.dialect import Dialect
from handlers.chat.prompt.tool_prompt import RESULT_TAGS

# Digits come out of every filter of a template as they went in. The first is not among the others, so that a
# sentinel is found where it was put, whatever stands next to it.
_SENTINEL: Final = "9052716348"
_DIGITS: Final = "012345678"
_ESCAPE: Final = r"\u"  # of a character, in the JSON text of a call's arguments
# All characters of the basic plane but surrogates: whatever a normalizer makes of them.
_BASIC_PLANE: Final = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x10000)]))


class SentinelText(msgspec.Struct, frozen=True):
    """A client's text with a sentinel wherever a control token could begin."""

    client_text: ClientText
    sentinel: str


class RenderedPrompt(msgspec.Struct, frozen=True):
    """A prompt as it reads, special tokens as text, and how it is encoded.

    parts: its text and its control tokens in turn, where they must be kept apart; else None.
    """

    text: str
    parts: tuple[str | int, ...] | None = None
    placed: PlacedTokens | None = None

    def encode(self, tokenizer: Tokenizer, *, add_special_tokens: bool) -> list[int]:
        """Return the prompt's token ids. Raises InvalidRequest for text that cannot be encoded."""
        if self.parts is None or self.placed is None:
            return tokenizer.encode(self.text, add_special_tokens=add_special_tokens)
        return self.placed.encode(self.parts, add_special_tokens=add_special_tokens)

    def encode_segments(
        self, tokenizer: Tokenizer, cache_salt: str | None, *, add_special_tokens: bool
    ) -> list[int]:
        """Encode as `encode` does, and remember the ids of segments for prompts of the same salt.

        Raises InvalidRequest, as `encode` does.
        """
        if self.parts is not None and self.placed is not None:
            return self.placed.encode_segments(self.parts, cache_salt, add_special_tokens=add_special_tokens)
        if add_special_tokens:
            return tokenizer.encode(self.text)
        return tokenizer.encode_segments(self.text, cache_salt)


class ControlGuard:
    """The guard of one template's control tokens. Every method may be called from any thread."""

    def __init__(self, tokenizer: Tokenizer, dialect: Dialect) -> None:
        reasoning = dialect.reasoning_format
        tags, kept = ((), ()) if reasoning is None else (reasoning.tags, reasoning.kept_tags)
        sources = dialect.template.sources
        self._ids = control_tokens(
            tokenizer.hf,
            (*sources, *dialect.template.placeholders, *dialect.tools.tool_format.tags, *tags, *RESULT_TAGS),
        )
        self._sentinels = Sentinels(self._ids, literals_of(sources), kept)
        self._tokens = re.compile(f"({any_of(self._ids)})" if self._ids else r"((?!))")
        self._tools = dialect.tools
        self._placed = PlacedTokens(tokenizer, self._ids.values())
        self._is_changed_by_normalizing = _normalizes_into(tokenizer, {token[0] for token in self._ids})

    def with_sentinels(self, client_text: ClientText) -> SentinelText | None:
        """Return the text with sentinels; None where nothing in it could be read as a control token."""
        text = client_text.joined()
        if text is not None and not self._is_suspect(text):
            return None
        sentinel = _SENTINEL
        while text is not None and sentinel in text:
            sentinel = _SENTINEL[0] + "".join(choice(_DIGITS) for _ in _SENTINEL[1:])
        # Identifiers may be hashed, which is done before they have sentinels.
        client_text = replace(client_text, messages=tuple(self._tools.with_ids(client_text.messages)))
        return SentinelText(client_text.with_sentinels(self._sentinels, sentinel), sentinel)

    def _is_suspect(self, text: str) -> bool:
        if self._is_changed_by_normalizing and not text.isascii():
            return True
        return self._sentinels.are_needed(text) or _ESCAPE in text

    def prompt(self, rendered: str, sentinel: str) -> RenderedPrompt:
        """Return the prompt without sentinels. rendered: the template's output for text with sentinels."""
        text = rendered.replace(sentinel, "")
        if text == rendered and not self._is_changed_by_normalizing:
            return RenderedPrompt(text)
        pieces = self._tokens.split(rendered)  # the pattern has one group, so every other piece is a token
        parts = [
            self._ids[piece] if at % 2 else piece.replace(sentinel, "") for at, piece in enumerate(pieces)
        ]
        return RenderedPrompt(text, tuple(parts), self._placed)


def _normalizes_into(tokenizer: Tokenizer, characters: set[str]) -> bool:
    """Return whether the tokenizer's normalizer maps another character to one of these, as NFKC maps a
    full-width bracket.
    """
    normalizer = tokenizer.hf.backend_tokenizer.normalizer
    if normalizer is None:
        return False
    normalized: str = normalizer.normalize_str(_BASIC_PLANE)
    return any(normalized.count(character) > 1 for character in characters)
