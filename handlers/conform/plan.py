"""The plan of a run: a contract or profile, and the operations or programs selected from it."""

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

    def results(
        self, client: Client, model: str, limits: RunLimits, log: Callable[[str], None]
    ) -> Iterator[Result]:
        """Send the requests and yield the results of the checks. Raises Unusable.

        model: name of the model to request. log: called with a line of text about the progress.
        """
        ...


class ContractPlan(NamedTuple):
    """Selected operations of a contract."""

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
        return [endpoint.path for endpoint in self.chosen]

    def results(
        self, client: Client, model: str, limits: RunLimits, log: Callable[[str], None]
    ) -> Iterator[Result]:
        return check(Target(self.name, client, names_of(model)), self.chosen, limits, log)


class ProfilePlan(NamedTuple):
    """Selected programs of a profile."""

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
        return [turn.path for program in self.chosen for turn in program.turns]

    def results(
        self, client: Client, model: str, limits: RunLimits, log: Callable[[str], None]
    ) -> Iterator[Result]:
        results = list(replay.Replay(client, model, limits, log).results(self.chosen))
        if not any(result.num_requests for result in results):
            raise Unusable(f"{client.url} has none of the paths that these programs request")
        yield from results


def contract_plan(name: str, only: Sequence[str], skip: Sequence[str]) -> ContractPlan:
    """Return a plan for the operations whose ids or paths match.

    only, skip: glob patterns to include (all if empty) and to exclude. Raises Unusable if no operation
    matches.
    """
    document = load(name)
    known = list(endpoints(document))
    chosen = [endpoint for endpoint in known if _is_chosen((endpoint.id, endpoint.path), only, skip)]
    if not chosen:
        listed = ", ".join(f"{endpoint.id} ({endpoint.path})" for endpoint in known)
        raise Unusable(f"no operation matches --only and --skip; the contract has {listed}")
    return ContractPlan(name, document, chosen)


def profile_plan(name: str, only: Sequence[str], skip: Sequence[str]) -> ProfilePlan:
    """Return a plan for the programs whose ids or paths match.

    only, skip: glob patterns to include (all if empty) and to exclude. Raises Unusable if no program matches.
    """
    known = load_profile(name)
    chosen = [
        program
        for program in known
        if _is_chosen((program.id, *(turn.route for turn in program.turns)), only, skip)
    ]
    if not chosen:
        listed = ", ".join(program.id for program in known)
        raise Unusable(f"no program matches --only and --skip; the profile has {listed}")
    return ProfilePlan(name, chosen)


def _is_chosen(names: Sequence[str], only: Sequence[str], skip: Sequence[str]) -> bool:
    def is_named(globs: Sequence[str]) -> bool:
        return any(fnmatchcase(name, glob) for glob in globs for name in names)

    return (not only or is_named(only)) and not is_named(skip)
