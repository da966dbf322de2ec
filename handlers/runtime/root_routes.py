"""The assignment of paths to contracts."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from generated.operation import Operation
from handlers.runtime.routes import shape


class UnknownContract(ValueError):
    """A name of no contract."""


class Placement(NamedTuple):
    """One operation at one path. header: the header that a request needs to reach it there; None if none."""

    path: str
    contract: str
    operation: Operation
    header: str | None = None


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


def marked_placements(
    tables: Mapping[str, Sequence[Operation]], root: Sequence[str], headers: Mapping[str, str | None]
) -> list[Placement]:
    """Return the operations at the root that only a header reaches, since an earlier contract has their path.

    headers: the header that marks a contract's requests, by the contract's name.
    """
    at_root, _ = placements(tables, root)
    reached = {(one.contract, one.path) for one in at_root}
    return [
        Placement(one.path, name, one, header)
        for name in root
        if (header := headers[name]) is not None
        for one in tables[name]
        if (name, one.path) not in reached
    ]
