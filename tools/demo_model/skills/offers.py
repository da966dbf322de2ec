"""Tools as they stand in a dialogue, and the errands that a user may have for each of them."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import add, mul, sub
from typing import Final

from tools.demo_model import words
from tools.demo_model.dialogue import Call, Json, Round, Tool
from tools.demo_model.scribe import Phrases, Scribe


@dataclass(frozen=True)
class Errand:
    """One request for a tool: the words, the arguments to copy out of them, the tool's answer and ours."""

    user: str
    arguments: Mapping[str, Json]
    result: Json
    answer: str
    accept: str


@dataclass(frozen=True)
class Offer:
    """A tool with its names settled; `ask` draws an errand, `join` asks for two at once."""

    tool: Tool
    ask: Callable[[Scribe], Errand]
    join: Callable[[Scribe, Errand, Errand], str] | None = None

    @property
    def name(self) -> str:
        """The name under which the model must call it."""
        return str(self.tool["name"])

    def round(self, scribe: Scribe) -> Round:
        """A request, its call, the result and the answer."""
        errands = [self.ask(scribe)]
        user = errands[0].user
        if self.join is not None and scribe.chance(0.2):
            errands.append(self.ask(scribe))
            user = self.join(scribe, *errands)
        listed = [", ".join(f"{key} {value}" for key, value in each.arguments.items()) for each in errands]
        return Round(
            user,
            f"I call {self.name} with {' and with '.join(listed)}.",
            " ".join(errand.answer for errand in errands),
            tuple(errand.accept.lower() for errand in errands),
            tuple(Call(self.name, errand.arguments) for errand in errands),
            tuple(_as_text(scribe, errand.result) for errand in errands),
        )


def _as_text(scribe: Scribe, result: Json) -> str:
    """Results come as JSON or as a bare value; a dictionary of one entry may be either."""
    if isinstance(result, dict) and len(result) == 1 and scribe.chance(0.4):
        return str(next(iter(result.values())))
    return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)


def _tool(scribe: Scribe, names: str, descriptions: str, parameters: Mapping[str, dict[str, Json]]) -> Tool:
    """Return the JSON of a tool, with the parts that clients leave out now and then left out.

    names, descriptions: to choose from, with bars between them.
    """
    schema: dict[str, Json] = {"type": "object", "properties": dict(parameters)}
    if scribe.chance(0.8):
        schema["required"] = list(parameters)
    if scribe.chance(0.15):
        schema["additionalProperties"] = False
    out: Tool = {"name": scribe.pick(names.split("|"))}
    if scribe.chance(0.85):
        out["description"] = scribe.pick(descriptions.split("|"))
    out["parameters"] = schema
    if scribe.chance(0.08):
        out["strict"] = True
    return out


def _parameter(scribe: Scribe, kind: str, description: str = "") -> dict[str, Json]:
    """Return the schema of one parameter, its description there half of the time."""
    out: dict[str, Json] = {"type": kind}
    if description and scribe.chance(0.45):
        out["description"] = scribe.pick(description.split("|"))
    return out


_WEATHER: Final = Phrases.of(
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
_TIME: Final = Phrases.of(
    "What time is it in {x}?|What is the time in {x}?|Tell me the time in {x}.|Which time is it in {x}?|"
    "time in {x}|What's the time in {x}?|How late is it in {x}?|Current time in {x}?|"
    "Do you know what time it is in {x}?|I call a friend in {x}. What time is it there?|"
    "Please tell me what time it is in {x}.",
    unseen="What is the current time in {x}?|Can you tell me the time in {x}?|Please check the time in {x}.",
)
_TWO: Final = Phrases.of(
    "What is the {t} in {x} and in {y}?|What is the {t} in {x} and {y}?|The {t} in {x} and {y}, please.|"
    "Tell me the {t} in {x} and in {y}.|Compare the {t} in {x} and {y}.|"
    "I need the {t} for both {x} and {y}.",
    unseen="Please tell me the {t} in {x} and {y}.|What's the {t} in {x} and in {y}?",
)
_SKIES: Final = ("sunny", "cloudy", "rainy", "windy", "snowy", "foggy", "clear")
_PLACES: Final = ("city", "city", "location", "location", "place", "town", "zone", "where")
_UNITS: Final = ("celsius", "fahrenheit")


def _both(topic: str, key: str) -> Callable[[Scribe, Errand, Errand], str]:
    return lambda scribe, one, two: scribe.say(_TWO, t=topic, x=one.arguments[key], y=two.arguments[key])


def weather(scribe: Scribe) -> Offer:
    """The weather by city, a third of the time with a unit to choose."""
    key, unit_key = scribe.pick(_PLACES), scribe.pick(("unit", "format", "units"))
    with_unit = scribe.chance(0.3)
    described = "The city|City name|The city, e.g. Paris|Name of the place"
    parameters = {key: _parameter(scribe, "string", described)}
    if with_unit:
        unit: dict[str, Json] = {"type": "string", "enum": list(_UNITS)}
        parameters[unit_key] = unit | _parameter(scribe, "string", "The temperature unit")

    def ask(scribe: Scribe) -> Errand:
        x, degrees, sky = scribe.city(), scribe.number(-9, 39), scribe.pick(_SKIES)
        user, arguments = scribe.say(_WEATHER, x=x), {key: x}
        if with_unit:
            arguments[unit_key] = scribe.pick(_UNITS)
            wished = scribe.pick((" In {u}.", " Use {u}.", " Answer in {u}.", " In {u}, please."))
            user += wished.format(u=arguments[unit_key])
        return Errand(user, arguments, *scribe.pick(_reports(x, degrees, sky)))

    tool = _tool(
        scribe,
        "get_weather|get_weather|get_weather|get_current_weather|getWeather|weather|weather_lookup|"
        "fetch_weather|current_weather|get_temperature|check_weather",
        "Get the weather in a city|Get the current weather|The weather of a place|Weather by city",
        parameters,
    )
    return Offer(tool, ask, None if with_unit else _both("weather", key))


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

    tool = _tool(
        scribe,
        "get_time|get_time|get_current_time|getTime|time|clock|current_time|time_in|world_clock",
        "Get the time in a city|The current time of a place|Get the current time",
        {key: _parameter(scribe, "string", "The city|The time zone|Where")},
    )
    return Offer(tool, ask, _both("time", key))


_ADD: Final = Phrases.of(
    "What is {a} plus {b}?|Add {a} and {b}.|What is {a} + {b}?|How much is {a} plus {b}?|"
    "Please add {a} and {b}.|{a} + {b}|What is the sum of {a} and {b}?|Compute {a} plus {b}.|"
    "Calculate {a} + {b}.|Sum {a} and {b}|{a} plus {b}?",
    unseen="Tell me {a} plus {b}.|Please compute {a} + {b}.|Can you add {a} and {b}?",
)
_MULTIPLY: Final = Phrases.of(
    "What is {a} times {b}?|Multiply {a} by {b}.|What is {a} * {b}?|How much is {a} times {b}?|"
    "Please multiply {a} and {b}.|What is the product of {a} and {b}?|Compute {a} times {b}.|"
    "Calculate {a} * {b}.|{a} times {b}?",
    unseen="Tell me {a} times {b}.|Please compute {a} * {b}.|Can you multiply {a} by {b}?",
)
_SUBTRACT: Final = Phrases.of(
    "What is {a} minus {b}?|What is {a} - {b}?|How much is {a} minus {b}?|Compute {a} minus {b}.|"
    "{a} minus {b}?",
    unseen="Tell me {a} minus {b}.|Please compute {a} - {b}.",
)
_SUM: Final = ("add|add|sum|add_numbers|plus", "Add two numbers", _ADD, add)
_OPERATIONS: Final[tuple[tuple[str, str, Phrases, Callable[[int, int], int]], ...]] = (
    _SUM,
    _SUM,
    ("multiply|multiply|times|multiply_numbers|product", "Multiply two numbers", _MULTIPLY, mul),
    ("subtract|minus|subtract_numbers", "Subtract the second number from the first", _SUBTRACT, sub),
)
_OPERANDS: Final = ("a b", "a b", "a b", "x y", "first second", "left right", "num1 num2")


def arithmetic(scribe: Scribe) -> Offer:
    """Two whole numbers and one operation."""
    names, description, asked, compute = scribe.pick(_OPERATIONS)
    first, second = scribe.pick(_OPERANDS).split()
    kind = scribe.pick(("integer", "integer", "number"))

    def ask(scribe: Scribe) -> Errand:
        a, b = (scribe.number(0, 10 ** scribe.number(1, 4)) for _ in range(2))
        user, result = scribe.say(asked, a=a, b=b), compute(a, b)
        answer = f"The result is {result}."
        return Errand(user, {first: a, second: b}, {"result": result}, answer, f"is {result}.")

    parameters = {key: _parameter(scribe, kind, "A number") for key in (first, second)}
    return Offer(_tool(scribe, names, description, parameters), ask)


_TIMER: Final = Phrases.of(
    "Set a timer for {a} minutes.|Wake me in {a} minutes.|Start a timer of {a} minutes.|Timer, {a} minutes|"
    "Remind me in {a} minutes.|Set the timer to {a} minutes, please.|I need a timer for {a} minutes.|"
    "Please set a {a} minute timer.",
    unseen="Please start a timer for {a} minutes.|Can you set a timer for {a} minutes?",
)


def timer(scribe: Scribe) -> Offer:
    """A number of minutes."""
    key = scribe.pick(("minutes", "minutes", "duration", "time", "length"))

    def ask(scribe: Scribe) -> Errand:
        a = scribe.number(1, 99)
        answer = f"The timer is set for {a} minutes."
        return Errand(scribe.say(_TIMER, a=a), {key: a}, {"status": "ok"}, answer, f"{a} minutes")

    names = "set_timer|start_timer|timer|setTimer|remind_me"
    parameters = {key: _parameter(scribe, "integer", "Minutes to wait")}
    return Offer(_tool(scribe, names, "Set a timer in minutes", parameters), ask)


_CONVERT: Final = Phrases.of(
    "Convert {a} {x} to {y}.|How much is {a} {x} in {y}?|Change {a} {x} into {y}.|What is {a} {x} in {y}?|"
    "{a} {x} to {y}|Please convert {a} {x} to {y}.|I have {a} {x}. How much is it in {y}?",
    unseen="Can you convert {a} {x} to {y}?|Tell me how much {a} {x} is in {y}.",
)


def currency(scribe: Scribe) -> Offer:
    """An amount and two currencies."""
    keys = scribe.pick(("amount from to", "amount source target", "value from_currency to_currency")).split()

    def ask(scribe: Scribe) -> Errand:
        a, x, y = scribe.number(1, 2000), scribe.pick(words.CURRENCIES), scribe.pick(words.CURRENCIES)
        result = scribe.number(1, 3000)
        user = scribe.say(_CONVERT, a=a, x=x, y=y)
        arguments: dict[str, Json] = dict(zip(keys, (a, x, y), strict=True))
        return Errand(user, arguments, {"result": result}, f"{a} {x} are {result} {y}.", f"{result} {y}")

    described = (("number", "How much"), ("string", "Currency code"), ("string", "Currency code"))
    parameters = {key: _parameter(scribe, *each) for key, each in zip(keys, described, strict=True)}
    names = "convert_currency|convert|exchange|convertCurrency"
    return Offer(_tool(scribe, names, "Convert money", parameters), ask)


_SEARCH: Final = Phrases.of(
    "Search for {x}.|Search the web for {x}.|Look up {x}.|Find {x} on the web.|Please search for {x}.|"
    'Search: {x}|Google {x}|Can you look up {x}?|Search for "{x}".|Look for {x}, please.|'
    "I want to know more about {x}. Search for it.",
    unseen='Can you search for {x}?|Please look up {x}.|Search the web for "{x}".',
)


def search(scribe: Scribe) -> Offer:
    """A query to be copied whole."""
    key = scribe.pick(("query", "query", "q", "text", "keywords"))

    def ask(scribe: Scribe) -> Errand:
        x, found = scribe.sentence(1, 4), scribe.sentence(2, 5)
        return Errand(scribe.say(_SEARCH, x=x), {key: x}, {"result": found}, f"I found this: {found}.", found)

    names = "search|search|web_search|search_web|find|lookup|google"
    parameters = {key: _parameter(scribe, "string", "What to search for")}
    return Offer(_tool(scribe, names, "Search the web|Search for a text|Find pages", parameters), ask)


_SEND: Final = Phrases.of(
    "Send {y} the message: {x}|Tell {y} {x}.|Send a message to {y}: {x}|Write to {y}: {x}|"
    'Send "{x}" to {y}.|Text {y}: {x}|Please send {y} this message: {x}|Message {y} "{x}".|'
    "Let {y} know: {x}|Send to {y}: {x}",
    unseen='Please write to {y}: {x}|Send {y} a message: {x}|Please send "{x}" to {y}.',
)


def message(scribe: Scribe) -> Offer:
    """A person and a text, in either order."""
    to, text = scribe.pick(("to text", "to text", "recipient message", "to body", "name message")).split()
    keys = (to, text) if scribe.chance(0.75) else (text, to)

    def ask(scribe: Scribe) -> Errand:
        x, y = scribe.sentence(2, 6), scribe.person()
        arguments = {key: y if key == to else x for key in keys}
        answer = f"The message to {y} is sent."
        return Errand(scribe.say(_SEND, x=x, y=y), arguments, {"status": "sent"}, answer, f"to {y} is sent")

    names = "send_message|send_message|send|message|sendMessage|send_text|send_email"
    parameters = {key: _parameter(scribe, "string") for key in keys}
    return Offer(_tool(scribe, names, "Send a message to a person", parameters), ask)


_NOTE: Final = Phrases.of(
    'Make a note: {x}|Note: {x}|Write down {x}.|Save the note "{x}".|Take a note: {x}|Please note {x}.|'
    "Remember this: {x}",
    unseen="Please make a note: {x}|Please write down: {x}",
)


def note(scribe: Scribe) -> Offer:
    """A text to keep."""
    key = scribe.pick(("text", "note", "content"))

    def ask(scribe: Scribe) -> Errand:
        x = scribe.sentence(2, 6)
        return Errand(scribe.say(_NOTE, x=x), {key: x}, {"status": "saved"}, f"Noted: {x}.", x)

    names = "make_note|save_note|note|add_note|write_note"
    return Offer(_tool(scribe, names, "Save a note", {key: _parameter(scribe, "string", "The text")}), ask)


_Detail = tuple[str, str, Callable[[Scribe], str | int], str]
_DETAILS: Final[tuple[_Detail, ...]] = (
    (
        "name|title|label",
        "string",
        lambda s: s.invented().capitalize(),
        "called {x}|named {x}|with the name {x}",
    ),
    ("person|customer|owner|user", "string", Scribe.person, "for {x}|of {x}"),
    ("city|place|location", "string", Scribe.city, "in {x}|near {x}"),
    ("id|code|number|file", "string", Scribe.code, "with the code {x}|{x}|number {x}"),
    ("color|colour", "string", lambda s: s.pick(words.COLORS), "in {x}|with the color {x}"),
    ("day|date", "string", lambda s: s.pick(words.DAYS), "on {x}|for {x}"),
    ("count|quantity|amount", "integer", lambda s: s.number(1, 200), "{x} times|with a count of {x}"),
)
"""Details of an errand: the parameter's names, its type, its values, and how they are spoken of."""
_ERRAND: Final = Phrases.of(
    "Please {do}.|{Do}.|{Do}, please.|Can you {do}?|I want you to {do}.|Could you {do}?|Now {do}.|{Do}|"
    "Hello, {do}!|Would you {do}?|{Do} right now.|{Do} at once.|Just {do}.|Please {do} again.|{Do} today!",
    unseen="I need you to {do}.|Please {do} now.|Can you please {do}?",
)


def errand(scribe: Scribe) -> Offer:
    """A verb, a thing and up to two details, as open_door(person, day): so no tool is new."""
    verb, thing = scribe.pick(words.VERBS), scribe.pick(words.THINGS)
    details = scribe.random.sample(_DETAILS, scribe.pick((0, 1, 1, 1, 2, 2)))
    keys = [scribe.pick(names.split("|")) for names, _, _, _ in details]

    def ask(scribe: Scribe) -> Errand:
        values = [draw(scribe) for _, _, draw, _ in details]
        pairs = zip((said for _, _, _, said in details), values, strict=True)
        spoken = [scribe.pick(said.split("|")).format(x=x) for said, x in pairs]
        do = " ".join((verb, scribe.pick(("the", "the", "a", "my")), thing, *spoken))
        user = scribe.say(_ERRAND, do=do, Do=do[0].upper() + do[1:])
        arguments = dict(zip(keys, values, strict=True))
        if scribe.chance(0.5):
            status = scribe.pick(("ok", "done", "success"))
            return Errand(user, arguments, {"status": status}, f"Done: {verb} the {thing}.", "done")
        found = scribe.code()
        return Errand(user, arguments, {"result": found}, f"The result is {found}.", found)

    kinds = [kind for _, kind, _, _ in details]
    parameters = {key: _parameter(scribe, kind, f"The {key}") for key, kind in zip(keys, kinds, strict=True)}
    name = f"{verb}_{thing}"
    names = f"{name}|{name}|{name}|{verb}{thing.capitalize()}|{thing}_{verb}"
    return Offer(_tool(scribe, names, f"{verb.capitalize()} a {thing}", parameters), ask)
