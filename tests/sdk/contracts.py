"""The contracts that the installed package has clients of, and one server answers."""

import importlib
import pkgutil
from types import ModuleType

import verbatim_server_client

# That of the process which starts other servers; tests/contract/test_several_models.py asks it.
_OF_ANOTHER_PROCESS = "admin"
CONTRACTS = [
    module.name
    for module in pkgutil.iter_modules(verbatim_server_client.__path__)
    if module.ispkg and module.name not in ("runtime", _OF_ANOTHER_PROCESS)
]


def contract_module(name: str) -> ModuleType:
    """The module of a contract's clients."""
    return importlib.import_module(f"verbatim_server_client.{name}")
