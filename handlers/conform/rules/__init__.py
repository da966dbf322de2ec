"""Rules about requests that the OpenAPI documents cannot express, one module for each contract."""

from importlib import import_module
from importlib.util import find_spec

from handlers.conform.rules.rule import Rules


def rules_of(contract: str) -> Rules:
    """Return the rules of a contract; empty rules if it has no module."""
    name = f"{__name__}.{contract}"
    if find_spec(name) is None:
        return Rules()
    rules: Rules = import_module(name).RULES
    return rules
