"""The sheet of drawings in the documentation."""

from PIL import Image

from tools.demo_model.vision.drawings.sheet import SHEET, sheet


def test_the_documentation_shows_the_sheet_that_the_script_draws() -> None:
    drawn = sheet()
    with Image.open(SHEET) as shown:
        assert shown.size == drawn.size
        shared = zip(shown.convert("RGB").tobytes(), drawn.tobytes(), strict=True)
        num_different = sum(abs(one - other) > 32 for one, other in shared)
    assert num_different < 0.01 * len(drawn.tobytes())  # other releases draw edges a little otherwise
