"""The contracts that the installed package has clients of."""

import importlib
import pkgutil
from types import ModuleType

import verbatim_server_client

CONTRACTS = [
    module.name
    for module in pkgutil.iter_modules(verbatim_server_client.__path__)
    if module.ispkg and module.name != "runtime"
]


def contract_module(name: str) -> ModuleType:
    """The module of a contract's clients."""
    return importlib.import_module(f"verbatim_server_client.{name}")
