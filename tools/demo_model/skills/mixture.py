"""The skills together: how often each occurs, and the system messages around them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from tools.demo_model.dialogue import Dialogue, Round
from tools.demo_model.recipe import Blend
from tools.demo_model.scribe import Phrases, Scribe
from tools.demo_model.skills.echo import foreign, listing, repeat, spelling
from tools.demo_model.skills.extraction import extraction
from tools.demo_model.skills.facts import fact
from tools.demo_model.skills.forcing import forced
from tools.demo_model.skills.identity import identity, who_are_you
from tools.demo_model.skills.memory import memory, memory_in_one
from tools.demo_model.skills.numbers import addition, counting
from tools.demo_model.skills.practice import practice, rarities
from tools.demo_model.skills.smalltalk import greeting, greeting_by_name, small_talk
from tools.demo_model.skills.storytelling import storytelling
from tools.demo_model.skills.tools.calling import calling, not_calling
from tools.demo_model.skills.tools.declining import any_declining, lacking
from tools.demo_model.skills.unknown import unknown, unknown_fact

SINGLES: Final[dict[Callable[[Scribe], Round], int]] = {
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
_COPYING: Final = (repeat, repeat, greeting_by_name, listing, extraction, memory_in_one)
_SYSTEM = Phrases.of(
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


def single(scribe: Scribe) -> Dialogue:
    """One round, or two to four rounds one time in five."""
    count = scribe.number(2, 4) if scribe.chance(0.2) else 1
    skills = scribe.random.choices(list(SINGLES), list(SINGLES.values()), k=count)
    return Dialogue(skills[-1].__name__, tuple(skill(scribe) for skill in skills))


def remembering(scribe: Scribe) -> Dialogue:
    """Something told in one round and asked for in another."""
    return Dialogue("memory", memory(scribe))


def copying(scribe: Scribe) -> Dialogue:
    """One short round that is mostly copying: what the first steps of training are made of."""
    skill = scribe.pick(_COPYING)
    return Dialogue(skill.__name__, (skill(scribe),))


def long(scribe: Scribe) -> Dialogue:
    """Many rounds, the last of which may ask for what the first ones told: practice at a distance."""
    told = memory(scribe)
    skills = scribe.random.choices(list(SINGLES), list(SINGLES.values()), k=scribe.number(3, 20))
    return Dialogue("long", (*told[:-1], *(skill(scribe) for skill in skills), told[-1]))


def dialogue(scribe: Scribe, blend: Blend) -> Dialogue:
    """A dialogue of any skill, as often as the blend has it."""
    if scribe.chance(blend.long_share):
        return long(scribe)
    if scribe.chance(blend.copy_share):
        return copying(scribe)
    kinds = (single, remembering, calling, not_calling, practice, rarities, any_declining, forced)
    kind = scribe.random.choices(kinds, blend.weights)[0]
    return replace(kind(scribe), system=system_message(scribe))
