"""A run of `verbatim conform`: from its options to the kit's checks, with the model that the server has."""

import argparse
from collections.abc import Mapping

from handlers.commands.conform.contracts import contract_named
from handlers.commands.conform.models import first_model, names_of
from handlers.commands.conform.profile.plan import profile_plan
from verbatim_kit.conform.client import Client
from verbatim_kit.conform.command import conform
from verbatim_kit.conform.plan import Plan, Unusable, contract_plan


def run(options: argparse.Namespace) -> bool:
    """Run all checks, print a summary, and return True if there are faults.

    Raises Unusable if an option is invalid or the server does not answer.
    """
    plan = _plan(options)

    def names(client: Client) -> Mapping[str, str]:
        return names_of(options.model or first_model(client, plan.document))

    return conform(plan, options, names)


def _plan(options: argparse.Namespace) -> Plan:
    if options.contract:
        return contract_plan(contract_named(options.contract), options.only, options.skip)
    if options.check:
        raise Unusable("--check is for --contract; choose programs of a profile with --only and --skip")
    return profile_plan(options.profile, options.only, options.skip)
