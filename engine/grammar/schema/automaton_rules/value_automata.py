"""The automata of the strings and of the numbers that a schema allows."""

from decimal import Decimal
from fractions import Fraction
from math import ceil, floor

from engine.grammar.automata.automaton import LAST_CHARACTER, Automaton, Work
from engine.grammar.automata.numbers import MAX_DECIMALS, multiples_automaton
from engine.grammar.automata.regex import combined_automaton
from engine.grammar.schema.keywords import BOUNDS, PATTERNS
from engine.grammar.schema.rewriting.strings import ENFORCED_FORMATS, FORMAT_PATTERNS
from engine.grammar.schema.walk import Schema
from engine.port.errors import InvalidGrammar

# States of a pattern's automaton times characters: a longer maxLength beside it is taken to be shorter.
MAX_COUNTED_STATES = 600

_ANY_STRING = Automaton([[(0, LAST_CHARACTER, 0)]], {0})


def string_automaton(schema: Schema, work: Work) -> Automaton:
    """Return the automaton of the characters of all strings that match pattern, format and lengths.

    Raises InvalidGrammar if no string does, or it takes too many states.
    """
    patterns = [*([schema["pattern"]] if "pattern" in schema else ()), *schema.get(PATTERNS, ())]
    if (format_name := schema.get("format")) in ENFORCED_FORMATS:
        if format_name not in FORMAT_PATTERNS:
            raise InvalidGrammar(
                f"format {format_name} beside pattern, a length or uniqueItems is not supported"
            )
        patterns.append(FORMAT_PATTERNS[format_name])
    if not patterns:
        return _checked(_with_length(_ANY_STRING, schema, work))
    for is_search in (False, True):
        made = combined_automaton(patterns, work, is_search=is_search)
        if (made := _with_length(made, schema, work)).arcs:
            break
    return _checked(made)


def number_automaton(schema: Schema, work: Work) -> Automaton:
    """Return the automaton of the multiples of multipleOf, or of 1, between the bounds.

    Raises InvalidGrammar if there is none, or it takes too many states.
    """
    multiple = schema.get("multipleOf", 1)
    step = Decimal(repr(multiple))
    if int(step.as_tuple().exponent) < -MAX_DECIMALS or int(step.scaleb(MAX_DECIMALS)) > 10**15:
        raise InvalidGrammar(f"multipleOf may have {MAX_DECIMALS} decimals")
    is_integer = "number" not in schema["type"]
    low, high = _bounds(schema, step)
    return _checked(multiples_automaton(multiple, low, high, is_integer=is_integer, work=work))


def _with_length(automaton: Automaton, schema: Schema, work: Work) -> Automaton:
    low, high = schema.get("minLength", 0), schema.get("maxLength")
    if not automaton.arcs or (not low and high is None):
        return automaton
    most = max(MAX_COUNTED_STATES // len(automaton.arcs), 1)
    if low > most:
        raise InvalidGrammar(f"minLength beside this pattern may be {most}; it is {low}")
    high = None if high is None else min(high, most)
    return automaton.with_length(low, high, work).pruned()


def _bounds(schema: Schema, step: Decimal) -> tuple[Decimal | None, Decimal | None]:
    """Return the inclusive bounds; an exclusive one becomes the next multiple of the step."""
    given = {keyword: Decimal(repr(schema[keyword])) for keyword in BOUNDS if keyword in schema}
    if any(abs(bound) > 10**18 for bound in given.values()):
        raise InvalidGrammar("bounds beside multipleOf or uniqueItems may have 18 digits")
    lows = [given["minimum"]] if "minimum" in given else []
    highs = [given["maximum"]] if "maximum" in given else []
    if "exclusiveMinimum" in given:
        lows.append((floor(Fraction(given["exclusiveMinimum"]) / Fraction(step)) + 1) * step)
    if "exclusiveMaximum" in given:
        highs.append((ceil(Fraction(given["exclusiveMaximum"]) / Fraction(step)) - 1) * step)
    return max(lows, default=None), min(highs, default=None)


def _checked(automaton: Automaton) -> Automaton:
    if not automaton.arcs:
        raise InvalidGrammar("no value matches all restrictions")
    return automaton
