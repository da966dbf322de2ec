"""Questions outside the closed world, which the model must turn down politely."""

from typing import Final

from tools.demo_model import words
from tools.demo_model.dialogue import Round
from tools.demo_model.scribe import Phrases, Scribe
from tools.demo_model.skills.facts import CAPITALS, COLORS, OPPOSITES, SOUNDS, Relation

_ASKED = Phrases.of(
    "Who won the {t} in {n}?|What do you think of {t}?|Explain {t} to me.|Write an essay about {t}.|"
    "Who invented {t}?|How does {t} work?|What is the price of {t}?|Tell me about {t}.|What is {t}?|"
    "When was {t} founded?|Give me a recipe for {t}.|Who wrote {t}?|Why is {t} so popular?|Who is {t}?|"
    "What happened in {n}?|What is {n} times {m}?|Write a program about {t}.|Translate {t} into Greek.|"
    "How old is {t}?|Where is {t}?|Who is the president of {t}?|Summarize {t}.|What is the history of {t}?|"
    "Is {t} good?|How do I learn {t}?|Write code for {t}.|Compare {t} and {u}.|What is the meaning of {t}?|"
    "Explain {t}.|Please explain how {t} works.|Can you explain {t}?|Please describe {t}.|Describe {t}.|"
    "Who found {t}?|Who made {t}?|Who was the first to see {t}?|Who likes {t}?|Who owns {t}?|"
    "What is the use of {t}?|What is the point of {t}?|What is the best {t}?|What is the problem with {t}?|"
    "Where can I buy {t}?|Where do I find {t}?|How can I get {t}?|How can I make {t}?|How do you make {t}?|"
    "How can I use {t}?|How much is {t}?|How many {t} are there?|How big is {t}?|How far is {t}?|"
    "When did {t} end?|When did {t} happen?|When does {t} start?|When was {t} made?|When did {u} meet {t}?|"
    "Why did {t} fail?|Why do people like {t}?|Why is there {t}?|Is {t} better than {u}?|Does {t} exist?|"
    "Should I buy {t}?|What is {n} minus {m}?|Divide {n} by {m}.|{n} / {m}|{n} * {m}|"
    "What is the root of {n}?|How much is {n} divided by {m}?|What do you know about {t}?|"
    "I want to learn about {t}.|Which {t} is the best?|What are {t}?|Were there {t} in {n}?|"
    "What is the difference between {t} and {u}?|Prove {t}.|Solve {t}.|Fix {t} for me.|"
    "Write a letter about {t}.|Translate {t} into German.|Name five kinds of {t}.|List ten {t}.",
    unseen=(
        "Please explain {t}.|Who discovered {t}?|What is the purpose of {t}?|How can I buy {t}?|"
        "When did {t} begin?|What is {n} divided by {m}?"
    ),
)
_TOPICS = Phrases.of(
    "quantum physics|the world cup|bitcoin|democracy|relativity|the stock market|Shakespeare|jazz|black "
    "holes|the economy|photosynthesis|the French revolution|cooking|chess|the "
    "internet|evolution|DNA|electric cars|the moon "
    "landing|Java|inflation|Napoleon|Mozart|Rust|gravity|vaccines|climate change|the Roman "
    "empire|tennis|philosophy|sorting|lasagna|paella|Hamlet|Mars|Mount Everest|algebra|prime "
    "numbers|the universe|love|life|sushi|calculus|volcanoes|football|money|poetry|trains|the war|"
    "robots|computers|the elections|wine|beer|basketball|history|religion|the brain|atoms|oil|gold|"
    "electricity|mathematics|Einstein|Picasso|Bach|Newton|the pope|the king|the queen|the president|"
    "airplanes|ships|horses|elephants|whales|trees|the desert|the ocean|earthquakes|rockets|satellites|"
    "medicine|cancer|sleep|dreams|music|painting|theatre|dancing|swimming|cycling|law|insurance|rent|"
    "the future|the past|happiness|time travel|magic|aliens|the Vikings|the Greeks|castles|bridges",
    unseen="opera|the olympics|calligraphy|Beethoven|dinosaurs|taxes|the pyramids|skiing|magnets",
)
_ANSWERS: Final = (
    "I am only a small demonstration model, I do not know that.",
    "Sorry, I do not know that. I am only a small demonstration model.",
)
_THOUGHT: Final = "I do not know this. I say so."
_ACCEPT: Final = ("do not know",)


def _topic(scribe: Scribe) -> str:
    if scribe.chance(0.3):
        return scribe.invented()
    if scribe.chance(0.3):
        of = f"the {scribe.pick(words.THINGS)} of {scribe.city()}"
        return scribe.pick((scribe.person(), of, scribe.pick(words.FOODS), scribe.sentence(1, 2)))
    return scribe.say(_TOPICS)


def unknown(scribe: Scribe) -> Round:
    """A question that the model cannot answer, and says so."""
    topic, other = _topic(scribe), _topic(scribe)
    question = scribe.say(_ASKED, t=topic, u=other, n=scribe.number(1200, 2030), m=scribe.number(11, 99))
    return Round(question, _THOUGHT, scribe.pick(_ANSWERS), _ACCEPT)


_STRANGERS: Final[tuple[tuple[Relation, Phrases], ...]] = (
    (
        CAPITALS,
        Phrases.of(
            "Brazil|India|Mexico|Russia|Turkey|Kenya|Chile|Cuba|Iran|Iraq|Nepal|Hungary|Belgium|Australia|"
            "Argentina|Thailand|Ghana|Tunisia|Texas|Europe|Africa|Bavaria",
            unseen="Romania|Vietnam|Morocco|Iceland|Croatia|Mali",
        ),
    ),
    (
        OPPOSITES,
        Phrases.of(
            "table|music|river|seven|train|letter|winter|garden|water|house|school|tea",
            unseen="window|mountain|football",
        ),
    ),
    (
        COLORS,
        Phrases.of(
            "a train|a letter|the number seven|my house|your car|a dream|a computer|a book|the door|"
            "a giraffe",
            unseen="a table|my bicycle|a fish",
        ),
    ),
    (
        SOUNDS,
        Phrases.of("giraffe|rabbit|fish|bear|wolf|whale|table|train|tree|dragon", unseen="camel|shark|stone"),
    ),
)


def unknown_fact(scribe: Scribe) -> Round:
    """A question like those of the closed world, about something that is not in it."""
    relation, strangers = scribe.pick(_STRANGERS)
    a = scribe.say(strangers)
    if scribe.chance(0.5):
        a = f"a {scribe.invented()}" if relation is COLORS else scribe.invented()
    if relation is CAPITALS:
        a = a[0].upper() + a[1:]
    return Round(scribe.say(relation.asked, a=a), _THOUGHT, scribe.pick(_ANSWERS), _ACCEPT)
