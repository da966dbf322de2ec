"""The assignment of paths to contracts."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from generated.operation import Operation
from handlers.runtime.routes import shape


class UnknownContract(ValueError):
    """A name of no contract."""


class Placement(NamedTuple):
    """One operation at one path."""

    path: str
    contract: str
    operation: Operation


def check_root(root: Sequence[str], known: Sequence[str]) -> None:
    """Raises UnknownContract for the first name that is not known."""
    for name in root:
        if name not in known:
            raise UnknownContract(f"there is no contract {name!r}; there are: {', '.join(sorted(known))}")


def placements(
    tables: Mapping[str, Sequence[Operation]], root: Sequence[str]
) -> tuple[list[Placement], list[Placement]]:
    """Return the operations at the root, and those under the contracts' own prefixes.

    At the root a path belongs to the first contract that claims it, with all its methods.
    """
    at_root: list[Placement] = []
    for name in root:
        taken = {shape(placement.path) for placement in at_root}
        at_root += [Placement(one.path, name, one) for one in tables[name] if shape(one.path) not in taken]
    prefixed = [Placement(f"/{name}{one.path}", name, one) for name, table in tables.items() for one in table]
    return at_root, prefixed
