"""Dialogues with tools on offer: when to call which, and when to answer in words."""

from collections.abc import Callable
from typing import Final

from tools.demo_model.dialogue import Dialogue, Round, Tool
from tools.demo_model.scribe import Scribe
from tools.demo_model.skills.facts import fact
from tools.demo_model.skills.identity import identity
from tools.demo_model.skills.smalltalk import greeting, greeting_by_name, small_talk
from tools.demo_model.skills.tools.arithmetic import arithmetic, currency, timer
from tools.demo_model.skills.tools.errands import errand
from tools.demo_model.skills.tools.offer import Offer
from tools.demo_model.skills.tools.places import time, weather
from tools.demo_model.skills.tools.texts import message, note, search

_OFFERS: Final[tuple[Callable[[Scribe], Offer], ...]] = (
    weather,
    weather,
    weather,
    time,
    time,
    arithmetic,
    arithmetic,
    timer,
    currency,
    search,
    search,
    message,
    note,
    errand,
    errand,
    errand,
)
_NEEDLESS: Final[tuple[Callable[[Scribe], Round], ...]] = (
    greeting,
    small_talk,
    identity,
    fact,
    greeting_by_name,
)


def _offers(scribe: Scribe) -> list[Offer]:
    """One to four tools of different names, the first being the one that will be asked for."""
    wanted = scribe.pick((1, 1, 2, 2, 3, 4))
    kinds: list[Callable[[Scribe], Offer]] = []
    while len(kinds) < wanted:
        kind = scribe.pick(_OFFERS)
        if kind not in kinds or kind is errand:
            kinds.append(kind)
    by_name = {offer.name: offer for offer in (kind(scribe) for kind in kinds)}
    return list(by_name.values())


def _shuffled(scribe: Scribe, offers: list[Offer]) -> tuple[Tool, ...]:
    tools = [offer.tool for offer in offers]
    scribe.random.shuffle(tools)
    return tuple(tools)


def calling(scribe: Scribe) -> Dialogue:
    """A request for one of the tools, at times after or before other talk."""
    offers = _offers(scribe)
    rounds = [offers[0].round(scribe)]
    if scribe.chance(0.12):
        rounds.insert(0, scribe.pick(_NEEDLESS)(scribe))
    if scribe.chance(0.15):
        rounds.append(scribe.pick(offers).round(scribe))
    return Dialogue("calling", tuple(rounds), tools=_shuffled(scribe, offers))


def not_calling(scribe: Scribe) -> Dialogue:
    """Tools on offer and a question that needs none of them."""
    return Dialogue(
        "not_calling", (scribe.pick(_NEEDLESS)(scribe),), tools=_shuffled(scribe, _offers(scribe))
    )
