"""Rules about requests that the documents cannot state, one module per contract."""

from importlib import import_module
from importlib.util import find_spec

from handlers.conform.rules.rule import Rules


def rules_of(contract: str) -> Rules:
    """A contract's rules; those of `rule` alone where it has none of its own."""
    name = f"{__name__}.{contract}"
    if find_spec(name) is None:
        return Rules()
    rules: Rules = import_module(name).RULES
    return rules
