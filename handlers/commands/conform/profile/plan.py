"""The plan of a run with the programs of a profile."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from handlers.commands.conform.profile import replay
from handlers.commands.conform.profile.program import Program, load_profile
from verbatim_kit.conform.checks.checks import RunLimits
from verbatim_kit.conform.client import Client
from verbatim_kit.conform.finding import Result
from verbatim_kit.conform.plan import Unusable, is_chosen
from verbatim_kit.conform.report.run import Kind


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

    def key_headers(self, key: str) -> Mapping[str, str]:
        """Return both headers that programs send a key in, OpenAI's and Anthropic's."""
        return {"authorization": f"Bearer {key}", "x-api-key": key}

    def results(
        self, client: Client, names: Mapping[str, str], limits: RunLimits, log: Callable[[str], None]
    ) -> Iterator[Result]:
        results = list(replay.Replay(client, names["model"], limits, log).results(self.chosen))
        if not any(result.num_requests for result in results):
            raise Unusable(f"{client.url} has none of the paths that these programs request")
        yield from results


def profile_plan(name: str, only: Sequence[str], skip: Sequence[str]) -> ProfilePlan:
    """Return a plan for the programs whose ids or paths match.

    only, skip: glob patterns to include (all if empty) and to exclude. Raises Unusable if no program matches.
    """
    known = load_profile(name)
    chosen = [
        program
        for program in known
        if is_chosen((program.id, *(turn.route for turn in program.turns)), only, skip)
    ]
    if not chosen:
        listed = ", ".join(program.id for program in known)
        raise Unusable(f"no program matches --only and --skip; the profile has {listed}")
    return ProfilePlan(name, chosen)
