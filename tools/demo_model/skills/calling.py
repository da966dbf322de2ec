"""Dialogues about tools: when to call which, when to answer in words, what to say where none would serve."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tools.demo_model import words
from tools.demo_model.dialogue import Dialogue, Round, Tool
from tools.demo_model.scribe import Phrases, Scribe
from tools.demo_model.skills.facts import fact, unknown
from tools.demo_model.skills.offers import (
    Offer,
    arithmetic,
    currency,
    errand,
    message,
    note,
    search,
    time,
    timer,
    weather,
)
from tools.demo_model.skills.talk import greeting, greeting_by_name, identity, small_talk

_OFFERS: Final[tuple[Callable[[Scribe], Offer], ...]] = (
    *(weather, weather, weather, time, time, arithmetic, arithmetic, timer, currency),
    *(search, search, message, note, errand, errand, errand),
)
ACCEPT: Final = ("no tool", "do not know")
_KNOWN_SUMS: Final = 9
"""The largest number that the model adds by itself."""


@dataclass(frozen=True)
class Lack:
    """One kind of request: how to draw it, its topic, the tools that could serve it, and the answer."""

    ask: Callable[[Scribe], str]
    topic: str
    served_by: tuple[Callable[[Scribe], Offer], ...]
    answer: str

    def round(self, scribe: Scribe) -> Round:
        """Return a request of this kind and the answer that there is no tool for it."""
        return self.reply_to(self.ask(scribe))

    def reply_to(self, user: str) -> Round:
        """Return the answer that there is no tool, given to a wording of the request."""
        answer = self.answer.format(topic=self.topic)
        return Round(user, f"I have no tool for {self.topic}. I say so.", answer, ACCEPT)


_NO_KNOWLEDGE: Final = "I have no tool for {topic}, so I do not know that."
_NO_ACTION: Final = "I have no tool for {topic}, so I cannot do that."
_WEATHER_HERE = Phrases.of(
    "What is the weather?|What is the weather like?|How is the weather?|How is the weather today?|"
    "What's the weather today?|Will it rain tomorrow?|Is it raining?|Do I need an umbrella?|"
    "What is the weather like today?|Is it cold outside?|Will it be sunny?|weather|Weather?|"
    "What will the weather be tomorrow?|How warm is it outside?|Is it going to rain today?|"
    "Tell me the weather.|What's the temperature?|Is it snowing?|Give me the weather forecast.",
    unseen="What's the weather like today?|Is it warm outside?|Will it rain today?|How is the weather now?",
)
_TIME_HERE = Phrases.of(
    "What time is it?|What time is it now?|What's the time?|Tell me the time.|What is the time?|"
    "What day is it today?|What is the date?|What is today's date?|What's the date today?|time|"
    "Which day is today?|What year is it?|Do you know what time it is?|How late is it?|Which month is it?",
    unseen="What is the current time?|Can you tell me the time?|What day is today?|What is the date today?",
)
_FORECAST = Phrases.of(
    "What will the weather be in {x} on {d}?|Will it rain in {x} on {d}?|How will the weather be in {x}?|"
    "Is it going to rain in {x}?|Weather forecast for {x}, please.|Is it snowing in {x}?|"
    "Will it be sunny in {x} tomorrow?|What was the weather in {x} on {d}?|Is it hot in {x}?|"
    "How cold is it in {x} right now?|What's the forecast for {x}?",
    unseen="Will it snow in {x}?|How will the weather in {x} be on {d}?|Is it windy in {x}?",
)


def _asked_of(offer: Callable[[Scribe], Offer]) -> Callable[[Scribe], str]:
    return lambda scribe: offer(scribe).round(scribe).user


def _weather(scribe: Scribe) -> str:
    if scribe.chance(0.25):
        return scribe.say(_WEATHER_HERE)
    if scribe.chance(0.25):
        return scribe.say(_FORECAST, x=scribe.city(), d=scribe.pick(words.DAYS))
    return _asked_of(weather)(scribe)


def _time(scribe: Scribe) -> str:
    return scribe.say(_TIME_HERE) if scribe.chance(0.35) else _asked_of(time)(scribe)


def _sum(scribe: Scribe) -> str:
    """Return a request to reckon that is beyond the sums which the model knows by heart."""
    while True:
        errand = arithmetic(scribe).ask(scribe)
        if any(isinstance(n, int) and n > _KNOWN_SUMS for n in errand.arguments.values()):
            return errand.user


LACKS: Final = (
    *[Lack(_weather, "the weather", (weather, search), _NO_KNOWLEDGE)] * 3,
    *[Lack(_time, "the time", (time, search), _NO_KNOWLEDGE)] * 2,
    *[Lack(_sum, "large numbers", (arithmetic,), _NO_KNOWLEDGE)] * 2,
    Lack(_asked_of(currency), "money", (currency, search), _NO_KNOWLEDGE),
    Lack(_asked_of(search), "searching", (search,), _NO_ACTION),
    Lack(_asked_of(timer), "timers", (timer,), _NO_ACTION),
    Lack(_asked_of(message), "messages", (message,), _NO_ACTION),
    Lack(_asked_of(errand), "that", (errand,), "I cannot do that, I have no tool for it."),
)
_OFFERED: Final = (weather, weather, time, arithmetic, timer, currency, search, message, errand, errand)
_INSISTED = Phrases.of(
    "Please try.|Why not?|But I need to know.|Are you sure?|Please tell me.|Try again.|Come on!|"
    "You must know it!|Can you look it up?|Just guess.|Why?|Tell me anyway.|Please!",
    unseen="Please try again.|But why not?|Are you really sure?|Do it anyway.",
)
_NEEDLESS: Final = (greeting, greeting_by_name, small_talk, identity, fact, fact)
"""What no tool is needed for."""


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
    tools = list(tools_of(offers))
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


def lacking(scribe: Scribe) -> Round:
    """A request for a tool where there is none at all."""
    return scribe.pick(LACKS).round(scribe)


def declining(scribe: Scribe) -> Dialogue:
    """A single request for a tool, with no tools."""
    return Dialogue("declining", (lacking(scribe),))


def declining_again(scribe: Scribe) -> Dialogue:
    """Several turns without tools: a request for one, then another, the user's insistence or other talk."""
    lack = scribe.pick(LACKS)
    rounds = [lack.round(scribe)]
    if scribe.chance(0.45):
        rounds.insert(0, scribe.pick(_NEEDLESS)(scribe))
    kind = scribe.number(0, 4)
    if kind == 0:
        rounds.append(lack.reply_to(scribe.say(_INSISTED)))
    elif kind == 1:
        rounds.append(lack.round(scribe))
    elif kind == 2:
        rounds.append(scribe.pick(_NEEDLESS)(scribe))
    elif kind == 3 or len(rounds) == 1:
        rounds.append(lacking(scribe))
    return Dialogue("declining_again", tuple(rounds))


def declining_beside_tools(scribe: Scribe) -> Dialogue:
    """Tools for something else on offer; at times one of them is called first."""
    if scribe.chance(0.2):
        offers = others(scribe, (search, arithmetic))
        rounds = [unknown(scribe)]
    else:
        lack = scribe.pick(LACKS)
        offers = others(scribe, lack.served_by)
        rounds = [lack.round(scribe)]
    if scribe.chance(0.25):
        rounds.insert(0, offers[0].round(scribe))
    elif scribe.chance(0.15):
        rounds.append(offers[0].round(scribe))
    return Dialogue("declining_beside_tools", tuple(rounds), tools=tools_of(offers))


def any_declining(scribe: Scribe) -> Dialogue:
    """A request that no tool is there for, in one of the three settings."""
    kinds = (declining, declining, declining_again, declining_beside_tools)
    return scribe.pick(kinds)(scribe)


def others(scribe: Scribe, unwanted: Sequence[Callable[[Scribe], Offer]]) -> list[Offer]:
    """Return one to three tools of different names, none of which could serve the request."""
    suitable = [offer for offer in _OFFERED if offer not in unwanted]
    drawn = (scribe.pick(suitable)(scribe) for _ in range(scribe.pick((1, 1, 1, 2, 2, 3))))
    return list({offer.name: offer for offer in drawn}.values())


def tools_of(offers: Sequence[Offer]) -> tuple[Tool, ...]:
    """Return the tools in the order in which they are offered."""
    return tuple(offer.tool for offer in offers)
