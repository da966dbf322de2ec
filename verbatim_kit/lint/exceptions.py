"""The places that are known to break a rule. The list only shrinks: one that no longer does is an error."""

from collections.abc import Collection, Iterator
from pathlib import Path

import yaml

from verbatim_kit.lint.rules import RULES, Breach

# Contract, then rule, then places.
Exceptions = dict[str, set[Breach]]


class ExceptionsError(ValueError):
    """The file of exceptions is not of its form; the message names the place."""


def read_exceptions(path: Path) -> Exceptions:
    """Return the exceptions of a file; none if there is no file. Raises ExceptionsError."""
    content = (yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else None) or {}
    return {contract: set(_breaches(contract, rules)) for contract, rules in _mapping(content, "the file")}


def _breaches(contract: str, rules: object) -> Iterator[Breach]:
    for rule, places in _mapping(rules, contract):
        if rule not in RULES:
            raise ExceptionsError(f"{contract}: no such rule: {rule} (there are: {', '.join(RULES)})")
        if not isinstance(places, list) or len(places) != len({str(place) for place in places}):
            raise ExceptionsError(f"{contract}: {rule}: not a list of different places")
        yield from (Breach(rule, str(place)) for place in places)


def _mapping(node: object, where: str) -> Iterator[tuple[str, object]]:
    if not isinstance(node, dict):
        raise ExceptionsError(f"{where}: not a mapping")
    yield from ((str(key), value) for key, value in node.items())


def complaints(contract: str, found: Collection[Breach], excepted: Collection[Breach]) -> Iterator[str]:
    """A line for each breach that is no exception, and for each exception that is no breach."""
    for rule, place in sorted(set(found) - set(excepted)):
        yield f"{contract}: {rule}: {place}"
    for rule, place in sorted(set(excepted) - set(found)):
        yield f"{contract}: {rule}: {place} is in order; take it out of the exceptions"
