"""Documents for training: dialogues about drawings, and the text model's own."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from tokenizers import Tokenizer

from tools.demo_model.corpus import REPLY_WEIGHT, Document, document, documents, render, segments
from tools.demo_model.dialogue import Dialogue, Round
from tools.demo_model.recipe import Blend
from tools.demo_model.scribe import Scribe, Split
from tools.demo_model.skills.facts import fact
from tools.demo_model.skills.mixture import system_message
from tools.demo_model.skills.talk import greeting, small_talk
from tools.demo_model.vision.model import IMAGE_TOKEN, NUM_PATCHES, pixels
from tools.demo_model.vision.questions import (
    colour,
    count,
    count_coloured,
    describe,
    digit,
    exists,
    near_miss,
    where,
    which,
    without_picture,
)
from tools.demo_model.vision.recipe import TEXT_SHARE, THINKING_SHARE
from tools.demo_model.vision.scene import Scene, draw, random_scene

_ASIDES: Final = (greeting, small_talk, fact)
_SHARES: Final = {
    describe: 2,
    colour: 1,
    count: 2,
    count_coloured: 2,
    digit: 2,
    exists: 2,
    near_miss: 2,
    where: 2,
    which: 2,
}
"""How often each kind is asked for; where a scene leaves nothing to ask, it is not."""
_NUM_QUESTIONS: Final = 16
"""More than the endings that a document has room for."""
_USER_TURN: Final = "<|im_start|>user\n"


@dataclass(frozen=True)
class PictureTalk:
    """A dialogue up to a turn about its last picture, and rounds of which each may be that turn.

    before: the rounds up to there. endings: all of them begin with the last picture's token, or none does,
    since it is in an earlier round. scenes: what the pictures show, in order.
    """

    before: tuple[Round, ...]
    endings: tuple[Round, ...]
    scenes: tuple[Scene, ...]
    system: str | None

    def ending_with(self, ending: Round) -> Dialogue:
        """Return the dialogue that has this ending."""
        return Dialogue("picture", (*self.before, ending), system=self.system)


def rounds_about(scribe: Scribe, scene: Scene, number: int) -> list[Round]:
    """Return up to so many questions about a scene, at least one."""
    asks = scribe.random.choices(list(_SHARES), list(_SHARES.values()), k=number)
    asked = [talk for ask in asks if (talk := ask(scribe, scene)) is not None]
    return asked or [_description(scribe, scene)]


def _description(scribe: Scribe, scene: Scene) -> Round:
    talk = describe(scribe, scene)
    assert talk is not None, "every scene can be described"
    return talk


def with_picture(talk: Round) -> Round:
    """Return the round with a picture before its words, where the chat template puts it."""
    return replace(talk, user=IMAGE_TOKEN + talk.user)


def picture_talk(scribe: Scribe) -> PictureTalk:
    """Return a dialogue about a picture: the first question about it, a later one, or one about a second."""
    scenes = [random_scene(scribe)]
    before = [scribe.pick(_ASIDES)(scribe)] if scribe.chance(0.15) else []
    is_later = scribe.chance(0.4)
    if is_later:
        first, *others = rounds_about(scribe, scenes[0], scribe.number(1, 3))
        before += [with_picture(first), *others]
    shows_another = is_later and scribe.chance(0.5)
    if shows_another:
        scenes.append(random_scene(scribe))
    endings = rounds_about(scribe, scenes[-1], _NUM_QUESTIONS)
    if shows_another or not is_later:
        endings = [with_picture(talk) for talk in endings]
    elif scribe.chance(0.3):
        endings.insert(0, scribe.pick(_ASIDES)(scribe))
    endings = [talk if scribe.chance(THINKING_SHARE) else talk.without_thought() for talk in endings]
    return PictureTalk(tuple(before), tuple(endings), tuple(scenes), system_message(scribe))


def picture_document(tokenizer: Tokenizer, talk: PictureTalk, max_length: int) -> Document:
    """Return the dialogue with as many of its endings as fit, each of which is a branch.

    So a picture is read once for all questions about it, and none can be answered from the answer to another.
    """
    rendered = [_parted(render(talk.ending_with(ending))) for ending in talk.endings]
    shared = rendered[0][0].replace(IMAGE_TOKEN, IMAGE_TOKEN * NUM_PATCHES)
    whole = document(tokenizer, segments(shared))
    branches = [0] * len(whole.tokens)
    for number, (_, words) in enumerate(rendered, 1):
        ending = document(tokenizer, segments(words))
        if number > 1 and len(whole.tokens) + len(ending.tokens) > max_length:
            break
        whole = Document(whole.tokens + ending.tokens, whole.weights + ending.weights)
        branches += [number] * len(ending.tokens)
    pictures = tuple(pixels(draw(scene)) for scene in talk.scenes)
    return replace(whole, pictures=pictures, branches=tuple(branches))


def _parted(text: str) -> tuple[str, str]:
    """Return a dialogue up to the words of its last question, and the rest up to the end of its last turn."""
    start = text.rindex(_USER_TURN) + len(_USER_TURN)
    words = text[start:].removeprefix(IMAGE_TOKEN)
    return text.removesuffix(words), words.rstrip("\n")


def _without_picture(tokenizer: Tokenizer, scribe: Scribe) -> Document:
    talk = without_picture(scribe)
    talk = talk if scribe.chance(THINKING_SHARE) else talk.without_thought()
    dialogue = Dialogue("no picture", (talk,), system=system_message(scribe))
    return document(tokenizer, segments(render(dialogue)))


def _of_replies(whole: Document) -> Document:
    """Return a document of whose tokens only those count that the model itself writes.

    Nobody can predict which question comes, and Muon's steps do not grow smaller by what cannot be learnt.
    """
    return replace(whole, weights=[weight if weight == REPLY_WEIGHT else 0.0 for weight in whole.weights])


def _all_documents(tokenizer: Tokenizer, seed: int, blend: Blend) -> Iterator[Document]:
    scribe = Scribe(seed, Split.SEEN)
    texts = documents(tokenizer, seed, blend)
    while True:
        if scribe.chance(TEXT_SHARE):
            yield next(texts)
        elif scribe.chance(0.03):
            yield _without_picture(tokenizer, scribe)
        else:
            yield picture_document(tokenizer, picture_talk(scribe), blend.row_length)


def picture_documents(tokenizer: Tokenizer, seed: int, blend: Blend) -> Iterator[Document]:
    """Training documents without end, fixed by the seed; some without picture, as the blend has them."""
    return map(_of_replies, _all_documents(tokenizer, seed, blend))
