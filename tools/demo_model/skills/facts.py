"""The closed world: a few dozen facts, each asked for in many ways."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tools.demo_model import words
from tools.demo_model.dialogue import Round
from tools.demo_model.scribe import Phrases, Scribe


@dataclass(frozen=True)
class Relation:
    """Pairs of one kind, how they are asked for and answered; `{a}` is given, `{b}` is wanted."""

    pairs: Mapping[str, str]
    asked: Phrases
    answer: str
    thought: str


CAPITALS: Final = Relation(
    {
        "France": "Paris",
        "Germany": "Berlin",
        "Italy": "Rome",
        "Spain": "Madrid",
        "Portugal": "Lisbon",
        "Norway": "Oslo",
        "Sweden": "Stockholm",
        "Denmark": "Copenhagen",
        "Finland": "Helsinki",
        "England": "London",
        "Ireland": "Dublin",
        "Austria": "Vienna",
        "Greece": "Athens",
        "Poland": "Warsaw",
        "Japan": "Tokyo",
        "China": "Beijing",
        "Egypt": "Cairo",
        "Switzerland": "Bern",
        "Peru": "Lima",
        "Canada": "Ottawa",
    },
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
)
OPPOSITES: Final = Relation(
    {
        "hot": "cold",
        "big": "small",
        "up": "down",
        "left": "right",
        "day": "night",
        "good": "bad",
        "open": "closed",
        "fast": "slow",
        "old": "new",
        "happy": "sad",
        "early": "late",
        "loud": "quiet",
        "wet": "dry",
        "light": "dark",
        "yes": "no",
        "full": "empty",
        "first": "last",
        "near": "far",
    },
    Phrases.of(
        "What is the opposite of {a}?|The opposite of {a}?|Give me the opposite of {a}.|opposite of {a}|"
        'Which word is the opposite of {a}?|Tell me the opposite of {a}.|What\'s the opposite of "{a}"?|'
        "Name the opposite of {a}.|What is the opposite of the word {a}?",
        unseen="Please give me the opposite of {a}.|Do you know the opposite of {a}?",
    ),
    "The opposite of {a} is {b}.",
    "The opposite of {a} is {b}.",
)
COLORS: Final = Relation(
    {
        "the sky": "blue",
        "grass": "green",
        "snow": "white",
        "blood": "red",
        "the sun": "yellow",
        "coal": "black",
        "a banana": "yellow",
        "milk": "white",
        "an elephant": "grey",
        "a pig": "pink",
        "chocolate": "brown",
        "a strawberry": "red",
    },
    Phrases.of(
        "What color is {a}?|What colour is {a}?|Which color is {a}?|Tell me the color of {a}.|"
        "What is the color of {a}?|Do you know what color {a} is?|what color is {a}|Which colour has {a}?",
        unseen="Which colour is {a}?|Please tell me the color of {a}.|What is the colour of {a}?",
    ),
    "The color of {a} is {b}.",
    "The color of {a} is {b}.",
)
SOUNDS: Final = Relation(
    {
        "cow": "moo",
        "dog": "woof",
        "cat": "meow",
        "sheep": "baa",
        "duck": "quack",
        "lion": "roar",
        "bee": "buzz",
        "pig": "oink",
        "frog": "ribbit",
        "owl": "hoot",
        "mouse": "squeak",
        "snake": "hiss",
    },
    Phrases.of(
        "What does a {a} say?|What sound does a {a} make?|Which sound does the {a} make?|How does a {a} go?|"
        "What noise does a {a} make?|what does the {a} say|Tell me what a {a} says.",
        unseen="What does the {a} say?|Which sound does a {a} make?",
    ),
    "A {a} says {b}.",
    "The {a} says {b}.",
)
_NEXT: Final = Relation(
    {
        **dict(zip(words.DAYS, words.DAYS[1:] + words.DAYS[:1], strict=True)),
        **dict(zip(words.MONTHS, words.MONTHS[1:] + words.MONTHS[:1], strict=True)),
    },
    Phrases.of(
        "What comes after {a}?|Which comes after {a}?|What follows {a}?|After {a} comes what?|"
        "What is next after {a}?|Tell me what comes after {a}.|what comes after {a}",
        unseen="What comes next after {a}?|Please tell me what comes after {a}.",
    ),
    "After {a} comes {b}.",
    "After {a} comes {b}.",
)
_BEFORE: Final = Relation(
    {after: before for before, after in _NEXT.pairs.items()},
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
_RELATIONS: Final = (
    CAPITALS,
    CAPITALS,
    CAPITALS,
    OPPOSITES,
    COLORS,
    SOUNDS,
    _NEXT,
    _BEFORE,
    _GENERAL,
    _GENERAL,
)
_DECORATIONS: Final = (
    "{q}",
    "{q}",
    "{q}",
    "{q}",
    "{q}",
    "Hello! {q}",
    "{q} Thanks!",
    "Please answer: {q}",
    "Quick question: {q}",
)


def fact(scribe: Scribe) -> Round:
    """A question with one right answer from the closed world."""
    relation = scribe.pick(_RELATIONS)
    a, b = scribe.pick(tuple(relation.pairs.items()))
    question = scribe.pick(_DECORATIONS).format(q=scribe.say(relation.asked, a=a))
    return Round(question, relation.thought.format(a=a, b=b), relation.answer.format(a=a, b=b), (b.lower(),))
