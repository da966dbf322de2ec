"""Every operation of every contract under generated requests, valid and not, over HTTP, on the real engine.

`VERBATIM_FUZZ_EXAMPLES` says how many random requests each operation gets beside the systematic ones. Over a
token server, it gets the random ones alone: the systematic ones are about documents, not engines.
"""

import os

import pytest

from handlers.commands.conform.contracts import contract_named
from handlers.commands.conform.models import names_of
from handlers.composition import TABLES
from handlers.shared_settings.shared_settings import EMBEDDED_MODEL
from tests.support.token_servers.served_engines import Served
from verbatim_kit.conform.checks.checks import RunLimits, fuzz_faults, fuzz_of
from verbatim_kit.conform.checks.recording import Recorded
from verbatim_kit.conform.client import Client
from verbatim_kit.conform.document import Endpoint, endpoints
from verbatim_kit.conform.target import Target, is_of

NUM_EXAMPLES = int(os.environ.get("VERBATIM_FUZZ_EXAMPLES", "5"))


@pytest.mark.fuzz
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("contract", TABLES)
def test_no_request_makes_an_answer_that_the_document_does_not_declare(served: Served, contract: str) -> None:
    client = Client(f"{served.url}/{contract}", {}, timeout_s=120)
    target = Target(contract_named(contract), client, names_of(EMBEDDED_MODEL))
    chosen = list(endpoints(target.document))
    fuzz = fuzz_of(target, chosen, RunLimits(NUM_EXAMPLES, timeout_s=120))
    recorded = (fuzz if served.is_own else fuzz._replace(phases=("fuzzing",))).run()
    client.close()
    faults = [fault.instance for one in recorded for fault in fuzz_faults(target, one)]
    assert [(one.message, one.request) for one in faults[:10]] == []
    if not served.is_own:
        statuses = set[int]().union(*(statuses_of(endpoint, recorded) for endpoint in chosen))
        assert min(statuses) < 300 and max(statuses) >= 400, statuses
        return
    for endpoint in chosen:
        statuses = statuses_of(endpoint, recorded)
        # What a stateful one finds depends on the order of requests; test_second_opinion.py has it succeed.
        has_succeeded = any(status < 300 for status in statuses)
        assert has_succeeded or endpoint.is_stateful, f"{endpoint.id} never succeeded"
        assert endpoint.body is None or endpoint.validation_status in statuses, (
            f"{endpoint.id} never refused a body"
        )


def statuses_of(endpoint: Endpoint, recorded: list[Recorded]) -> set[int]:
    return {
        one.answer.status
        for one in recorded
        if one.answer is not None and is_of(endpoint, one.method, one.path)
    }
