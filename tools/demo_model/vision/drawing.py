"""Drawings of scenes, with Pillow, drawn large and reduced so that edges are smooth."""

from functools import cache
from math import cos, pi, sin
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from tools.demo_model.vision.scene import Figure, Scene

_ENLARGED: Final = 3
_INNER_RADIUS: Final = 0.45
"""That of a star's notches, in shares of that of its points."""


def draw(scene: Scene) -> Image.Image:
    """Return the drawing of a scene, RGB."""
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
