"""Random scenes, on one side of the line between training and evaluation."""

from collections.abc import Callable, Sequence
from typing import Final

from tools.demo_model.scribe import Scribe, Split, is_held_out
from tools.demo_model.vision.drawings.scene import COLOURS, DIGITS, KINDS, SHAPES, Figure, Rgb, Scene

USUAL_EDGE: Final = 108
_LEAST_DIFFERENCE: Final = 150
"""Between a figure's colour and the background, summed over red, green and blue."""


def random_scene(scribe: Scribe) -> Scene:
    """Return a scene of the scribe's split: one figure of any size, or up to four on a grid, seldom none.

    A combination is held out by its hash, so that no list must be kept; empty scenes are of both splits.
    """
    return _of_split(scribe, _any_scene)


def crowded_scene(scribe: Scribe) -> Scene:
    """Return a scene of the scribe's split of one to nine figures, each kind as likely as any other."""
    return _of_split(scribe, _crowded_scene)


def large_scene(scribe: Scribe) -> Scene:
    """Return a scene of the scribe's split of one large figure."""
    return _of_split(scribe, _large_scene)


def _of_split(scribe: Scribe, make: Callable[[Scribe], Scene]) -> Scene:
    while True:
        scene = make(scribe)
        if not scene.figures or is_held_out(scene.combination) == (scribe.split is Split.UNSEEN):
            return scene


def _crowded_scene(scribe: Scribe) -> Scene:
    number = scribe.number(1, 9)
    kinds = [scribe.pick(KINDS) for _ in range(number)]
    return _scene_of(scribe, _canvas(scribe), _background(scribe), kinds)


def _large_scene(scribe: Scribe) -> Scene:
    width, height = _canvas(scribe)
    background = _background(scribe)
    return Scene(width, height, background, (_large(scribe, width, height, background),))


def _any_scene(scribe: Scribe) -> Scene:
    width, height = _canvas(scribe)
    background = _background(scribe)
    if scribe.chance(0.02):
        return Scene(width, height, background, ())
    if scribe.chance(0.2):
        return Scene(width, height, background, (_large(scribe, width, height, background),))
    number = scribe.random.choices((1, 2, 3, 4), (2, 3, 3, 3))[0]
    kinds = [scribe.pick(SHAPES) for _ in range(number)]
    if scribe.chance(0.3):
        kinds[scribe.number(0, number - 1)] = scribe.pick(DIGITS)
    if number > 1 and scribe.chance(0.4):  # equal ones are seldom drawn by themselves, and are to be counted
        kinds[0] = kinds[-1]
    return _scene_of(scribe, (width, height), background, kinds)


def _scene_of(scribe: Scribe, canvas: tuple[int, int], background: Rgb, kinds: Sequence[str]) -> Scene:
    """Return a scene of these kinds of figures, each in a cell of its own."""
    cells = [(row, column) for row in range(3) for column in range(3)]
    cells = sorted(scribe.random.sample(cells, len(kinds)))
    figures: list[Figure] = []
    for kind, (row, column) in zip(kinds, cells, strict=True):
        alike = figures[-1].colour if figures and scribe.chance(0.35) else None
        figures.append(_on_grid(scribe, kind, row, column, canvas, background, alike))
    return Scene(*canvas, background, tuple(figures))


def _canvas(scribe: Scribe) -> tuple[int, int]:
    """Return width and height: usually those that the model reads, one time in three others."""
    if scribe.chance(0.67):
        return USUAL_EDGE, USUAL_EDGE
    shorter = scribe.number(64, 200)
    longer = round(shorter * (1 + scribe.random.random() / 3))
    return (shorter, longer) if scribe.chance(0.5) else (longer, shorter)


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


def _turn(scribe: Scribe, kind: str) -> float:
    """Return by how much a figure is turned: a little, so that digits and squares remain what they are."""
    return 0.0 if scribe.chance(0.5) else (scribe.random.random() - 0.5) * 24


def _large(scribe: Scribe, width: int, height: int, background: Rgb) -> Figure:
    """Return the only figure of a scene, near the middle."""
    kind = scribe.pick(DIGITS if scribe.chance(0.5) else SHAPES)
    colour, rgb = _colour(scribe, background, None)
    edge = min(width, height)
    x, y = (0.5 * side / edge + (scribe.random.random() - 0.5) * 0.16 for side in (width, height))
    return Figure(kind, colour, rgb, x, y, 0.36 + 0.32 * scribe.random.random(), _turn(scribe, kind), 1, 1)


def _on_grid(
    scribe: Scribe,
    kind: str,
    row: int,
    column: int,
    canvas: tuple[int, int],
    background: Rgb,
    alike: str | None,
) -> Figure:
    """Return a figure in a cell of the grid of three by three. alike: the colour that it must have."""
    colour, rgb = _colour(scribe, background, alike)
    edge = min(canvas)
    x, y = (
        ((place + 0.5) / 3 + (scribe.random.random() - 0.5) * 0.06) * side / edge
        for place, side in zip((column, row), canvas, strict=True)
    )
    size = 0.24 + 0.07 * scribe.random.random()
    return Figure(kind, colour, rgb, x, y, size, _turn(scribe, kind), row, column)
