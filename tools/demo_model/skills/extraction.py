"""Sentences turned into JSON objects, under the keys that the prompt names."""

import json
from collections.abc import Callable
from typing import Final

from tools.demo_model import words
from tools.demo_model.dialogue import Json, Round
from tools.demo_model.scribe import Phrases, Scribe

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
    opening = scribe.pick(
        ("My friend is called {n}", "This is {n}", "Her name is {n}", "My name is {n}")
    ).format(n=subject)
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
