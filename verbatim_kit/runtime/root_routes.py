"""The assignment of paths to contracts."""

from collections.abc import Mapping, Sequence, Set
from types import MappingProxyType
from typing import NamedTuple

from verbatim_kit.runtime.operation import Operation
from verbatim_kit.runtime.routes import shape


class UnknownContract(ValueError):
    """A name of no contract."""


class Placement(NamedTuple):
    """One operation at one path. header: the header that a request needs to reach it there; None if none."""

    path: str
    contract: str
    operation: Operation
    header: str | None = None


def check_root(root: Sequence[str], known: Sequence[str]) -> None:
    """Raise UnknownContract for the first name that is not known."""
    for name in root:
        if name not in known:
            raise UnknownContract(f"there is no contract {name!r}; there are: {', '.join(sorted(known))}")


Yields = Mapping[str, Set[str]]
"""By a contract's name, the paths that it leaves to other contracts at the root, if they have them."""

NO_YIELDS: Yields = MappingProxyType({})


def yielded(
    tables: Mapping[str, Sequence[Operation]], root: Sequence[str], yields: Yields, name: str
) -> set[str]:
    """Return the paths that a contract at the root leaves to another one there."""
    others = {shape(one.path) for other in root if other != name for one in tables[other]}
    return {path for path in yields.get(name, ()) if shape(path) in others}


def placements(
    tables: Mapping[str, Sequence[Operation]], root: Sequence[str], yields: Yields = NO_YIELDS
) -> tuple[list[Placement], list[Placement]]:
    """Return the operations at the root, and those under the contracts' own prefixes.

    At the root a path belongs to the first contract that claims it and does not yield it, with all its
    methods.
    """
    at_root: list[Placement] = []
    for name in root:
        taken = {shape(placement.path) for placement in at_root}
        taken |= {shape(path) for path in yielded(tables, root, yields, name)}
        at_root += [Placement(one.path, name, one) for one in tables[name] if shape(one.path) not in taken]
    prefixed = [Placement(f"/{name}{one.path}", name, one) for name, table in tables.items() for one in table]
    return at_root, prefixed


def marked_placements(
    tables: Mapping[str, Sequence[Operation]],
    root: Sequence[str],
    headers: Mapping[str, str | None],
    yields: Yields = NO_YIELDS,
) -> list[Placement]:
    """Return the operations at the root that only a header reaches, since an earlier contract has their path.

    headers: the header that marks a contract's requests, by the contract's name.
    """
    at_root, _ = placements(tables, root, yields)
    reached = {(one.contract, one.path) for one in at_root}
    return [
        Placement(one.path, name, one, header)
        for name in root
        if (header := headers[name]) is not None
        for one in tables[name]
        if (name, one.path) not in reached
    ]
