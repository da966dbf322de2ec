"""Questions of `/v1/decisions` with one right option each; how many are answered right, in any order."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import httpx
from msgspec.structs import replace

from engine.async_engine import AsyncEngine
from engine.config import EngineConfig
from engine.port.engine import Engine
from handlers.chat.messages import Content
from handlers.composition import build_app
from handlers.decisions.numbers import likeliest
from handlers.decisions.question import Option, Question, QuestionKind, predicate
from handlers.settings.settings import Settings
from tools.demo_model import words
from tools.demo_model.scribe import Scribe, Split

_GOOD: Final = words.row("great good wonderful lovely excellent perfect nice")
_BAD: Final = words.row("terrible bad awful horrible ugly broken useless")
_OBJECTS: Final = words.row("book film phone lamp hotel room song meal train garden car game house shop cake")
_PRAISE: Final = words.parted(
    "The {x} is {w}.|I love this {x}. It is {w}.|What a {w} {x}!|{p} was happy with the {x}.|"
    "Thank you for the {w} {x}!"
)
_BLAME: Final = words.parted(
    "The {x} is {w}.|I hate this {x}. It is {w}.|What a {w} {x}!|{p} was angry about the {x}.|"
    "Never again such a {w} {x}!"
)
_SENTIMENTS: Final = (("positive", "negative"), ("good", "bad"), ("happy", "unhappy"))


@dataclass(frozen=True)
class Fact:
    """A kind of fact.

    stated: the sentence, which the question whether it holds repeats. asked: what asks for its value.
    """

    stated: str
    asked: str
    values: Callable[[Scribe], str]


def _one_of(values: list[str]) -> Callable[[Scribe], str]:
    return lambda scribe: scribe.pick(values)


_FACTS: Final = (
    Fact("{p} lives in {v}.", "Where does {p} live?", Scribe.city),
    Fact("{p} works as a {v}.", "What is the job of {p}?", _one_of(words.JOBS)),
    Fact("{p} likes {v}.", "What does {p} like?", _one_of(words.FOODS)),
    Fact("{p} has a {v}.", "Which animal does {p} have?", _one_of(words.ANIMALS)),
    Fact("The {x} is {v}.", "Which color has the {x}?", _one_of(words.COLORS)),
    Fact("The meeting is on {v}.", "When is the meeting?", _one_of(words.DAYS)),
)
# Each tool's description and requests for it, by its name.
_TOOLS: Final = {
    "get_weather": ("the weather of a city", "What is the weather in {c}?|Will it rain in {c}?"),
    "send_email": ("writes an email to a person", "Send an email to {p}.|Write to {p} that I am late."),
    "play_music": ("plays a song", "Play a song.|I want to hear music."),
    "set_alarm": ("an alarm for a time", "Wake me at seven.|Set an alarm for eight."),
    "book_hotel": ("books a hotel room", "Book a hotel in {c}.|I need a room in {c}."),
    "calculate": ("computes with numbers", "What is {i} plus {j}?|How much is {i} times {j}?"),
    "translate": ("translates into a language", "Translate hello into {l}.|Say good night in {l}."),
    "turn_on_light": ("turns on a light", "Turn on the light.|It is dark here."),
    "call_person": ("calls a person by phone", "Call {p}, please.|I want to talk to {p}."),
}


@dataclass(frozen=True)
class Trial:
    """A question about an input. right: the number of the option that is the answer."""

    input: str
    question: Question
    right: int

    def shifted(self, shift: int) -> "Trial":
        """Return it with that many options moved from the beginning of the list to its end."""
        options = self.question.options
        moved = replace(self.question, options=(*options[shift:], *options[:shift]))
        return Trial(self.input, moved, (self.right - shift) % len(options))


def _holds(text: str, asked: str, holds: bool) -> Trial:
    return Trial(text, predicate(asked), 0 if holds else 1)


def _choice(scribe: Scribe, text: str, asked: str, right: Option, *others: Option) -> Trial:
    options = [right, *others]
    scribe.random.shuffle(options)
    question = Question(kind=QuestionKind.CHOICE, instructions=asked, options=tuple(options))
    return Trial(text, question, options.index(right))


def _opinion(scribe: Scribe, is_good: bool) -> str:
    text = scribe.pick(_PRAISE if is_good else _BLAME)
    return text.format(x=scribe.pick(_OBJECTS), p=scribe.person(), w=scribe.pick(_GOOD if is_good else _BAD))


def _sentiment_holds(scribe: Scribe) -> Trial:
    is_good, asks_good = scribe.chance(0.5), scribe.chance(0.5)
    asked = f"The text is {'positive' if asks_good else 'negative'}."
    return _holds(_opinion(scribe, is_good), asked, asks_good == is_good)


def _sentiment_choice(scribe: Scribe) -> Trial:
    is_good = scribe.chance(0.5)
    names = [Option(name) for name in scribe.pick(_SENTIMENTS)]
    right, other = names if is_good else names[::-1]
    return _choice(scribe, _opinion(scribe, is_good), "What is the sentiment of the text?", right, other)


def _sentiment_score(scribe: Scribe) -> Trial:
    is_good = scribe.chance(0.5)
    high, low = scribe.pick(_SENTIMENTS)
    question = Question(
        kind=QuestionKind.SCORE, instructions="How good is it?", options=(Option(low), Option(high))
    )
    return Trial(_opinion(scribe, is_good), question, int(is_good))


def _stated(scribe: Scribe) -> tuple[str, Fact, dict[str, str], list[str]]:
    """Return a text of one to three facts, one of them with its slots, and its value before three others."""
    slots = {"p": scribe.person(), "x": scribe.pick(_OBJECTS)}
    facts = [(fact, fact.values(scribe)) for fact in scribe.random.sample(_FACTS, scribe.number(1, 3))]
    text = " ".join(fact.stated.format(v=value, **slots) for fact, value in facts)
    fact, value = scribe.pick(facts)
    values = {value: None}
    while len(values) < 4:
        values[fact.values(scribe)] = None
    return text, fact, slots, list(values)


def _fact_holds(scribe: Scribe) -> Trial:
    text, fact, slots, (true, false, *_) = _stated(scribe)
    holds = scribe.chance(0.5)
    return _holds(text, fact.stated.format(v=true if holds else false, **slots), holds)


def _fact_choice(scribe: Scribe) -> Trial:
    text, fact, slots, values = _stated(scribe)
    return _choice(scribe, text, fact.asked.format(**slots), *map(Option, values))


def _tool(scribe: Scribe) -> Trial:
    names = scribe.random.sample(list(_TOOLS), scribe.number(2, 5))
    text = scribe.pick(words.parted(_TOOLS[names[0]][1])).format(
        c=scribe.city(),
        p=scribe.person(),
        l=scribe.pick(words.LANGUAGES),
        i=scribe.number(2, 99),
        j=scribe.number(2, 99),
    )
    tools = [Option(name, _TOOLS[name][0]) for name in names]
    return _choice(scribe, text, "Which tool should be called?", *tools)


KINDS: Final[dict[str, Callable[[Scribe], Trial]]] = {
    "sentiment, yes or no": _sentiment_holds,
    "sentiment, a choice of two": _sentiment_choice,
    "sentiment, a score of two levels": _sentiment_score,
    "a stated fact, yes or no": _fact_holds,
    "a stated fact, a choice of four": _fact_choice,
    "a tool, a choice of two to five": _tool,
}


_SEED: Final = 1_000_003
_NAME: Final = "examinee"
_NUM_ORDERS: Final = (1, 2)
_ALL_ORDERS: Final = 5  # as many as the longest list has choices


def measure(model: Path, num: int) -> str:
    """Return a table of right answers, and one of what the order of choices changes, as Markdown.

    Each kind has as many questions, with names that training never saw.
    """
    return asyncio.run(_measure(model, num))


async def _measure(model: Path, num: int) -> str:
    engine = await AsyncEngine.start(EngineConfig(model=str(model), dtype="float32", num_kv_blocks=512))
    try:
        asked = {
            kind: [make(Scribe(_SEED + at, Split.UNSEEN)) for at in range(num)]
            for kind, make in KINDS.items()
        }
        lines = [f"| kind | right of {num} | right of {num}, over all orders |", "| --- | --- | --- |"]
        for kind, each in asked.items():
            num_right = [
                _num_right(each, await _answers(engine, each, orders)) for orders in (1, _ALL_ORDERS)
            ]
            lines.append(f"| {kind} | {num_right[0]} | {num_right[1]} |")
        choices = [one for each in asked.values() for one in each if one.question.kind is QuestionKind.CHOICE]
        lines += ["", "| orders averaged | another answer in another order | change of a probability |"]
        lines.append("| --- | --- | --- |")
        for num_orders in _NUM_ORDERS:
            share, change = await _bias(engine, choices, num_orders)
            lines.append(f"| {num_orders} | {share:.1%} of {len(choices)} | {change:.3f} |")
        return "\n".join(lines)
    finally:
        await engine.stop()


def _num_right(asked: Sequence[Trial], found: Sequence[Sequence[float]]) -> int:
    return sum(likeliest(each) == one.right for each, one in zip(found, asked, strict=True))


async def _bias(engine: Engine, choices: Sequence[Trial], num_orders: int) -> tuple[float, float]:
    """Return the share of questions whose likeliest choice depends on the order, and what probabilities do.

    The latter is the mean, over all choices, of the highest less the lowest probability in any shift.
    """
    shifted = [one.shifted(shift) for one in choices for shift in range(len(one.question.options))]
    answers = iter(await _answers(engine, shifted, num_orders))
    is_other, changes = [], []
    for one in choices:
        num = len(one.question.options)
        by_shift = [next(answers) for _ in range(num)]
        by_choice = [[by_shift[shift][(at - shift) % num] for shift in range(num)] for at in range(num)]
        best = {(likeliest(found) + shift) % num for shift, found in enumerate(by_shift)}
        is_other.append(len(best) > 1)
        changes += [max(each) - min(each) for each in by_choice]
    return fmean(is_other), fmean(changes)


async def _answers(engine: Engine, asked: Sequence[Trial], num_orders: int) -> list[list[float]]:
    """Return the probabilities of each question's options."""
    app = build_app(Settings(served_model_name=_NAME, decisions_permutations=num_orders), engine)
    places = asyncio.Semaphore(32)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://measure", timeout=None) as client:

        async def ask(one: Trial) -> list[float]:
            body = {"model": _NAME, "input": one.input, "questions": [_wire(one)]}
            async with places:
                response = await client.post("/openai/v1/decisions", json=body)
            response.raise_for_status()
            (answer,) = response.json()["answers"]
            if answer["type"] == "predicate":
                return [answer["probability"], 1 - answer["probability"]]
            return [each["probability"] for each in answer["probabilities"]]

        return list(await asyncio.gather(*map(ask, asked)))


def _wire(one: Trial) -> dict[str, Any]:
    """Return a question as OpenAI's contract has it."""
    question = one.question
    asked: dict[str, Any] = {"type": question.kind.value, "instructions": question.instructions}
    if question.kind is QuestionKind.CHOICE:
        asked["choices"] = [_named("value", option.name, option.description) for option in question.options]
    if question.kind is QuestionKind.SCORE:
        asked["levels"] = [_named("label", option.name, option.description) for option in question.options]
    return asked


def _named(key: str, name: Content, description: Content) -> dict[str, Content]:
    return {key: name} if description is None else {key: name, "description": description}
