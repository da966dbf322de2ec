"""A drawing before it is drawn: which figures it has, where, and in which colours."""

from dataclasses import dataclass
from typing import Final

SHAPES: Final = ("circle", "square", "triangle", "star")
DIGITS: Final = tuple("0123456789")
KINDS: Final = SHAPES + DIGITS
COLOURS: Final = {
    "red": (220, 30, 35),
    "orange": (250, 140, 20),
    "yellow": (250, 220, 40),
    "green": (30, 150, 60),
    "blue": (35, 80, 215),
    "purple": (130, 50, 165),
    "pink": (250, 140, 190),
    "black": (15, 15, 15),
}
PLACES: Final = (
    ("at the top left", "at the top", "at the top right"),
    ("on the left", "in the middle", "on the right"),
    ("at the bottom left", "at the bottom", "at the bottom right"),
)
NUMBERS: Final = ("no", "one", "two", "three", "four")
Rgb = tuple[int, int, int]


@dataclass(frozen=True)
class Figure:
    """One shape or digit.

    kind: one of `KINDS`. colour: one of `COLOURS`. rgb: the very colour, near that one. x, y: its centre, and
    size: its height, all in shares of the shorter edge of the drawing. turn: degrees, counter-clockwise. row,
    column: its place in `PLACES`.
    """

    kind: str
    colour: str
    rgb: Rgb
    x: float
    y: float
    size: float
    turn: float
    row: int
    column: int

    @property
    def is_digit(self) -> bool:
        """True for a digit, False for a shape."""
        return self.kind in DIGITS

    @property
    def name(self) -> str:
        """The figure in words, without an article."""
        return f"{self.colour} {self.kind}"

    @property
    def place(self) -> str:
        """The part of the drawing in which it is, in words."""
        return PLACES[self.row][self.column]


@dataclass(frozen=True)
class Scene:
    """The content of a drawing. width, height: in pixels. figures: in the order in which one reads."""

    width: int
    height: int
    background: Rgb
    figures: tuple[Figure, ...]

    @property
    def combination(self) -> str:
        """All that it shows, whatever the places: a combination is in training or held out, never both."""
        return ", ".join(sorted(figure.name for figure in self.figures))


def with_article(noun: str) -> str:
    """Return the noun with "a" or "an"."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def counted(noun: str, number: int) -> str:
    """Return how many there are, in words: "two red circles"."""
    return f"{NUMBERS[number]} {noun if number == 1 else noun + 's'}"


def listed(scene: Scene) -> str:
    """Return all figures in words, equal ones together, each where the first of them is read."""
    names = [figure.name for figure in scene.figures]
    parts = [
        with_article(name) if names.count(name) == 1 else counted(name, names.count(name))
        for name in dict.fromkeys(names)
    ]
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:]))) or "nothing"
