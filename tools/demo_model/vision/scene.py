"""Scenes: which figures a drawing has, where, and in which colours; random ones; and their drawings."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import cos, pi, sin
from typing import Final, NamedTuple

from PIL import Image, ImageDraw, ImageFont

from tools.demo_model.scribe import Scribe, Split, is_held_out

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
USUAL_EDGE: Final = 108
_LEAST_DIFFERENCE: Final = 150
"""Between a figure's colour and the background, summed over red, green and blue."""


class _Extent(NamedTuple):
    """The size of figures, from `least` on, and how far they drift from the middle of their cell."""

    least: float
    range: float
    drift: float


_SMALL: Final = _Extent(0.24, 0.07, 0.06)
_LARGE: Final = _Extent(0.36, 0.32, 0.16)


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
    def shapes(self) -> list[Figure]:
        """The figures that are no digits."""
        return [figure for figure in self.figures if not figure.is_digit]

    @property
    def combination(self) -> str:
        """All that it shows, whatever the places: a combination is in training or held out, never both."""
        return ", ".join(sorted(figure.name for figure in self.figures))


def with_article(noun: str) -> str:
    """Return the noun, or the digit, with "a" or "an"."""
    return f"{'an' if noun[0] in 'aeiou8' else 'a'} {noun}"


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


Make = Callable[[Scribe], Scene]


def _of_split(make: Make) -> Make:
    """Draw scenes until one is of the scribe's split; empty ones are of both.

    A combination is held out by its hash, so that no list must be kept.
    """

    def made(scribe: Scribe) -> Scene:
        while True:
            scene = make(scribe)
            if not scene.figures or is_held_out(scene.combination) == (scribe.split is Split.UNSEEN):
                return scene

    return made


@_of_split
def random_scene(scribe: Scribe) -> Scene:
    """Return one figure of any size, or up to four on a grid, seldom none."""
    blank = _blank(scribe)
    if scribe.chance(0.02):
        return blank
    if scribe.chance(0.2):
        return _large_scene(scribe, blank)
    number = scribe.random.choices((1, 2, 3, 4), (2, 3, 3, 3))[0]
    kinds = [scribe.pick(SHAPES) for _ in range(number)]
    if scribe.chance(0.3):
        kinds[scribe.number(0, number - 1)] = scribe.pick(DIGITS)
    if number > 1 and scribe.chance(0.4):  # equal ones are seldom drawn by themselves, and are to be counted
        kinds[0] = kinds[-1]
    return _on_grid(scribe, blank, kinds)


@_of_split
def crowded_scene(scribe: Scribe) -> Scene:
    """Return one to nine figures, each kind as likely as any other."""
    return _on_grid(scribe, _blank(scribe), [scribe.pick(KINDS) for _ in range(scribe.number(1, 9))])


@_of_split
def large_scene(scribe: Scribe) -> Scene:
    """Return one large figure."""
    return _large_scene(scribe, _blank(scribe))


def _large_scene(scribe: Scribe, blank: Scene) -> Scene:
    kind = scribe.pick(DIGITS if scribe.chance(0.5) else SHAPES)
    return replace(blank, figures=(_figure(scribe, blank, kind, (1, 1), None, _LARGE),))


def _on_grid(scribe: Scribe, blank: Scene, kinds: Sequence[str]) -> Scene:
    """Return a scene of these kinds of figures, each in a cell of its own."""
    cells = [(row, column) for row in range(3) for column in range(3)]
    figures: list[Figure] = []
    for kind, cell in zip(kinds, sorted(scribe.random.sample(cells, len(kinds))), strict=True):
        alike = figures[-1].colour if figures and scribe.chance(0.35) else None
        figures.append(_figure(scribe, blank, kind, cell, alike, _SMALL))
    return replace(blank, figures=tuple(figures))


def _blank(scribe: Scribe) -> Scene:
    """Return a scene without figures: usually of the model's own size, one time in three of another."""
    width = height = USUAL_EDGE
    if not scribe.chance(0.67):
        shorter = scribe.number(64, 200)
        longer = round(shorter * (1 + scribe.random.random() / 3))
        width, height = (shorter, longer) if scribe.chance(0.5) else (longer, shorter)
    return Scene(width, height, _background(scribe), ())


def _background(scribe: Scribe) -> Rgb:
    """Return white or nearly so, one time in six a dark grey."""
    if scribe.chance(0.3):
        return 255, 255, 255
    low, high = (20, 70) if scribe.chance(0.25) else (225, 255)
    return scribe.number(low, high), scribe.number(low, high), scribe.number(low, high)


def _colour(scribe: Scribe, background: Rgb, alike: str | None) -> tuple[str, Rgb]:
    """Return a colour that is seen before the background, and its shade."""
    while True:
        name = alike or scribe.pick(tuple(COLOURS))
        red, green, blue = (min(255, max(0, part + scribe.number(-18, 18))) for part in COLOURS[name])
        shade = (red, green, blue)
        if sum(abs(one - other) for one, other in zip(shade, background, strict=True)) >= _LEAST_DIFFERENCE:
            return name, shade


def _figure(
    scribe: Scribe, blank: Scene, kind: str, cell: tuple[int, int], alike: str | None, extent: _Extent
) -> Figure:
    """Return a figure near the middle of a cell of the grid of three by three.

    alike: the colour that it must have. It is turned a little at most, so that digits and squares remain what
    they are.
    """
    row, column = cell
    colour, rgb = _colour(scribe, blank.background, alike)
    edge = min(blank.width, blank.height)
    x, y = (
        ((place + 0.5) / 3 + (scribe.random.random() - 0.5) * extent.drift) * side / edge
        for place, side in ((column, blank.width), (row, blank.height))
    )
    size = extent.least + extent.range * scribe.random.random()
    turn = 0.0 if scribe.chance(0.5) else (scribe.random.random() - 0.5) * 24
    return Figure(kind, colour, rgb, x, y, size, turn, row, column)


_ENLARGED: Final = 3
_INNER_RADIUS: Final = 0.45
"""That of a star's notches, in shares of that of its points."""


def draw(scene: Scene) -> Image.Image:
    """Return the drawing of a scene, RGB; it is drawn large and reduced, so that edges are smooth."""
    size = (scene.width * _ENLARGED, scene.height * _ENLARGED)
    canvas = Image.new("RGB", size, scene.background)
    for figure in scene.figures:
        _draw_figure(canvas, figure, min(size))
    return canvas.reduce(_ENLARGED)


def _draw_figure(canvas: Image.Image, figure: Figure, edge: int) -> None:
    x, y, size = figure.x * edge, figure.y * edge, figure.size * edge
    if figure.is_digit:
        stamp = _digit(figure.kind, round(size)).rotate(figure.turn, expand=True)
        canvas.paste(figure.rgb, (round(x - stamp.width / 2), round(y - stamp.height / 2)), stamp)
    elif figure.kind == "circle":
        radius = size / 2
        ImageDraw.Draw(canvas).ellipse((x - radius, y - radius, x + radius, y + radius), figure.rgb)
    else:
        corners = [
            (x + radius * size * cos(angle), y - radius * size * sin(angle))
            for radius, angle in _corners(figure.kind, figure.turn * pi / 180)
        ]
        ImageDraw.Draw(canvas).polygon(corners, figure.rgb)


def _corners(kind: str, turn: float) -> list[tuple[float, float]]:
    """Return the corners of a shape of size 1 as (radius, angle), the first at the top unless it is turned.

    A square is as high as its size when it stands on an edge; the others fit a circle of that diameter, a
    triangle one that is a little larger.
    """
    if kind == "square":
        return [(0.5**0.5, turn + pi * (1 / 4 + i / 2)) for i in range(4)]
    if kind == "triangle":
        return [(0.58, turn + pi * (1 / 2 + i * 2 / 3)) for i in range(3)]
    radii = (0.55, 0.55 * _INNER_RADIUS)
    return [(radii[i % 2], turn + pi * (1 / 2 + i / 5)) for i in range(10)]


@cache
def _digit(digit: str, height: int) -> Image.Image:
    """Return a digit of Pillow's own font as a mask, cut to what is not empty."""
    font = ImageFont.load_default(size=round(height * 1.35))
    mask = Image.new("L", (2 * height, 2 * height))
    ImageDraw.Draw(mask).text((height, height), digit, 255, font, anchor="mm", stroke_width=height // 30)
    return mask.crop(mask.getbbox())
