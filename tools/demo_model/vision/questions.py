"""Questions about a scene, their answers, and trials: drawings and wordings that training never saw."""

from collections.abc import Callable
from io import BytesIO
from typing import Final

from tools.demo_model.dialogue import Dialogue, Json, Message, Round
from tools.demo_model.evaluation import Trial
from tools.demo_model.scribe import Phrases, Scribe, Split
from tools.demo_model.skills.talk import greeting
from tools.demo_model.vision.scene import (
    COLOURS,
    SHAPES,
    Figure,
    Scene,
    counted,
    draw,
    listed,
    random_scene,
    with_article,
)

_DESCRIBE = Phrases.of(
    "What do you see?|What is in the picture?|Describe the picture.|What does the picture show?|"
    "What is this?|What can you see?|Describe this image.|What is in this image?|what do you see|"
    "Tell me what you see.|What do you see in the picture?|What is drawn here?|Describe what you see.|"
    "What do you see in this image?|What's in the picture?|What is shown here?|Describe it.",
    unseen="Please describe the picture.|What can you see in the picture?|What does this image show?|"
    "What's in this image?",
)
_COLOUR = Phrases.of(
    "What colour is the {x}?|What color is the {x}?|Which colour is the {x}?|Which color has the {x}?|"
    "Tell me the color of the {x}.|what colour is the {x}|The {x}: which color?|"
    "What is the colour of the {x}?|What's the color of the {x}?",
    unseen="What is the color of the {x}?|Tell me the colour of the {x}.|Which color is the {x}?",
)
_COUNT = Phrases.of(
    "How many {x}s are there?|How many {x}s do you see?|Count the {x}s.|how many {x}s are there|"
    "How many {x}s are in the picture?|How many {x}s can you see?|How many {x}s does the picture show?|"
    "Tell me how many {x}s there are.|What is the number of {x}s?|How many {x}s are there in the image?|"
    "How many {x}s do you see here?|Please tell me how many {x}s there are.|Count the {x}s in the picture.",
    unseen="How many {x}s are in this image?|Please count the {x}s.|How many {x}s are here?",
)
_DIGIT = Phrases.of(
    "Which digit is it?|Which digit do you see?|What digit is this?|Which number is it?|Which digit is this?|"
    "What number do you see?|which digit is it|Read the digit.|What is the digit?|Tell me the digit.|"
    "Which number is in the picture?|Which digit is in the picture?|What number is this?|What is the number?|"
    "what number is in the picture|What digit is in the picture?|Which number is this?|Read the number.|"
    "Which number does the picture show?|What digit does the image show?|Which digit can you see?|"
    "What number can you see?|Which number is drawn here?|What digit is drawn?|Which number do you see here?|"
    "Tell me the number.|What number is shown here?|what digit is it",
    unseen="What digit do you see?|Which digit is shown?|What number is it?",
)
_EXISTS = Phrases.of(
    "Is there {x}?|Do you see {x}?|Is there {x} in the picture?|Can you see {x}?|Does the picture show {x}?|"
    "is there {x}|Is {x} in the picture?|Is there {x} here?|Do you see {x} here?|Is there {x} in the image?|"
    "Can you see {x} in the picture?|Does the image show {x}?|Is {x} here?",
    unseen="Do you see {x} in the picture?|Is there {x} in this image?|Can you see {x} here?",
)
_WHERE = Phrases.of(
    "Where is the {x}?|Where do you see the {x}?|where is the {x}|Where is the {x} in the picture?|"
    "In which place is the {x}?|Tell me where the {x} is.|At which place is the {x}?",
    unseen="Where can you see the {x}?|Please tell me where the {x} is.|Where is the {x} here?",
)
_WHICH = Phrases.of(
    "What is {x}?|Which shape is {x}?|Which figure is {x}?|What do you see that is {x}?|"
    "Which thing is {x}?|which shape is {x}|Tell me which shape is {x}.|What is {x} in the picture?|"
    "Which one is {x}?|What shape is {x}?|Which of the shapes is {x}?|Which shape do you see that is {x}?|"
    "Which figure in the image is {x}?|What is {x} here?|Please say which shape is {x}.|what is {x}",
    unseen="Which shape in the picture is {x}?|Please tell me what is {x}.|Which shape here is {x}?",
)


def _round(scene: Scene, question: str, answer: str) -> Round:
    return Round(question, f"I look at the picture. I see {listed(scene)}.", answer, (answer.lower(),))


def _single(scribe: Scribe, scene: Scene, key: Callable[[Figure], str]) -> Figure | None:
    """Return a figure that no other one resembles in what `key` returns; None if there is none."""
    keys = [key(figure) for figure in scene.figures]
    alone = [figure for figure, own in zip(scene.figures, keys, strict=True) if keys.count(own) == 1]
    return scribe.pick(alone) if alone else None


def describe(scribe: Scribe, scene: Scene) -> Round | None:
    """All that there is to see."""
    return _round(scene, scribe.say(_DESCRIBE), f"I see {listed(scene)}.")


def colour(scribe: Scribe, scene: Scene) -> Round | None:
    """The colour of a figure that is the only one of its kind."""
    figure = _single(scribe, scene, lambda each: each.kind)
    if figure is None:
        return None
    name = "digit" if figure.is_digit and scribe.chance(0.6) else figure.kind
    return _round(scene, scribe.say(_COLOUR, x=name), f"The {name} is {figure.colour}.")


def count(scribe: Scribe, scene: Scene) -> Round | None:
    """The number of shapes of a kind, of a colour, of both, or of all."""
    return _count(scribe, scene, (5, 2, 2, 2))


def count_coloured(scribe: Scribe, scene: Scene) -> Round | None:
    """The number of shapes of a colour, or of a colour and a kind."""
    return _count(scribe, scene, (0, 1, 1, 0))


def _count(scribe: Scribe, scene: Scene, shares: tuple[int, int, int, int]) -> Round:
    """Return a question how many there are; shares: how often of a kind, a colour, both and all."""
    kind, shade = scribe.pick(SHAPES), scribe.pick(tuple(COLOURS))
    shapes = scene.shapes
    if shapes and scribe.chance(0.75):
        figure = scribe.pick(shapes)
        kind, shade = figure.kind, figure.colour
    noun, number = scribe.random.choices(
        (
            (kind, sum(figure.kind == kind for figure in shapes)),
            (f"{shade} shape", sum(figure.colour == shade for figure in shapes)),
            (f"{shade} {kind}", sum(figure.name == f"{shade} {kind}" for figure in shapes)),
            ("shape", len(shapes)),
        ),
        shares,
    )[0]
    verb = "is" if number == 1 else "are"
    return _round(scene, scribe.say(_COUNT, x=noun), f"There {verb} {counted(noun, number)}.")


def digit(scribe: Scribe, scene: Scene) -> Round | None:
    """The only digit."""
    figure = _single(scribe, scene, lambda each: "digit" if each.is_digit else "")
    if figure is None or not figure.is_digit:
        return None
    return _round(scene, scribe.say(_DIGIT), f"It is {with_article(figure.kind)}.")


def exists(scribe: Scribe, scene: Scene) -> Round | None:
    """The presence of a shape of a colour; where it is absent, its kind or its colour often is there."""
    shapes = scene.shapes
    kind, shade = scribe.pick(SHAPES), scribe.pick(tuple(COLOURS))
    if shapes and scribe.chance(0.8):
        figure = scribe.pick(shapes)
        kind = figure.kind if scribe.chance(0.75) else kind
        shade = figure.colour if scribe.chance(0.75) else shade
    return _presence(scribe, scene, f"{shade} {kind}" if scribe.chance(0.75) else kind)


def near_miss(scribe: Scribe, scene: Scene) -> Round | None:
    """The presence of a shape that is there, or that differs from one that is in its kind or its colour."""
    if not scene.shapes:
        return None
    figure = scribe.pick(scene.shapes)
    kind, shade = figure.kind, figure.colour
    if scribe.chance(0.35):
        kind = scribe.pick(scene.shapes).kind if scribe.chance(0.5) else scribe.pick(SHAPES)
    elif scribe.chance(0.55):
        shade = scribe.pick(scene.figures).colour if scribe.chance(0.5) else scribe.pick(tuple(COLOURS))
    return _presence(scribe, scene, f"{shade} {kind}")


def _presence(scribe: Scribe, scene: Scene, name: str) -> Round | None:
    """Return a question whether there is a shape of this name; None where there are several."""
    number = sum(name in (figure.name, figure.kind) for figure in scene.shapes)
    answer = f"Yes, there is {with_article(name)}." if number else f"No, there is no {name}."
    return None if number > 1 else _round(scene, scribe.say(_EXISTS, x=with_article(name)), answer)


def where(scribe: Scribe, scene: Scene) -> Round | None:
    """The place of a figure that is the only one of its kind."""
    figure = _single(scribe, scene, lambda each: each.kind)
    if figure is None:
        return None
    name = figure.name if scribe.chance(0.4) else figure.kind
    return _round(scene, scribe.say(_WHERE, x=name), f"The {name} is {figure.place}.")


def which(scribe: Scribe, scene: Scene) -> Round | None:
    """The figure that is the only one of its colour."""
    figure = _single(scribe, scene, lambda each: each.colour)
    if figure is None or figure.is_digit:
        return None
    return _round(scene, scribe.say(_WHICH, x=figure.colour), f"The {figure.kind} is {figure.colour}.")


QUESTIONS: Final[dict[str, Callable[[Scribe, Scene], Round | None]]] = {
    "description": describe,
    "colour": colour,
    "count": count,
    "digit": digit,
    "existence": exists,
    "place": where,
    "shape by colour": which,
}
"""Every kind of question; a function returns None where a scene leaves nothing to ask."""

NO_PICTURE: Final = "I see no picture."


def without_picture(scribe: Scribe) -> Round:
    """A question about a picture where there is none."""
    wording = scribe.pick((_DESCRIBE, _COLOUR, _COUNT, _DIGIT, _WHERE))
    question = scribe.say(wording, x=scribe.pick(SHAPES))
    return Round(question, "There is no picture.", NO_PICTURE, (NO_PICTURE.lower(),))


_SEED: Final = 2_000_003
_THOUGHT_KINDS: Final = ("description", "count", "digit")
_FORMATS: Final = ("PNG", "JPEG", "WEBP", "GIF", "BMP")


def encoded(scene: Scene, file_format: str) -> bytes:
    """Return the drawing of a scene as a file. file_format: as Pillow names it."""
    file = BytesIO()
    options = (
        {"lossless": True} if file_format == "WEBP" else {"quality": 90} if file_format == "JPEG" else {}
    )
    draw(scene).save(file, file_format, **options)
    return file.getvalue()


def turn_with_picture(text: str) -> Message:
    """Return a user turn of an image part and a text part."""
    parts: list[Json] = [{"type": "image"}, {"type": "text", "text": text}]
    return {"role": "user", "content": parts}


def _asked(scribe: Scribe, kind: str) -> tuple[Scene, Round]:
    """Return a scene that the question can be asked about, and the question."""
    while True:
        scene = random_scene(scribe)
        talk = QUESTIONS[kind](scribe, scene)
        if talk is not None:
            return scene, talk


def _trial(scribe: Scribe, kind: str, thinking: bool) -> Trial:
    scene, talk = _asked(scribe, kind)
    picture = encoded(scene, scribe.pick(_FORMATS))
    dialogue = Dialogue(kind, (talk,))
    return Trial([turn_with_picture(talk.user)], dialogue, talk, thinking, pictures=(picture,))


def picture_trials(kind: str, num_trials: int, thinking: bool) -> list[Trial]:
    """Return trials of one kind of question, a picture and a question each. kind: one of `QUESTIONS`."""
    scribe = Scribe(_SEED + sum(kind.encode()), Split.UNSEEN)
    return [_trial(scribe, kind, thinking) for _ in range(num_trials)]


def _later_trial(scribe: Scribe) -> Trial:
    """Return a trial about the second of two pictures, or a second question about one."""
    kinds = tuple(QUESTIONS)
    first, told = _asked(scribe, scribe.pick(kinds))
    before: list[Message] = [turn_with_picture(told.user), {"role": "assistant", "content": told.answer}]
    scenes = [first]
    turn: Message
    if scribe.chance(0.5):
        second, talk = _asked(scribe, scribe.pick(kinds))
        scenes.append(second)
        turn = turn_with_picture(talk.user)
    else:
        talk = scribe.pick([found for ask in QUESTIONS.values() if (found := ask(scribe, first)) is not None])
        turn = {"role": "user", "content": talk.user}
    pictures = tuple(encoded(scene, "PNG") for scene in scenes)
    return Trial([*before, turn], Dialogue("later", (told, talk)), talk, False, pictures=pictures)


def later_trials(num_trials: int) -> list[Trial]:
    """Return trials whose question is not the first one of the conversation."""
    scribe = Scribe(_SEED, Split.UNSEEN)
    return [_later_trial(scribe) for _ in range(num_trials)]


def trials_without_picture(num_trials: int) -> list[Trial]:
    """Return trials without any picture: greetings, and questions about a picture that is not there."""
    scribe = Scribe(_SEED + 1, Split.UNSEEN)
    talks = [(without_picture if scribe.chance(0.5) else greeting)(scribe) for _ in range(num_trials)]
    return [Trial(talk.messages()[:1], Dialogue("", (talk,)), talk, thinking=False) for talk in talks]


def all_trials(num_trials: int) -> dict[str, list[Trial]]:
    """Return every kind of question, some with thinking on, later turns, and turns without a picture."""
    asked = {kind: picture_trials(kind, num_trials, thinking=False) for kind in QUESTIONS}
    asked |= {f"{kind}, thinking": picture_trials(kind, num_trials, True) for kind in _THOUGHT_KINDS}
    return asked | {
        "a later turn": later_trials(num_trials),
        "no picture": trials_without_picture(num_trials),
    }
