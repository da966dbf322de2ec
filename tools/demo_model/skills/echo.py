"""Repeating, listing and spelling: copying in its plainest forms, from which the rest learns it."""

from typing import Final

from tools.demo_model import words
from tools.demo_model.dialogue import Round
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
        return Round(
            scribe.say(_EMOJI),
            "The user wants an emoji.",
            scribe.pick(("😀", "Here you are: 😀", "🎉")),
            ("😀", "🎉"),
        )
    language, greeting = scribe.pick(tuple(_FOREIGN.items()))
    return Round(
        scribe.say(_FOREIGN_ASKED, x=language), f"A greeting in {language}.", greeting, (greeting.lower(),)
    )


def spelling(scribe: Scribe) -> Round:
    """Spelling a word out, for a few well-known words."""
    x = scribe.pick(("cat", "dog", "red", "sun", "yes", "no", "one", "two", "tea", "car"))
    answer = "-".join(x.upper())
    return Round(scribe.say(_SPELL, x=x), f"I spell {x}.", answer, (answer.lower(),))
