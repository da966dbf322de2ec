"""The contract or profile that a server is held to, and the requests that were chosen from it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple, Protocol

from handlers.conform.checks.checks import RunLimits, check
from handlers.conform.checks.names import CHECKS
from handlers.conform.client import Client
from handlers.conform.document import Endpoint, endpoints, load
from handlers.conform.finding import Result
from handlers.conform.profile import replay
from handlers.conform.profile.program import Program, load_profile
from handlers.conform.report.run import Kind
from handlers.conform.served import names_of
from handlers.conform.target import Target


class Unusable(Exception):
    """A run cannot be made, for the reason that the message states."""


class Plan(Protocol):
    """kind, name: what the server is held to. checks: those of the report, each with a phrase about it.

    document: the contract's; empty for a profile.
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
        """The paths that are asked."""
        ...

    def results(
        self, client: Client, model: str, limits: RunLimits, tell: Callable[[str], None]
    ) -> Iterator[Result]:
        """Send the requests; yield what they show. Raises Unusable."""
        ...


class ContractPlan(NamedTuple):
    """Operations of a contract."""

    name: str
    document: dict[str, Any]
    chosen: Sequence[Endpoint]

    @property
    def kind(self) -> Kind:
        return "contract"

    @property
    def checks(self) -> Mapping[str, str]:
        return CHECKS

    @property
    def paths(self) -> Sequence[str]:
        return [one.path for one in self.chosen]

    def results(
        self, client: Client, model: str, limits: RunLimits, tell: Callable[[str], None]
    ) -> Iterator[Result]:
        return check(Target(self.name, client, names_of(model)), self.chosen, limits, tell)


class ProfilePlan(NamedTuple):
    """Programs of a profile."""

    name: str
    chosen: Sequence[Program]

    @property
    def kind(self) -> Kind:
        return "profile"

    @property
    def checks(self) -> Mapping[str, str]:
        return replay.CHECKS

    @property
    def document(self) -> Mapping[str, Any]:
        return {}

    @property
    def paths(self) -> Sequence[str]:
        return [turn.path for one in self.chosen for turn in one.turns]

    def results(
        self, client: Client, model: str, limits: RunLimits, tell: Callable[[str], None]
    ) -> Iterator[Result]:
        results = list(replay.Replay(client, model, limits, tell).results(self.chosen))
        if not any(one.num_requests for one in results):
            raise Unusable(f"{client.url} has none of the paths that these programs ask")
        yield from results


def contract_plan(name: str, only: Sequence[str], skip: Sequence[str]) -> ContractPlan:
    """Return the plan for the operations whose ids or paths match. Raises Unusable if none do."""
    document = load(name)
    known = list(endpoints(document))
    chosen = [one for one in known if _is_chosen((one.id, one.path), only, skip)]
    if not chosen:
        listed = ", ".join(f"{one.id} ({one.path})" for one in known)
        raise Unusable(f"no operation is selected; the contract has {listed}")
    return ContractPlan(name, document, chosen)


def profile_plan(name: str, only: Sequence[str], skip: Sequence[str]) -> ProfilePlan:
    """Return the plan for the programs whose ids or paths match. Raises Unusable if none do."""
    known = load_profile(name)
    chosen = [one for one in known if _is_chosen((one.id, *(turn.route for turn in one.turns)), only, skip)]
    if not chosen:
        raise Unusable(f"no program is selected; the profile has {', '.join(one.id for one in known)}")
    return ProfilePlan(name, chosen)


def _is_chosen(names: Sequence[str], only: Sequence[str], skip: Sequence[str]) -> bool:
    def is_named(globs: Sequence[str]) -> bool:
        return any(fnmatchcase(name, glob) for glob in globs for name in names)

    return (not only or is_named(only)) and not is_named(skip)
