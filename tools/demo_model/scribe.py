"""The scribe: a seeded source of names, numbers and wordings, on one side of the training/held-out line."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeVar
from zlib import crc32

from tools.demo_model import words

_HELD_OUT_ONE_IN: Final = 8
_UNSEEN_NAMES: Final = frozenset((*words.UNSEEN_CITIES, *words.UNSEEN_PEOPLE))
T = TypeVar("T")


class Split(Enum):
    """The names and wordings that a scribe may use: those trained on, or those kept for evaluation."""

    SEEN = "seen"
    UNSEEN = "unseen"


@dataclass(frozen=True)
class Phrases:
    """Wordings of one thing to say; the unseen ones are never trained on."""

    seen: Sequence[str]
    unseen: Sequence[str]

    def __post_init__(self) -> None:
        assert set(self.seen).isdisjoint(self.unseen)

    @classmethod
    def of(cls, seen: str, unseen: str) -> "Phrases":
        """Wordings written in a row with bars between them."""
        return cls(seen.split("|"), unseen.split("|"))


def is_held_out(word: str) -> bool:
    """Return whether an invented word belongs to evaluation; a hash, so that no list must be kept."""
    return crc32(word.encode()) % _HELD_OUT_ONE_IN == 0


class Scribe:
    """Draws everything variable in a dialogue, so that a seed and a split fix it."""

    def __init__(self, seed: int, split: Split) -> None:
        self.random = random.Random(seed)
        self.split = split

    def pick(self, options: Sequence[T]) -> T:
        """One of the options, evenly."""
        return options[int(self.random.random() * len(options))]

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return self.random.random() < probability

    def number(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + int(self.random.random() * (high - low + 1))

    def say(self, phrases: Phrases, **slots: object) -> str:
        """A wording from this scribe's side of the line, its slots filled."""
        return self.pick(phrases.seen if self.split is Split.SEEN else phrases.unseen).format(**slots)

    def invented(self) -> str:
        """A pronounceable word of two or three syllables that belongs to this split."""
        while True:
            syllables = [self.pick(words.ONSETS) + self.pick(words.VOWELS) for _ in range(self.number(1, 3))]
            word = "".join(syllables) + (self.pick(words.CODAS) if len(syllables) < 3 else "")
            if is_held_out(word) == (self.split is Split.UNSEEN):
                return word

    def blended(self) -> str:
        """A name of the beginning of a real word and the end of another, that belongs to this split.

        Its tokens follow one another in no real word, so that it cannot be completed from memory.
        """
        real = (*words.CITIES, *words.PEOPLE, *words.LEXICON)
        while True:
            first, last = self.pick(real), self.pick(real)
            word = (first[: self.number(2, 4)] + last[-self.number(2, 4) :]).replace(" ", "").lower()
            name = word.capitalize()
            if name not in _UNSEEN_NAMES and is_held_out(word) == (self.split is Split.UNSEEN):
                return name

    def new_name(self) -> str:
        """A name that is in no list: invented, or blended one time in three."""
        return self.blended() if self.chance(0.35) else self.invented().capitalize()

    def person(self) -> str:
        """A first name, a new one two times in three."""
        if self.chance(0.65):
            return self.new_name()
        return self.pick(words.PEOPLE if self.split is Split.SEEN else words.UNSEEN_PEOPLE)

    def city(self) -> str:
        """A city, a new one six times in ten, which is often of two words."""
        if self.chance(0.6):
            name = self.new_name()
            if not self.chance(0.3):
                return name
            return f"{self.pick(words.CITY_PREFIXES) if self.chance(0.5) else self.new_name()} {name}"
        return self.pick(words.CITIES if self.split is Split.SEEN else words.UNSEEN_CITIES)

    def code(self) -> str:
        """Letters and digits in no order, such as an order number or a file name."""
        letters = "".join(self.pick("ABCDEFGHIJKLMNOPQRSTUVWXYZ") for _ in range(self.number(1, 3)))
        digits = str(self.number(1, 9999))
        word = self.invented()
        return self.pick((f"{letters}{digits}", f"{letters}-{digits}", f"{word}.txt", f"{word}{digits}"))

    def sentence(self, shortest: int = 2, longest: int = 6) -> str:
        """Words in no order, now and then an invented one: text that can only be copied."""
        count = self.number(shortest, longest)
        return " ".join(
            self.invented() if self.chance(0.12) else self.pick(words.LEXICON) for _ in range(count)
        )
