"""Counting, and sums of two small numbers."""

from string import ascii_uppercase
from typing import Final

from tools.demo_model import words
from tools.demo_model.dialogue import Round
from tools.demo_model.scribe import Phrases, Scribe

_PLUS = Phrases.of(
    "What is {a} plus {b}?|What is {a}+{b}?|{a} + {b}|{a}+{b}=|How much is {a} and {b}?|Add {a} and {b}.|"
    "Please add {a} and {b}.|"
    "what is {a} + {b}|What is the sum of {a} and {b}?|{a} plus {b}?|Calculate {a} + {b}.|"
    "What's {a} + {b}?|How much is {a} plus {b}?|What is {a} + {b}? Answer briefly.",
    unseen="What is {a} + {b}?|Can you add {a} and {b}?|Tell me what {a} plus {b} is.|{a} + {b}?",
)
_COUNT = Phrases.of(
    "Count to {b}.|Count from {a} to {b}.|count to {b}|Please count from {a} to {b}.|Can you count to {b}?|"
    "Count up to {b}.|Write the numbers from {a} to {b}.|List the numbers {a} to {b}.",
    unseen="Please count to {b}.|Count from {a} up to {b}.|Can you count from {a} to {b}?",
)
_LISTS: Final = {
    "List the days of the week.|What are the days of the week?|Name the seven days of the week.|"
    "Which days are there?": ", ".join(words.DAYS) + ".",
    "List the months.|What are the months of the year?|Name the twelve months.|"
    "Which months are there?": ", ".join(words.MONTHS) + ".",
    "List three colors.|Name three colors.|Give me three colors.|Tell me three colours.": (
        "Red, green and blue."
    ),
    "Name three animals.|List three animals.|Give me three animals.": "A cat, a dog and a horse.",
    "Say the alphabet.|What is the alphabet?|Write the alphabet.": " ".join(ascii_uppercase),
}
"""Lists that everybody knows, by the wordings that ask for them."""


def addition(scribe: Scribe) -> Round:
    """A sum of two digits, in figures or in words."""
    a, b = scribe.number(0, 9), scribe.number(0, 9)
    if scribe.chance(0.25):
        one, two, total = (words.NUMBER_WORDS[n] for n in (a, b, a + b))
    else:
        one, two, total = str(a), str(b), str(a + b)
    answer = f"{one} plus {two} is {total}."
    return Round(
        scribe.say(_PLUS, a=one, b=two), f"I add {one} and {two}. That is {total}.", answer, (f"is {total}.",)
    )


def counting(scribe: Scribe) -> Round:
    """A run of numbers, or one of the lists everybody knows."""
    if scribe.chance(0.3):
        asked, answer = scribe.pick(tuple(_LISTS.items()))
        return Round(scribe.pick(asked.split("|")), "I know this list.", answer, (answer.lower(),))
    question = scribe.say(_COUNT, a="{a}", b="{b}")
    a = scribe.number(1, 5) if "{a}" in question else 1
    b = a + scribe.number(2, 25 if scribe.chance(0.3) else 9)
    answer = ", ".join(str(n) for n in range(a, b + 1)) + "."
    return Round(question.format(a=a, b=b), f"I count from {a} to {b}.", answer, (answer,))
