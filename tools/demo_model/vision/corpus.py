"""Documents for training: dialogues about drawings, and the text model's own."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from tokenizers import Tokenizer

from tools.demo_model.corpus import Document, document, documents, render, segments
from tools.demo_model.dialogue import Dialogue, Round
from tools.demo_model.recipe import Blend
from tools.demo_model.scribe import Scribe, Split
from tools.demo_model.skills.facts import fact
from tools.demo_model.skills.mixture import system_message
from tools.demo_model.skills.smalltalk import greeting, small_talk
from tools.demo_model.vision.drawing import draw
from tools.demo_model.vision.processor import image_token_id, pixels
from tools.demo_model.vision.questions import QUESTIONS, without_picture
from tools.demo_model.vision.recipe import IMAGE_TOKEN, NUM_PATCHES, TEXT_SHARE, THINKING_SHARE
from tools.demo_model.vision.scene import Scene
from tools.demo_model.vision.scenes import random_scene

_ASIDES: Final = (greeting, small_talk, fact)
_SHARES: Final = tuple(2 if kind == "description" else 1 for kind in QUESTIONS)
"""A description names every figure, so it teaches the most."""
_MIN_QUESTIONS: Final = 3
_MAX_QUESTIONS: Final = 7


def rounds_about(scribe: Scribe, scene: Scene) -> list[Round]:
    """Return some questions about one scene, the first of which comes with the picture."""
    names = scribe.random.choices(list(QUESTIONS), _SHARES, k=scribe.number(_MIN_QUESTIONS, _MAX_QUESTIONS))
    asked = [talk for name in names if (talk := QUESTIONS[name](scribe, scene)) is not None]
    first, *others = asked or [_description(scribe, scene)]
    return [with_picture(scribe, first), *others]


def _description(scribe: Scribe, scene: Scene) -> Round:
    talk = QUESTIONS["description"](scribe, scene)
    assert talk is not None, "every scene can be described"
    return talk


def with_picture(scribe: Scribe, talk: Round) -> Round:
    """Return the round with a picture before its words, or seldom after them."""
    user = IMAGE_TOKEN + talk.user if scribe.chance(0.8) else talk.user + IMAGE_TOKEN
    return replace(talk, user=user)


def picture_dialogue(scribe: Scribe) -> tuple[Dialogue, list[Scene]]:
    """Return a dialogue about one picture, one time in five about two in turn, and what they show."""
    scenes = [random_scene(scribe) for _ in range(2 if scribe.chance(0.2) else 1)]
    rounds = [talk for scene in scenes for talk in rounds_about(scribe, scene)]
    if scribe.chance(0.15):
        rounds.insert(0, scribe.pick(_ASIDES)(scribe))
    if scribe.chance(0.05):
        rounds.append(scribe.pick(_ASIDES)(scribe))
    return Dialogue("picture", tuple(rounds), system=system_message(scribe)), scenes


def picture_document(tokenizer: Tokenizer, talk: Dialogue, scenes: list[Scene]) -> Document:
    """Return a dialogue as a document in which each picture has its tokens, which nobody has to predict."""
    text = render(talk).replace(IMAGE_TOKEN, IMAGE_TOKEN * NUM_PATCHES)
    plain = document(tokenizer, segments(text))
    image = image_token_id(tokenizer)
    weights = [
        0.0 if token == image else weight for token, weight in zip(plain.tokens, plain.weights, strict=True)
    ]
    return Document(plain.tokens, weights, tuple(pixels(draw(scene)) for scene in scenes))


def _without_picture(tokenizer: Tokenizer, scribe: Scribe) -> Document:
    talk = Dialogue("no picture", (without_picture(scribe),), system=system_message(scribe))
    return document(tokenizer, segments(render(_thinking_or_not(scribe, talk))))


def _thinking_or_not(scribe: Scribe, talk: Dialogue) -> Dialogue:
    return talk if scribe.chance(THINKING_SHARE) else talk.without_thoughts()


def picture_documents(tokenizer: Tokenizer, seed: int, blend: Blend) -> Iterator[Document]:
    """Training documents without end, fixed by the seed; some without picture, as the blend has them."""
    scribe = Scribe(seed, Split.SEEN)
    texts = documents(tokenizer, seed, blend)
    while True:
        if scribe.chance(TEXT_SHARE):
            yield next(texts)
        elif scribe.chance(0.03):
            yield _without_picture(tokenizer, scribe)
        else:
            talk, scenes = picture_dialogue(scribe)
            yield picture_document(tokenizer, _thinking_or_not(scribe, talk), scenes)
