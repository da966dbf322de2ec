"""A sheet of drawings that training never saw, as the documentation shows them."""

from pathlib import Path
from typing import Final

from PIL import Image

from tools.demo_model.scribe import Scribe, Split
from tools.demo_model.vision.drawings.drawing import draw
from tools.demo_model.vision.drawings.scene import Scene
from tools.demo_model.vision.drawings.scenes import USUAL_EDGE, random_scene

SHEET: Final = Path(__file__).parents[4] / "docs" / "assets" / "demo-vision.png"
_SEED: Final = 2_100_003
_COLUMNS: Final = 6
_ROWS: Final = 2
_MARGIN: Final = 8
_GREY: Final = (160, 160, 160)


def sheet() -> Image.Image:
    """Return the sheet: held-out drawings of the usual size, in rows."""
    scribe = Scribe(_SEED, Split.UNSEEN)
    step = USUAL_EDGE + _MARGIN
    drawn = Image.new("RGB", (_COLUMNS * step + _MARGIN, _ROWS * step + _MARGIN), _GREY)
    for row in range(_ROWS):
        for column in range(_COLUMNS):
            place = (column * step + _MARGIN, row * step + _MARGIN)
            drawn.paste(draw(_scene_with_figures(scribe)), place)
    return drawn


def _scene_with_figures(scribe: Scribe) -> Scene:
    while True:
        scene = random_scene(scribe)
        if scene.figures and scene.width == scene.height == USUAL_EDGE:
            return scene
