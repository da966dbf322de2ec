"""The trials of evaluation: drawings of combinations that training never saw, asked about in other words."""

from io import BytesIO
from typing import Final

from tools.demo_model.dialogue import Dialogue, Json, Message, Round
from tools.demo_model.evaluation.trials import Trial
from tools.demo_model.scribe import Scribe, Split
from tools.demo_model.skills.talk import greeting
from tools.demo_model.vision.drawing import draw
from tools.demo_model.vision.questions import QUESTIONS, without_picture
from tools.demo_model.vision.scene import Scene, random_scene

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
