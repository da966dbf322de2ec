"""Scenes and their drawings: what is said to be there is there, in its colour and at its place."""

from io import BytesIO

import pytest
from PIL import Image

from tools.demo_model.scribe import Scribe, Split, is_held_out
from tools.demo_model.vision.questions import encoded
from tools.demo_model.vision.scene import (
    COLOURS,
    KINDS,
    SHAPES,
    USUAL_EDGE,
    Figure,
    Scene,
    crowded_scene,
    draw,
    large_scene,
    listed,
    random_scene,
)

WHITE = (255, 255, 255)
NUM_SCENES = 300


def figure(name: str, row: int = 1, column: int = 1) -> Figure:
    colour, kind = name.split()
    return Figure(kind, colour, COLOURS[colour], (column + 0.5) / 3, (row + 0.5) / 3, 0.28, 0.0, row, column)


def scene(*figures: Figure) -> Scene:
    return Scene(USUAL_EDGE, USUAL_EDGE, WHITE, figures)


def scenes(split: Split) -> list[Scene]:
    scribe = Scribe(7, split)
    return [random_scene(scribe) for _ in range(NUM_SCENES)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_is_drawn_in_its_colour_at_its_place_alone(kind: str) -> None:
    drawn = draw(scene(figure(f"red {kind}", 0, 2)))
    assert drawn.size == (108, 108)
    inside = drawn.crop((72, 0, 108, 36)).getcolors(36 * 36)
    assert inside is not None and COLOURS["red"] in dict((colour, number) for number, colour in inside)
    elsewhere = drawn.copy()
    elsewhere.paste(WHITE, (72, 0, 108, 36))
    assert elsewhere.getcolors() == [(108 * 108, WHITE)]


def test_no_two_kinds_are_drawn_alike() -> None:
    drawn = {draw(scene(figure(f"blue {kind}"))).tobytes() for kind in KINDS}
    assert len(drawn) == len(KINDS)


def test_a_seed_and_a_split_fix_the_drawing() -> None:
    for split in Split:
        assert [draw(one).tobytes() for one in scenes(split)[:20]] == [
            draw(one).tobytes() for one in scenes(split)[:20]
        ]


def test_no_combination_is_both_trained_on_and_held_out() -> None:
    seen, unseen = ({one.combination for one in scenes(split) if one.figures} for split in Split)
    assert seen and unseen and seen.isdisjoint(unseen)
    assert all(map(is_held_out, unseen)) and not any(map(is_held_out, seen))


def test_scenes_have_up_to_four_figures_of_every_kind_colour_and_place() -> None:
    drawn = scenes(Split.SEEN)
    figures = [figure for one in drawn for figure in one.figures]
    assert {len(one.figures) for one in drawn} == {0, 1, 2, 3, 4}
    assert {figure.kind for figure in figures} == set(KINDS)
    assert {figure.colour for figure in figures} == set(COLOURS)
    assert len({figure.place for figure in figures}) == 9
    assert {one.width > one.height for one in drawn} == {True, False}


def test_the_tower_also_learns_from_crowded_scenes_and_large_figures_of_its_own_split() -> None:
    scribe = Scribe(8, Split.SEEN)
    crowded = [crowded_scene(scribe) for _ in range(NUM_SCENES)]
    large = [large_scene(scribe) for _ in range(NUM_SCENES)]
    assert {len(one.figures) for one in crowded} == set(range(1, 10))
    assert {figure.kind for one in crowded for figure in one.figures} == set(KINDS)
    assert {len(one.figures) for one in large} == {1}
    assert min(figure.size for one in large for figure in one.figures) > 0.35
    assert not any(is_held_out(one.combination) for one in crowded + large)


def test_every_figure_is_within_the_drawing_and_seen_before_the_background() -> None:
    for one in scenes(Split.SEEN):
        edge = min(one.width, one.height)
        for each in one.figures:
            half = each.size / 2
            assert half * 0.8 < each.x < one.width / edge - half * 0.8
            assert half * 0.8 < each.y < one.height / edge - half * 0.8
            assert sum(abs(a - b) for a, b in zip(each.rgb, one.background, strict=True)) >= 150


def test_equal_figures_are_listed_together_where_the_first_is_read() -> None:
    names = ("orange star", "red circle", "orange star", "blue 8")
    assert listed(scene(*map(figure, names))) == "two orange stars, a red circle and a blue 8"
    assert listed(scene(figure("orange circle"))) == "an orange circle"
    assert listed(scene()) == "nothing"


@pytest.mark.parametrize("file_format", ["PNG", "JPEG", "WEBP", "GIF", "BMP"])
def test_a_drawing_is_much_the_same_in_every_format(file_format: str) -> None:
    shown = scene(*(figure(f"green {kind}", 0, column) for column, kind in enumerate(SHAPES[:3])))
    read = Image.open(BytesIO(encoded(shown, file_format)))
    assert read.format == file_format
    drawn = draw(shown)
    for x in (18, 54, 90):
        pixel = read.convert("RGB").getpixel((x, 18))
        wanted = drawn.getpixel((x, 18))
        assert isinstance(pixel, tuple) and isinstance(wanted, tuple)
        assert max(abs(a - b) for a, b in zip(pixel, wanted, strict=True)) < 12
