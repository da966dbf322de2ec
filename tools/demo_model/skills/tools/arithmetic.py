"""Tools that take numbers: sums, products, timers and money."""

from collections.abc import Callable
from typing import Final

from tools.demo_model import words
from tools.demo_model.scribe import Phrases, Scribe
from tools.demo_model.skills.tools.offer import Errand, Offer, describe, parameter

_ADD = Phrases.of(
    "What is {a} plus {b}?|Add {a} and {b}.|What is {a} + {b}?|How much is {a} plus {b}?|"
    "Please add {a} and {b}.|{a} + {b}|What is the sum of {a} and {b}?|Compute {a} plus {b}.|"
    "Calculate {a} + {b}.|Sum {a} and {b}|{a} plus {b}?",
    unseen="Tell me {a} plus {b}.|Please compute {a} + {b}.|Can you add {a} and {b}?",
)
_MULTIPLY = Phrases.of(
    "What is {a} times {b}?|Multiply {a} by {b}.|What is {a} * {b}?|How much is {a} times {b}?|"
    "Please multiply {a} and {b}.|What is the product of {a} and {b}?|Compute {a} times {b}.|"
    "Calculate {a} * {b}.|{a} times {b}?",
    unseen="Tell me {a} times {b}.|Please compute {a} * {b}.|Can you multiply {a} by {b}?",
)
_SUBTRACT = Phrases.of(
    "What is {a} minus {b}?|What is {a} - {b}?|How much is {a} minus {b}?|Compute {a} minus {b}.|"
    "{a} minus {b}?",
    unseen="Tell me {a} minus {b}.|Please compute {a} - {b}.",
)
_TIMER = Phrases.of(
    "Set a timer for {a} minutes.|Wake me in {a} minutes.|Start a timer of {a} minutes.|Timer, {a} minutes|"
    "Remind me in {a} minutes.|Set the timer to {a} minutes, please.|I need a timer for {a} minutes.|"
    "Please set a {a} minute timer.",
    unseen="Please start a timer for {a} minutes.|Can you set a timer for {a} minutes?",
)
_CONVERT = Phrases.of(
    "Convert {a} {x} to {y}.|How much is {a} {x} in {y}?|Change {a} {x} into {y}.|What is {a} {x} in {y}?|"
    "{a} {x} to {y}|Please convert {a} {x} to {y}.|I have {a} {x}. How much is it in {y}?",
    unseen="Can you convert {a} {x} to {y}?|Tell me how much {a} {x} is in {y}.",
)
_OPERANDS: Final = (
    ("a", "b"),
    ("a", "b"),
    ("a", "b"),
    ("x", "y"),
    ("first", "second"),
    ("left", "right"),
    ("num1", "num2"),
)
_Operation = tuple[tuple[str, ...], str, Phrases, Callable[[int, int], int]]
_OPERATIONS: Final[tuple[_Operation, ...]] = (
    (("add", "add", "sum", "add_numbers", "plus"), "Add two numbers", _ADD, lambda a, b: a + b),
    (
        ("multiply", "multiply", "times", "multiply_numbers", "product"),
        "Multiply two numbers",
        _MULTIPLY,
        lambda a, b: a * b,
    ),
    (
        ("subtract", "minus", "subtract_numbers"),
        "Subtract the second number from the first",
        _SUBTRACT,
        lambda a, b: a - b,
    ),
)


def arithmetic(scribe: Scribe) -> Offer:
    """Two whole numbers and one operation."""
    names, description, asked, compute = scribe.pick((_OPERATIONS[0], *_OPERATIONS))
    first, second = scribe.pick(_OPERANDS)
    kind = scribe.pick(("integer", "integer", "number"))

    def ask(scribe: Scribe) -> Errand:
        a, b = (scribe.number(0, 10 ** scribe.number(1, 4)) for _ in range(2))
        result = compute(a, b)
        return Errand(
            scribe.say(asked, a=a, b=b),
            {first: a, second: b},
            {"result": result},
            f"The result is {result}.",
            f"is {result}.",
        )

    parameters = {key: parameter(scribe, kind, "A number") for key in (first, second)}
    return Offer(describe(scribe, scribe.pick(names), description, parameters), ask)


def timer(scribe: Scribe) -> Offer:
    """A number of minutes."""
    key = scribe.pick(("minutes", "minutes", "duration", "time", "length"))

    def ask(scribe: Scribe) -> Errand:
        a = scribe.number(1, 99)
        return Errand(
            scribe.say(_TIMER, a=a),
            {key: a},
            {"status": "ok"},
            f"The timer is set for {a} minutes.",
            f"{a} minutes",
        )

    name = scribe.pick(("set_timer", "start_timer", "timer", "setTimer", "remind_me"))
    return Offer(
        describe(
            scribe, name, "Set a timer in minutes", {key: parameter(scribe, "integer", "Minutes to wait")}
        ),
        ask,
    )


def currency(scribe: Scribe) -> Offer:
    """An amount and two currencies."""
    amount, source, target = scribe.pick(
        (("amount", "from", "to"), ("amount", "source", "target"), ("value", "from_currency", "to_currency"))
    )

    def ask(scribe: Scribe) -> Errand:
        a, x, y = scribe.number(1, 2000), scribe.pick(words.CURRENCIES), scribe.pick(words.CURRENCIES)
        result = scribe.number(1, 3000)
        return Errand(
            scribe.say(_CONVERT, a=a, x=x, y=y),
            {amount: a, source: x, target: y},
            {"result": result},
            f"{a} {x} are {result} {y}.",
            f"{result} {y}",
        )

    parameters = {
        amount: parameter(scribe, "number", "How much"),
        source: parameter(scribe, "string", "Currency code"),
        target: parameter(scribe, "string", "Currency code"),
    }
    return Offer(
        describe(
            scribe,
            scribe.pick(("convert_currency", "convert", "exchange", "convertCurrency")),
            "Convert money",
            parameters,
        ),
        ask,
    )
