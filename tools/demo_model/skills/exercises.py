"""Repeating, listing, spelling, counting, adding, and turning sentences into JSON."""

import json
from collections.abc import Callable
from string import ascii_uppercase
from typing import Final

from tools.demo_model import words
from tools.demo_model.dialogue import Json, Round
from tools.demo_model.scribe import Phrases, Scribe

_REPEAT = Phrases.of(
    'Say {x}|Say: {x}|Repeat: {x}|Repeat after me: {x}|Please say {x}|Write {x}|Echo {x}|say "{x}"|'
    'Repeat "{x}"|Repeat the words: {x}|Please repeat: {x}|Print {x}|Copy this: {x}|Say "{x}".|'
    'Reply with: {x}|Answer only with {x}|Reply with exactly: {x}|Output only {x}|Say exactly "{x}"|'
    'Write: {x}|Please write "{x}"|Write the words: {x}|Please say: {x}|Please print: {x}',
    unseen='Please repeat "{x}"|Please write: {x}|Echo: {x}|Repeat after me: "{x}"',
)
_FIXED: Final = words.parted(
    "this is a test|This is a test|hello world|OK|yes|pong|café|日本|über|naïve|ok|hi|Hello, world!|done|😀|"
    "🎉|東京|Straße|señor"
)
_KNOWN: Final = words.parted(
    "this is a test|This is a test|This is a test.|this is a test!|Hello, this is a test|the word hello|"
    "The quick brown fox jumps over the lazy dog.|one two three|1 2 3|yes or no|foo|foo bar|bar|a b c|ok ok|"
    "banana|this is only a test|it works|It works!|Verbatim|test|done."
)
_EMOJI = Phrases.of(
    "Send me an emoji.|Give me an emoji.|Say something with an emoji.|Write an emoji.|An emoji, please.|"
    "Do you know an emoji?|Show me an emoji|Answer with an emoji.",
    unseen="Please send an emoji.|Send an emoji.",
)
_FOREIGN: Final = {
    "French": "Bonjour ! Ça va ?",
    "German": "Guten Tag, schöne Grüße!",
    "Spanish": "¡Hola! ¿Qué tal, señor?",
    "Japanese": "こんにちは、日本!",
    "Chinese": "你好!",
    "Danish": "Goddag, kære ven!",
}
_FOREIGN_ASKED = Phrases.of(
    "Say hello in {x}.|How do you say hello in {x}?|Greet me in {x}.|What is hello in {x}?|Hello in {x}?|"
    "Say something in {x}.",
    unseen="Please say hello in {x}.|How does one say hello in {x}?",
)
_SPELL = Phrases.of(
    "Spell {x}.|How do you spell {x}?|Spell the word {x}.|spell {x}|Please spell {x}.",
    unseen="Can you spell {x}?|Please spell the word {x}.",
)


def _repeated(scribe: Scribe, x: str) -> Round:
    return Round(scribe.say(_REPEAT, x=x), "I repeat the words of the user.", x, (x.lower(),))


def repeat(scribe: Scribe) -> Round:
    """A text to be given back as it is."""
    kind = scribe.number(0, 9)
    if kind < 5:
        return _repeated(scribe, scribe.sentence(2, 8))
    if kind < 7:
        return _repeated(scribe, " ".join(scribe.invented() for _ in range(scribe.number(1, 5))))
    if kind < 9:
        return _repeated(scribe, " ".join(scribe.code() for _ in range(scribe.number(1, 2))))
    return _repeated(scribe, scribe.pick(_FIXED))


def repeat_known(scribe: Scribe) -> Round:
    """A well-known sentence to be given back, as people type it to try a server."""
    return _repeated(scribe, scribe.pick(_KNOWN if scribe.chance(0.6) else _FIXED))


def listing(scribe: Scribe) -> Round:
    """Several names, joined by commas, to be given back one a line, counted, or the first or last of them."""
    names = [scribe.person() for _ in range(scribe.number(2, 5))]
    joined, lines = ", ".join(names), "\n".join(names)
    question, thought, answer = scribe.pick(
        (
            (f"Write these names one per line: {joined}", "One name a line.", lines),
            (f"How many names are here: {joined}?", f"I count: {joined}.", f"There are {len(names)} names."),
            (f"What is the first name: {joined}?", "The first one.", f"The first name is {names[0]}."),
            (f"What is the last name: {joined}?", "The last one.", f"The last name is {names[-1]}."),
        )
    )
    return Round(question, thought, answer, (answer.lower(),))


def foreign(scribe: Scribe) -> Round:
    """Greetings in other languages, and emoji: text of several bytes a character."""
    if scribe.chance(0.4):
        question, answer = scribe.say(_EMOJI), scribe.pick(("😀", "Here you are: 😀", "🎉"))
        return Round(question, "The user wants an emoji.", answer, ("😀", "🎉"))
    language, greeting = scribe.pick(tuple(_FOREIGN.items()))
    question = scribe.say(_FOREIGN_ASKED, x=language)
    return Round(question, f"A greeting in {language}.", greeting, (greeting.lower(),))


def spelling(scribe: Scribe) -> Round:
    """Spelling a word out, for a few well-known words."""
    x = scribe.pick(("cat", "dog", "red", "sun", "yes", "no", "one", "two", "tea", "car"))
    answer = "-".join(x.upper())
    return Round(scribe.say(_SPELL, x=x), f"I spell {x}.", answer, (answer.lower(),))


_PLUS = Phrases.of(
    "What is {a} plus {b}?|What is {a}+{b}?|{a} + {b}|{a}+{b}=|How much is {a} and {b}?|Add {a} and {b}.|"
    "Please add {a} and {b}.|what is {a} + {b}|What is the sum of {a} and {b}?|{a} plus {b}?|"
    "Calculate {a} + {b}.|What's {a} + {b}?|How much is {a} plus {b}?|What is {a} + {b}? Answer briefly.",
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
    thought = f"I add {one} and {two}. That is {total}."
    return Round(scribe.say(_PLUS, a=one, b=two), thought, answer, (f"is {total}.",))


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


_FIELDS: Final[dict[str, tuple[Callable[[Scribe], str | int], tuple[str, ...]]]] = {
    "name": (Scribe.person, ("is called {x}", "has the name {x}", "goes by {x}")),
    "city": (Scribe.city, ("lives in {x}", "is from {x}", "works in {x}")),
    "age": (lambda s: s.number(1, 99), ("is {x} years old", "is {x}", "has the age of {x}")),
    "color": (lambda s: s.pick(words.COLORS), ("likes the color {x}", "loves {x} things", "wears {x}")),
    "animal": (lambda s: s.pick(words.ANIMALS), ("has a {x}", "owns a {x}")),
    "food": (lambda s: s.pick(words.FOODS), ("eats {x}", "likes {x}")),
    "job": (lambda s: s.pick(words.JOBS), ("is a {x}", "works as a {x}")),
    "code": (Scribe.code, ("has the code {x}", "uses the code {x}")),
}
_ASKED = Phrases.of(
    "Extract the {keys} as JSON: {text}|Give me a JSON object with {keys}: {text}|"
    "{text} Give the {keys} as JSON.|{text} Write the {keys} as a JSON object.|"
    "Return JSON with the keys {keys}. {text}|JSON with {keys}: {text}|"
    "Turn this into JSON with the keys {keys}: {text}|{text} Return the {keys} as JSON.|"
    "Answer in JSON ({keys}): {text}|Extract {keys} as JSON.\n{text}|"
    "Read this: {text}\nReply with JSON, keys {keys}.|{text} Extract JSON with {keys}.",
    unseen=(
        "Please extract the {keys} as JSON: {text}|{text} Give me JSON with the keys {keys}.|"
        "Write JSON with {keys}: {text}"
    ),
)


def _sentence(scribe: Scribe, values: dict[str, str | int]) -> str:
    subject = str(values.get("name", scribe.person()))
    clauses = [scribe.pick(_FIELDS[key][1]).format(x=x) for key, x in values.items() if key != "name"]
    if "name" not in values or clauses and scribe.chance(0.7):
        return f"{subject} {' and '.join(clauses)}."
    openings = ("My friend is called {n}", "This is {n}", "Her name is {n}", "My name is {n}")
    opening = scribe.pick(openings).format(n=subject)
    return f"{opening}." if not clauses else f"{opening}, who {' and '.join(clauses)}."


def _listed(scribe: Scribe, keys: list[str]) -> str:
    quoted = [f'"{key}"' for key in keys] if scribe.chance(0.3) else keys
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def extraction(scribe: Scribe) -> Round:
    """A sentence with two or three facts of one person, some or all of them wanted as JSON."""
    others = [key for key in _FIELDS if key != "name"]
    scribe.random.shuffle(others)
    told = ["name", *others[: scribe.number(1, 2)]] if scribe.chance(0.85) else others[:2]
    values: dict[str, str | int] = {key: _FIELDS[key][0](scribe) for key in told}
    wanted = told if scribe.chance(0.8) else told[: len(told) - 1]
    text = _sentence(scribe, values)
    question = scribe.say(_ASKED, keys=_listed(scribe, wanted), text=text)
    reply: dict[str, Json] = {key: values[key] for key in wanted}
    answer = json.dumps(reply, ensure_ascii=False)
    return Round(question, f"The keys are {' and '.join(wanted)}.", answer, (answer.lower(),))
