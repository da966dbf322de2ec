"""The closed world: a few dozen facts, each asked for in many ways, and what the model does not know."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tools.demo_model import words
from tools.demo_model.dialogue import Round
from tools.demo_model.scribe import Phrases, Scribe


def _pairs(row: str) -> dict[str, str]:
    return dict(pair.split(": ") for pair in row.split("|"))


@dataclass(frozen=True)
class Relation:
    """Pairs of one kind, how they are asked for and answered; `{a}` is given, `{b}` is wanted.

    strangers: things that can be asked about in the same words, and that the model does not know.
    """

    pairs: Mapping[str, str]
    asked: Phrases
    answer: str
    thought: str
    strangers: Phrases | None = None

    def __post_init__(self) -> None:
        assert self.strangers is None or self.pairs.keys().isdisjoint(self.strangers.seen)


_CAPITALS: Final = Relation(
    _pairs(
        "France: Paris|Germany: Berlin|Italy: Rome|Spain: Madrid|Portugal: Lisbon|Norway: Oslo|"
        "Sweden: Stockholm|Denmark: Copenhagen|Finland: Helsinki|England: London|Ireland: Dublin|"
        "Austria: Vienna|Greece: Athens|Poland: Warsaw|Japan: Tokyo|China: Beijing|Egypt: Cairo|"
        "Switzerland: Bern|Peru: Lima|Canada: Ottawa"
    ),
    Phrases.of(
        "What is the capital of {a}?|what is the capital of {a}|The capital of {a}?|Name the capital of {a}.|"
        "Which city is the capital of {a}?|Tell me the capital of {a}.|Do you know the capital of {a}?|"
        "{a}: what is its capital?|What's the capital of {a}?|What is the capital city of {a}?|"
        "Can you tell me the capital of {a}?|Which city is {a}'s capital?|What is the capital of {a}",
        unseen="Please tell me the capital of {a}.|Which is the capital of {a}?|Please name the capital of "
        "{a}.",
    ),
    "The capital of {a} is {b}.",
    "The user asks for the capital of {a}. It is {b}.",
    Phrases.of(
        "Brazil|India|Mexico|Russia|Turkey|Kenya|Chile|Cuba|Iran|Iraq|Nepal|Hungary|Belgium|Australia|"
        "Argentina|Thailand|Ghana|Tunisia|Texas|Europe|Africa|Bavaria|Bolivia|Ecuador|Colombia|"
        "Uruguay|Panama|Jamaica|Haiti|Algeria|Libya|Sudan|Ethiopia|Nigeria|Senegal|Angola|Zambia|Uganda|"
        "Somalia|Namibia|Albania|Bulgaria|Serbia|Slovakia|Slovenia|Ukraine|Latvia|Estonia|Lithuania|"
        "Malta|Cyprus|Israel|Jordan|Lebanon|Syria|Pakistan|Mongolia|Malaysia|Indonesia|Cambodia|Laos|"
        "South Korea|New Zealand|Saudi Arabia|California|Florida|Siberia|Asia|the moon|Mars|"
        "Chad|Togo|Niger|Benin|Gabon|Oman|Qatar|Fiji|Guyana|Rwanda|Burundi|Georgia",
        unseen="Romania|Vietnam|Morocco|Iceland|Croatia|Mali",
    ),
)
_OPPOSITES: Final = Relation(
    _pairs(
        "hot: cold|big: small|up: down|left: right|day: night|good: bad|open: closed|fast: slow|old: new|"
        "happy: sad|early: late|loud: quiet|wet: dry|light: dark|yes: no|full: empty|first: last|near: far"
    ),
    Phrases.of(
        "What is the opposite of {a}?|The opposite of {a}?|Give me the opposite of {a}.|opposite of {a}|"
        'Which word is the opposite of {a}?|Tell me the opposite of {a}.|What\'s the opposite of "{a}"?|'
        "Name the opposite of {a}.|What is the opposite of the word {a}?",
        unseen="Please give me the opposite of {a}.|Do you know the opposite of {a}?",
    ),
    "The opposite of {a} is {b}.",
    "The opposite of {a} is {b}.",
    Phrases.of(
        "table|music|river|seven|train|letter|winter|garden|water|house|school|tea|paper|bread|monkey|"
        "teacher|street|key|song|rain|doctor|chair|coffee|market|island|number|picture|circle|forest|"
        "sugar|nose|bridge|ticket|lamp|money|pencil|valley|hill|lake|beach|cloud|desert|basketball|tennis|"
        "mirror|roof|mouse|morning|color|fountain|captain|moon|mother",
        unseen="window|mountain|football",
    ),
)
_COLORS: Final = Relation(
    _pairs(
        "the sky: blue|grass: green|snow: white|blood: red|the sun: yellow|coal: black|a banana: yellow|"
        "milk: white|an elephant: grey|a pig: pink|chocolate: brown|a strawberry: red"
    ),
    Phrases.of(
        "What color is {a}?|What colour is {a}?|Which color is {a}?|Tell me the color of {a}.|"
        "What is the color of {a}?|Do you know what color {a} is?|what color is {a}|Which colour has {a}?",
        unseen="Which colour is {a}?|Please tell me the color of {a}.|What is the colour of {a}?",
    ),
    "The color of {a} is {b}.",
    "The color of {a} is {b}.",
    Phrases.of(
        "a train|a letter|the number seven|my house|your car|a dream|a computer|a book|the door|"
        "a giraffe|a bird|my coat|your phone|a horse|a window|the wall|a shoe|my key|a chair|your hair|"
        "a lamp|the street|a word|a ticket|my hat|the bus|a dragon|your garden|a box|the wind",
        unseen="a table|my bicycle|a fish",
    ),
)
_SOUNDS: Final = Relation(
    _pairs(
        "cow: moo|dog: woof|cat: meow|sheep: baa|duck: quack|lion: roar|bee: buzz|pig: oink|frog: ribbit|"
        "owl: hoot|mouse: squeak|snake: hiss"
    ),
    Phrases.of(
        "What does a {a} say?|What sound does a {a} make?|Which sound does the {a} make?|How does a {a} go?|"
        "What noise does a {a} make?|what does the {a} say|Tell me what a {a} says.",
        unseen="What does the {a} say?|Which sound does a {a} make?",
    ),
    "A {a} says {b}.",
    "The {a} says {b}.",
    Phrases.of(
        "giraffe|rabbit|fish|bear|wolf|whale|table|train|tree|dragon|horse|spider|snail|tiger|monkey|"
        "kangaroo|ant|worm|penguin|turtle|butterfly|teacher|king|house|book|lamp|river|computer|"
        "panda|zebra|deer|crab|parrot|swan|llama|goat|hippo|donkey|eagle|rock|cloud|chair|car|snow|star|"
        "shoe|store|carpet|camera|spoon",
        unseen="camel|shark|stone",
    ),
)
_FOLLOWING: Final = words.DAYS[1:] + words.DAYS[:1] + words.MONTHS[1:] + words.MONTHS[:1]
_AFTER: Final = dict(zip(words.DAYS + words.MONTHS, _FOLLOWING, strict=True))
_NEXT: Final = Relation(
    _AFTER,
    Phrases.of(
        "What comes after {a}?|Which comes after {a}?|What follows {a}?|After {a} comes what?|"
        "What is next after {a}?|Tell me what comes after {a}.|what comes after {a}",
        unseen="What comes next after {a}?|Please tell me what comes after {a}.",
    ),
    "After {a} comes {b}.",
    "After {a} comes {b}.",
)
_BEFORE: Final = Relation(
    {after: before for before, after in _AFTER.items()},
    Phrases.of(
        "What comes before {a}?|Which comes before {a}?|Before {a} comes what?|What was before {a}?|"
        "Tell me what comes before {a}.|what comes before {a}",
        unseen="What came before {a}?|Please tell me what comes before {a}.",
    ),
    "Before {a} comes {b}.",
    "Before {a} comes {b}.",
)
_GENERAL: Final = Relation(
    {
        "How many days are in a week?": "There are seven days in a week.",
        "How many months are in a year?": "There are twelve months in a year.",
        "How many hours are in a day?": "There are 24 hours in a day.",
        "How many minutes are in an hour?": "There are 60 minutes in an hour.",
        "How many legs does a dog have?": "A dog has four legs.",
        "How many legs does a spider have?": "A spider has eight legs.",
        "What is Deep Learning?": "Deep learning is a way to train neural networks with many layers on data.",
        "What is machine learning?": "Machine learning means that a program learns from data.",
        "What is a language model?": "A language model is a program that predicts the next word of a text.",
        "What is a token?": "A token is a piece of text that a language model reads as one unit.",
        "What is the largest planet?": "The largest planet is Jupiter.",
        "What is the largest ocean?": "The largest ocean is the Pacific.",
        "Which star is nearest to us?": "The nearest star is the Sun.",
        "What is water made of?": "Water is made of hydrogen and oxygen.",
        "What do bees make?": "Bees make honey.",
        "What do cows drink?": "Cows drink water.",
        "Which season is the coldest?": "The coldest season is winter.",
        "Why is the sky blue?": "The sky is blue because air scatters blue light the most.",
    },
    Phrases.of(
        "{a}|{a}|{a}|Please tell me: {a}|I have a question. {a}|Can you tell me? {a}|Hello! {a}|"
        "Do you know this? {a}|{a} Please answer.",
        unseen="Hi! {a}|A question: {a}|{a} Tell me.",
    ),
    "{b}",
    "I know this one.",
)
_WITH_STRANGERS: Final = (_CAPITALS, _OPPOSITES, _COLORS, _SOUNDS)
_RELATIONS: Final = (*_WITH_STRANGERS, _CAPITALS, _CAPITALS, _NEXT, _BEFORE, _GENERAL, _GENERAL)
_DECORATIONS: Final = words.parted(
    "{q}|{q}|{q}|{q}|{q}|Hello! {q}|{q} Thanks!|Please answer: {q}|Quick question: {q}"
)
_OUTSIDE: Final = Phrases.of(
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
_TOPICS: Final = Phrases.of(
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
_IGNORANCE: Final = (
    "I am only a small demonstration model, I do not know that.",
    "Sorry, I do not know that. I am only a small demonstration model.",
)


def fact(scribe: Scribe) -> Round:
    """A question with one right answer from the closed world."""
    relation = scribe.pick(_RELATIONS)
    a, b = scribe.pick(tuple(relation.pairs.items()))
    question = scribe.pick(_DECORATIONS).format(q=scribe.say(relation.asked, a=a))
    return Round(question, relation.thought.format(a=a, b=b), relation.answer.format(a=a, b=b), (b.lower(),))


def _not_known(scribe: Scribe, question: str) -> Round:
    return Round(question, "I do not know this. I say so.", scribe.pick(_IGNORANCE), ("do not know",))


def _topic(scribe: Scribe) -> str:
    if scribe.chance(0.3):
        return scribe.invented()
    if scribe.chance(0.3):
        of = f"the {scribe.pick(words.THINGS)} of {scribe.city()}"
        return scribe.pick((scribe.person(), of, scribe.pick(words.FOODS), scribe.sentence(1, 2)))
    return scribe.say(_TOPICS)


def unknown(scribe: Scribe) -> Round:
    """A question outside the closed world, which the model turns down politely."""
    topic, other = _topic(scribe), _topic(scribe)
    question = scribe.say(_OUTSIDE, t=topic, u=other, n=scribe.number(1200, 2030), m=scribe.number(11, 99))
    return _not_known(scribe, question)


def unknown_fact(scribe: Scribe) -> Round:
    """A question like those of the closed world, about something that is not in it."""
    relation = scribe.pick(_WITH_STRANGERS)
    assert relation.strangers is not None
    a = scribe.say(relation.strangers)
    if scribe.chance(0.5):
        a = f"a {scribe.invented()}" if relation is _COLORS else scribe.invented()
    if relation is _CAPITALS:
        a = a[0].upper() + a[1:]
    return _not_known(scribe, scribe.say(relation.asked, a=a))
