"""The plan of a run: a contract, and the operations selected from it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple, Protocol

from verbatim_kit.conform.checks.checks import RunLimits, check
from verbatim_kit.conform.checks.names import CHECKS
from verbatim_kit.conform.client import Client
from verbatim_kit.conform.contract import Contract
from verbatim_kit.conform.document import Endpoint, endpoints
from verbatim_kit.conform.finding import Result
from verbatim_kit.conform.report.run import Kind
from verbatim_kit.conform.target import Target


class Unusable(Exception):
    """The run is not possible; the message states the reason."""


class Plan(Protocol):
    """The plan of a run.

    kind, name: the contract or profile to check against. checks: names of the checks in the report, each with
    a short description. document: the contract's OpenAPI document; empty for a profile.
    """

    @property
    def kind(self) -> Kind: ...
    @property
    def name(self) -> str: ...
    @property
    def checks(self) -> Mapping[str, str]: ...
    @property
    def document(self) -> Mapping[str, Any]: ...
    @property
    def paths(self) -> Sequence[str]:
        """The paths that are requested."""
        ...

    def key_headers(self, key: str) -> Mapping[str, str]:
        """Return the headers that have an API key."""
        ...

    def results(
        self, client: Client, names: Mapping[str, str], limits: RunLimits, log: Callable[[str], None]
    ) -> Iterator[Result]:
        """Send the requests and yield the results of the checks. Raises Unusable.

        names: parameter values by name; may include the body's `model`. log: called with a line of text about
        the progress.
        """
        ...


class ContractPlan(NamedTuple):
    """Selected operations of a contract."""

    contract: Contract
    chosen: Sequence[Endpoint]

    @property
    def kind(self) -> Kind:
        return "contract"

    @property
    def name(self) -> str:
        return self.contract.name

    @property
    def document(self) -> Mapping[str, Any]:
        return self.contract.document

    @property
    def checks(self) -> Mapping[str, str]:
        return CHECKS

    @property
    def paths(self) -> Sequence[str]:
        return [endpoint.path for endpoint in self.chosen]

    def key_headers(self, key: str) -> Mapping[str, str]:
        return {"authorization": f"Bearer {key}"}

    def results(
        self, client: Client, names: Mapping[str, str], limits: RunLimits, log: Callable[[str], None]
    ) -> Iterator[Result]:
        return check(Target(self.contract, client, names), self.chosen, limits, log)


def contract_plan(contract: Contract, only: Sequence[str], skip: Sequence[str]) -> ContractPlan:
    """Return a plan for the operations whose ids or paths match.

    only, skip: glob patterns to include (all if empty) and to exclude. Raises Unusable if no operation
    matches.
    """
    known = list(endpoints(contract.document))
    chosen = [endpoint for endpoint in known if is_chosen((endpoint.id, endpoint.path), only, skip)]
    if not chosen:
        listed = ", ".join(f"{endpoint.id} ({endpoint.path})" for endpoint in known)
        raise Unusable(f"no operation matches --only and --skip; the contract has {listed}")
    return ContractPlan(contract, chosen)


def is_chosen(names: Sequence[str], only: Sequence[str], skip: Sequence[str]) -> bool:
    """Return whether one of the names matches a glob of `only` (if it has any), and none one of `skip`."""

    def is_named(globs: Sequence[str]) -> bool:
        return any(fnmatchcase(name, glob) for glob in globs for name in names)

    return (not only or is_named(only)) and not is_named(skip)
