"""Questions about scenes, whose answers are worked out here once more from the figures."""

import re
from collections.abc import Callable, Iterator

import pytest

from tools.demo_model.dialogue import Round
from tools.demo_model.evaluation import is_right
from tools.demo_model.scribe import Scribe, Split
from tools.demo_model.vision.questions import (
    NO_PICTURE,
    QUESTIONS,
    count_coloured,
    later_trials,
    near_miss,
    picture_trials,
    trials_without_picture,
)
from tools.demo_model.vision.scene import COLOURS, NUMBERS, Scene, listed, random_scene

NUM_SCENES = 400
Ask = Callable[[Scribe, Scene], Round | None]


def asked(kind: str, split: Split = Split.SEEN) -> Iterator[tuple[Scene, Round]]:
    return asked_by(QUESTIONS[kind], split)


def asked_by(ask: Ask, split: Split = Split.SEEN) -> Iterator[tuple[Scene, Round]]:
    scribe = Scribe(5, split)
    for _ in range(NUM_SCENES):
        scene = random_scene(scribe)
        talk = ask(scribe, scene)
        if talk is not None:
            yield scene, talk


def parsed(pattern: str, answer: str) -> tuple[str, ...]:
    found = re.fullmatch(pattern, answer)
    assert found is not None, answer
    return found.groups()


def test_a_description_names_every_figure() -> None:
    for scene, talk in asked("description"):
        for figure in scene.figures:
            assert figure.name in talk.answer
        assert scene.figures or talk.answer == "I see nothing."


def test_the_colour_is_that_of_the_only_figure_of_its_kind() -> None:
    for scene, talk in asked("colour"):
        kind, colour = parsed(r"The (\w+) is (\w+)\.", talk.answer)
        found = [f for f in scene.figures if kind == f.kind or (kind == "digit" and f.is_digit)]
        assert [figure.colour for figure in found] == [colour]
        assert kind in talk.user


@pytest.mark.parametrize("ask", [QUESTIONS["count"], count_coloured])
def test_the_count_is_right_and_every_number_occurs(ask: Ask) -> None:
    numbers = set()
    for scene, talk in asked_by(ask):
        number, noun = parsed(r"There (?:is|are) (\w+) ([\w ]+?)s?\.", talk.answer)
        words = [word for word in noun.split() if word != "shape"]
        shapes = [figure for figure in scene.figures if not figure.is_digit]
        count = sum(all(word in figure.name.split() for word in words) for figure in shapes)
        assert NUMBERS.index(number) == count
        assert f"{noun}s" in talk.user
        numbers.add(number)
    assert numbers == set(NUMBERS)


def test_counts_to_practise_are_of_a_colour() -> None:
    for _, talk in asked_by(count_coloured):
        assert any(colour in talk.answer.split() for colour in COLOURS)


def test_the_digit_is_the_only_one() -> None:
    digits = set()
    for scene, talk in asked("digit"):
        (digit,) = parsed(r"It is an? (\d)\.", talk.answer)
        assert [figure.kind for figure in scene.figures if figure.is_digit] == [digit]
        digits.add(digit)
    assert len(digits) == 10


@pytest.mark.parametrize("ask", [QUESTIONS["existence"], near_miss])
def test_what_is_said_to_exist_does_and_nothing_else(ask: Ask) -> None:
    answers = set()
    for scene, talk in asked_by(ask):
        answer, name = parsed(r"(Yes|No), there is (?:no |an? )([\w ]+)\.", talk.answer)
        number = sum(name in (figure.name, figure.kind) for figure in scene.figures)
        assert number == (1 if answer == "Yes" else 0)
        assert name in talk.user
        answers.add(answer)
    assert answers == {"Yes", "No"}


def test_what_nearly_exists_shares_its_kind_or_its_colour_with_a_shape() -> None:
    num_apart = 0
    for scene, talk in asked_by(near_miss):
        answer, colour, kind = parsed(r"(Yes|No), there is (?:no |an? )(\w+) (\w+)\.", talk.answer)
        has_kind = any(figure.kind == kind for figure in scene.figures)
        has_colour = any(figure.colour == colour for figure in scene.figures)
        assert has_kind or has_colour
        num_apart += answer == "No" and has_kind and has_colour
    assert num_apart >= NUM_SCENES / 20


def test_the_place_is_that_of_the_only_figure_of_its_kind() -> None:
    places = set()
    for scene, talk in asked("place"):
        name, place = parsed(r"The ([\w ]+) is ((?:at|on|in) .+)\.", talk.answer)
        assert [f.place for f in scene.figures if f.kind == name.split()[-1]] == [place]
        places.add(place)
    assert len(places) == 9


def test_the_shape_of_a_colour_is_the_only_figure_of_it() -> None:
    for scene, talk in asked("shape by colour"):
        kind, colour = parsed(r"The (\w+) is (\w+)\.", talk.answer)
        assert [figure.kind for figure in scene.figures if figure.colour == colour] == [kind]


@pytest.mark.parametrize("kind", QUESTIONS)
def test_thoughts_list_what_there_is_to_see(kind: str) -> None:
    for scene, talk in asked(kind):
        assert talk.thought == f"I look at the picture. I see {listed(scene)}."


@pytest.mark.parametrize("kind", QUESTIONS)
def test_wordings_of_trials_are_never_trained_on(kind: str) -> None:
    def wordings(split: Split) -> set[str]:
        words = r"\b(an? |the )?(?:(red|orange|yellow|green|blue|purple|pink|black) ?)?"
        kinds = r"(circle|square|triangle|star|shape|digit|\d)?"
        return {re.sub(words + kinds, "*", talk.user) for _, talk in asked(kind, split)}

    assert wordings(Split.SEEN).isdisjoint(wordings(Split.UNSEEN))


def test_the_scripts_own_answers_are_right_and_others_are_not() -> None:
    trials = [trial for kind in QUESTIONS for trial in picture_trials(kind, 10, thinking=False)]
    trials += later_trials(10) + trials_without_picture(10)
    for trial in trials:
        assert is_right(trial, f"{trial.expected.answer}<|im_end|>")
        assert not is_right(trial, "I see a grey whale.<|im_end|>")
    assert any(trial.expected.answer == NO_PICTURE for trial in trials)
