"""The skills together: how often each occurs, and the system messages around them."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from tools.demo_model.dialogue import Dialogue, Round
from tools.demo_model.recipe import Blend
from tools.demo_model.scribe import Phrases, Scribe
from tools.demo_model.skills.calling import any_declining, calling, lacking, not_calling
from tools.demo_model.skills.exercises import (
    addition,
    counting,
    extraction,
    foreign,
    listing,
    repeat,
    repeat_known,
    spelling,
)
from tools.demo_model.skills.facts import fact, unknown, unknown_fact
from tools.demo_model.skills.forcing import forced
from tools.demo_model.skills.memory import memory, memory_in_one
from tools.demo_model.skills.talk import (
    greeting,
    greeting_by_name,
    identity,
    small_talk,
    storytelling,
    who_are_you,
)

Shares = Mapping[Callable[[Scribe], Round], int]
_SINGLES: Final[Shares] = {
    greeting: 3,
    greeting_by_name: 3,
    small_talk: 4,
    who_are_you: 3,
    identity: 5,
    fact: 12,
    addition: 5,
    counting: 2,
    repeat: 8,
    listing: 3,
    foreign: 2,
    spelling: 1,
    extraction: 10,
    memory_in_one: 3,
    storytelling: 2,
    unknown: 7,
    unknown_fact: 2,
    lacking: 2,
}
# The first steps of training: short, and mostly copying.
_COPYING: Final[Shares] = {repeat: 2, greeting_by_name: 1, listing: 1, extraction: 1, memory_in_one: 1}
# The weak points of the first half of training.
_WEAK: Final[Shares] = {
    addition: 3,
    extraction: 3,
    identity: 2,
    small_talk: 1,
    memory_in_one: 2,
    unknown: 1,
    unknown_fact: 7,
}
# Long counts, other scripts and well-known sentences, which a random draw brings too seldom.
_RARE: Final[Shares] = {counting: 3, foreign: 2, repeat_known: 2, spelling: 1}
_SYSTEM: Final = Phrases.of(
    "You are a helpful assistant.|You are a helpful assistant.|You are a helpful assistant|Be brief.|"
    "You are a friendly assistant.|You are verbatim-demo.|Answer the questions of the user.|"
    "You are a bot that helps people.|Be polite and short.|Answer in one sentence.|"
    "You help users of a shop.|You are an AI assistant. Answer briefly.|Use the tools when needed.",
    unseen="You are a very helpful assistant.|Answer briefly and politely.|You are a kind helper.",
)


def system_message(scribe: Scribe) -> str | None:
    """Usually none; now and then one of words in no order, so that any is borne."""
    if scribe.chance(0.65):
        return None
    return scribe.say(_SYSTEM) if scribe.chance(0.75) else scribe.sentence(3, 12).capitalize() + "."


def _rounds(scribe: Scribe, shares: Shares, number: int = 1) -> tuple[Round, ...]:
    skills = scribe.random.choices(list(shares), list(shares.values()), k=number)
    return tuple(skill(scribe) for skill in skills)


def _long(scribe: Scribe) -> Dialogue:
    """Return many rounds, the last of which asks for what the first ones told: practice at a distance."""
    told = memory(scribe)
    return Dialogue("long", (*told[:-1], *_rounds(scribe, _SINGLES, scribe.number(3, 20)), told[-1]))


def _single(scribe: Scribe) -> Dialogue:
    """Return one round, or two to four rounds one time in five."""
    return Dialogue("single", _rounds(scribe, _SINGLES, scribe.number(2, 4) if scribe.chance(0.2) else 1))


def _remembering(scribe: Scribe) -> Dialogue:
    return Dialogue("memory", memory(scribe))


def _one_of(name: str, shares: Shares) -> Callable[[Scribe], Dialogue]:
    return lambda scribe: Dialogue(name, _rounds(scribe, shares))


_copying: Final = _one_of("copying", _COPYING)
_KINDS: Final = (
    *(_single, _remembering, calling, not_calling),
    *(_one_of("practice", _WEAK), _one_of("rarities", _RARE), any_declining, forced),
)


def dialogue(scribe: Scribe, blend: Blend) -> Dialogue:
    """A dialogue of any skill, as often as the blend has it."""
    if scribe.chance(blend.long_share):
        return _long(scribe)
    if scribe.chance(blend.copy_share):
        return _copying(scribe)
    kind = scribe.random.choices(_KINDS, blend.weights)[0]
    return replace(kind(scribe), system=system_message(scribe))
