"""Tools composed of a verb, a thing and one or two details, so that unknown tools are nothing new."""

from collections.abc import Callable
from typing import Final

from tools.demo_model import words
from tools.demo_model.scribe import Phrases, Scribe
from tools.demo_model.skills.tools.offer import Errand, Offer, describe, parameter

_Detail = tuple[tuple[str, ...], str, Callable[[Scribe], str | int], tuple[str, ...]]
_DETAILS: Final[tuple[_Detail, ...]] = (
    (
        ("name", "title", "label"),
        "string",
        lambda s: s.invented().capitalize(),
        ("called {x}", "named {x}", "with the name {x}"),
    ),
    (("person", "customer", "owner", "user"), "string", Scribe.person, ("for {x}", "of {x}")),
    (("city", "place", "location"), "string", Scribe.city, ("in {x}", "near {x}")),
    (("id", "code", "number", "file"), "string", Scribe.code, ("with the code {x}", "{x}", "number {x}")),
    (("color", "colour"), "string", lambda s: s.pick(words.COLORS), ("in {x}", "with the color {x}")),
    (("day", "date"), "string", lambda s: s.pick(words.DAYS), ("on {x}", "for {x}")),
    (
        ("count", "quantity", "amount"),
        "integer",
        lambda s: s.number(1, 200),
        ("{x} times", "with a count of {x}"),
    ),
)
_ASKED = Phrases.of(
    "Please {do}.|{Do}.|{Do}, please.|Can you {do}?|I want you to {do}.|Could you {do}?|Now {do}.|{Do}|"
    "Hello, {do}!|Would you {do}?|{Do} right now.|{Do} at once.|Just {do}.|Please {do} again.|{Do} today!",
    unseen="I need you to {do}.|Please {do} now.|Can you please {do}?",
)
_RESULTS: Final = ("ok", "done", "success")


def _named(scribe: Scribe, verb: str, thing: str) -> str:
    return scribe.pick(
        (
            f"{verb}_{thing}",
            f"{verb}_{thing}",
            f"{verb}_{thing}",
            f"{verb}{thing.capitalize()}",
            f"{thing}_{verb}",
        )
    )


def errand(scribe: Scribe) -> Offer:
    """A tool such as open_door(person, day)."""
    verb, thing = scribe.pick(words.VERBS), scribe.pick(words.THINGS)
    details = scribe.random.sample(_DETAILS, scribe.pick((0, 1, 1, 1, 2, 2)))
    keys = [scribe.pick(detail[0]) for detail in details]

    def ask(scribe: Scribe) -> Errand:
        values = [detail[2](scribe) for detail in details]
        spoken = " ".join(
            scribe.pick(detail[3]).format(x=x) for detail, x in zip(details, values, strict=True)
        )
        do = f"{verb} {scribe.pick(('the', 'the', 'a', 'my'))} {thing} {spoken}".rstrip()
        user = scribe.say(_ASKED, do=do, Do=do[0].upper() + do[1:])
        if scribe.chance(0.5):
            result = scribe.pick(_RESULTS)
            return Errand(
                user,
                dict(zip(keys, values, strict=True)),
                {"status": result},
                f"Done: {verb} the {thing}.",
                "done",
            )
        found = scribe.code()
        return Errand(
            user, dict(zip(keys, values, strict=True)), {"result": found}, f"The result is {found}.", found
        )

    parameters = {
        key: parameter(scribe, detail[1], f"The {key}") for key, detail in zip(keys, details, strict=True)
    }
    return Offer(
        describe(scribe, _named(scribe, verb, thing), f"{verb.capitalize()} a {thing}", parameters), ask
    )
