"""The contracts of this project, each with the rules in `handlers/contracts/<contract>/conform_rules.py`."""

import json
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from typing import Final

from handlers.commands.conform.language_models import with_shared
from verbatim_kit.conform.contract import Contract
from verbatim_kit.conform.rules import Rules

_GENERATED: Final = files("generated")


def contract_names() -> list[str]:
    """Return the names of the contracts, sorted."""
    return sorted(folder.name for folder in _GENERATED.iterdir() if folder.joinpath("openapi.json").is_file())


@cache
def contract_named(name: str) -> Contract:
    """Return one of the contracts; a contract without a module of rules has none."""
    document = json.loads(_GENERATED.joinpath(name, "openapi.json").read_bytes())
    module = f"handlers.contracts.{name}.conform_rules"
    rules: Rules = import_module(module).RULES if find_spec(module) is not None else Rules()
    return Contract(name, document, with_shared(rules))
