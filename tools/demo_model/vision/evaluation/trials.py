"""The trials of evaluation: drawings of combinations that training never saw, asked about in other words."""

from dataclasses import dataclass
from io import BytesIO
from typing import Final

from tools.demo_model.dialogue import Dialogue, Json, Message, Round
from tools.demo_model.evaluation.trials import Trial
from tools.demo_model.scribe import Scribe, Split
from tools.demo_model.skills.smalltalk import greeting
from tools.demo_model.vision.drawings.drawing import draw
from tools.demo_model.vision.drawings.scene import Scene
from tools.demo_model.vision.drawings.scenes import random_scene
from tools.demo_model.vision.questions import QUESTIONS, without_picture

_SEED: Final = 2_000_003
_FORMATS: Final = ("PNG", "JPEG", "WEBP", "GIF", "BMP")


@dataclass(frozen=True, kw_only=True)
class PictureTrial(Trial):
    """A trial with pictures, each an encoded file, in the order of the messages' image parts."""

    pictures: tuple[bytes, ...]


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


def _trial(scribe: Scribe, kind: str, thinking: bool) -> PictureTrial:
    scene, talk = _asked(scribe, kind)
    picture = encoded(scene, scribe.pick(_FORMATS))
    dialogue = Dialogue(kind, (talk,))
    return PictureTrial([turn_with_picture(talk.user)], dialogue, talk, thinking, pictures=(picture,))


def picture_trials(kind: str, num_trials: int, thinking: bool) -> list[PictureTrial]:
    """Return trials of one kind of question, a picture and a question each. kind: one of `QUESTIONS`."""
    scribe = Scribe(_SEED + sum(kind.encode()), Split.UNSEEN)
    return [_trial(scribe, kind, thinking) for _ in range(num_trials)]


def _answered(talk: Round) -> Message:
    return {"role": "assistant", "content": talk.answer}


def _later_trial(scribe: Scribe) -> PictureTrial:
    """Return a trial about the second of two pictures, or a second question about one."""
    kinds = tuple(QUESTIONS)
    first, told = _asked(scribe, scribe.pick(kinds))
    before = [turn_with_picture(told.user), _answered(told)]
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
    return PictureTrial([*before, turn], Dialogue("later", (told, talk)), talk, False, pictures=pictures)


def later_trials(num_trials: int) -> list[PictureTrial]:
    """Return trials whose question is not the first one of the conversation."""
    scribe = Scribe(_SEED, Split.UNSEEN)
    return [_later_trial(scribe) for _ in range(num_trials)]


def trials_without_picture(num_trials: int) -> list[PictureTrial]:
    """Return trials without any picture: greetings, and questions about a picture that is not there."""
    scribe = Scribe(_SEED + 1, Split.UNSEEN)
    talks = [(without_picture if scribe.chance(0.5) else greeting)(scribe) for _ in range(num_trials)]
    return [
        PictureTrial(
            [{"role": "user", "content": talk.user}], Dialogue("", (talk,)), talk, False, pictures=()
        )
        for talk in talks
    ]
