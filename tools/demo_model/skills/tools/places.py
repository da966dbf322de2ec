"""Tools that take a place: the weather and the time."""

from typing import Final

from tools.demo_model.dialogue import Json
from tools.demo_model.scribe import Phrases, Scribe
from tools.demo_model.skills.tools.offer import Errand, Offer, describe, parameter

_WEATHER = Phrases.of(
    "What is the weather in {x}?|What's the weather in {x}?|How is the weather in {x}?|Weather in {x}|"
    "Is it cold in {x}?|Tell me the weather in {x}.|What is the weather like in {x}?|"
    "I am going to {x}. How is the weather?|weather in {x}?|Do I need an umbrella in {x}?|"
    "Is it raining in {x}?|What is the weather in {x} today?|How warm is it in {x}?|"
    "Please check the weather in {x}.|What's the weather like in {x} right now?|Get the weather for {x}.|"
    "What is the temperature in {x}?|What's the temperature in {x} now?",
    unseen=(
        "How is the weather in {x} today?|Can you tell me the weather in {x}?|"
        "Please get the weather in {x}.|Is it warm in {x}?"
    ),
)
_TIME = Phrases.of(
    "What time is it in {x}?|What is the time in {x}?|Tell me the time in {x}.|Which time is it in {x}?|"
    "time in {x}|What's the time in {x}?|How late is it in {x}?|Current time in {x}?|"
    "Do you know what time it is in {x}?|I call a friend in {x}. What time is it there?|"
    "Please tell me what time it is in {x}.",
    unseen="What is the current time in {x}?|Can you tell me the time in {x}?|Please check the time in {x}.",
)
_TWO = Phrases.of(
    "What is the {t} in {x} and in {y}?|What is the {t} in {x} and {y}?|The {t} in {x} and {y}, please.|"
    "Tell me the {t} in {x} and in {y}.|Compare the {t} in {x} and {y}.|"
    "I need the {t} for both {x} and {y}.",
    unseen="Please tell me the {t} in {x} and {y}.|What's the {t} in {x} and in {y}?",
)
_SKIES: Final = ("sunny", "cloudy", "rainy", "windy", "snowy", "foggy", "clear")
_WEATHER_NAMES: Final = (
    "get_weather",
    "get_weather",
    "get_weather",
    "get_current_weather",
    "getWeather",
    "weather",
    "weather_lookup",
    "fetch_weather",
    "current_weather",
    "get_temperature",
    "check_weather",
)
_TIME_NAMES: Final = (
    "get_time",
    "get_time",
    "get_current_time",
    "getTime",
    "time",
    "clock",
    "current_time",
    "time_in",
    "world_clock",
)
_PLACES: Final = ("city", "city", "location", "location", "place", "town", "zone", "where")
_UNIT_NAMES: Final = ("unit", "format", "units")
_UNITS: Final = ("celsius", "fahrenheit")


def _pair(topic: str, key: str, scribe: Scribe, one: Errand, two: Errand) -> str:
    return scribe.say(_TWO, t=topic, x=one.arguments[key], y=two.arguments[key])


def weather(scribe: Scribe) -> Offer:
    """The weather by city, a third of the time with a unit to choose."""
    key, unit_key = scribe.pick(_PLACES), scribe.pick(_UNIT_NAMES)
    with_unit = scribe.chance(0.3)
    parameters = {
        key: parameter(
            scribe,
            "string",
            scribe.pick(("The city", "City name", "The city, e.g. Paris", "Name of the place")),
        )
    }
    if with_unit:
        parameters[unit_key] = parameter(scribe, "string", "The temperature unit", _UNITS)

    def ask(scribe: Scribe) -> Errand:
        x, degrees, sky = scribe.city(), scribe.number(-9, 39), scribe.pick(_SKIES)
        user, arguments = scribe.say(_WEATHER, x=x), {key: x}
        if with_unit:
            arguments[unit_key] = unit = scribe.pick(_UNITS)
            user += scribe.pick((" In {u}.", " Use {u}.", " Answer in {u}.", " In {u}, please.")).format(
                u=unit
            )
        return Errand(user, arguments, *scribe.pick(_reports(x, degrees, sky)))

    tool = describe(
        scribe,
        scribe.pick(_WEATHER_NAMES),
        scribe.pick(
            (
                "Get the weather in a city",
                "Get the current weather",
                "The weather of a place",
                "Weather by city",
            )
        ),
        parameters,
    )
    return Offer(tool, ask, None if with_unit else lambda s, one, two: _pair("weather", key, s, one, two))


def _reports(x: str, degrees: int, sky: str) -> tuple[tuple[Json, str, str], ...]:
    """Return results of a weather tool, each with the answer and with what the answer has to say."""
    full: dict[str, Json] = {"temperature": degrees, "condition": sky}
    answer, said = f"In {x} it is {sky} with {degrees} degrees.", f"{sky} with {degrees} degrees"
    return (
        (full, answer, said),
        ({"condition": sky}, f"The weather in {x} is {sky}.", sky),
        ({"temperature": degrees}, f"In {x} it is {degrees} degrees.", f"{degrees} degrees"),
        (f"{sky}, {degrees} degrees", answer, said),
    )


def time(scribe: Scribe) -> Offer:
    """The time by city or zone."""
    key = scribe.pick((*_PLACES, "zone", "timezone"))

    def ask(scribe: Scribe) -> Errand:
        x, clock = scribe.city(), f"{scribe.number(0, 23):02}:{scribe.number(0, 59):02}"
        return Errand(scribe.say(_TIME, x=x), {key: x}, {"time": clock}, f"It is {clock} in {x}.", clock)

    tool = describe(
        scribe,
        scribe.pick(_TIME_NAMES),
        scribe.pick(("Get the time in a city", "The current time of a place", "Get the current time")),
        {key: parameter(scribe, "string", scribe.pick(("The city", "The time zone", "Where")))},
    )
    return Offer(tool, ask, lambda s, one, two: _pair("time", key, s, one, two))
