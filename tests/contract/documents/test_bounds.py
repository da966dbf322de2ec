"""Each server bounds what its contract's document bounds: values at, just inside and just outside of each."""

import pytest

from handlers.commands.conform.contracts import contract_named
from handlers.composition import TABLES
from tests.contract.over_servers.agreement import says_it_lacks
from tests.contract.requests.boundaries import ONE_IN, answered, rows, table
from tests.support.token_servers.served_engines import Served
from verbatim_kit.conform.bounds.boundaries import Row, Verdict
from verbatim_kit.conform.bounds.verdicts import deviation
from verbatim_kit.conform.client import Answer


@pytest.mark.timeout(600)
@pytest.mark.parametrize("contract", TABLES)
def test_what_the_document_bounds_the_server_bounds(served: Served, contract: str) -> None:
    answers = answered(served.url, contract) if served.is_own else answered(served.url, contract, 2 * ONE_IN)
    assert answers
    told = (fault(row, answer) for row, answer in answers if not is_lacking(served, contract, row, answer))
    assert [one for one in told if one is not None] == []


def fault(row: Row, answer: Answer) -> str | None:
    assert answer.status in row.endpoint.statuses, f"{row.name}: {answer.status} is not declared"
    # Of what is up to a server, and not to earlier requests, this one refuses all.
    if row.verdict is Verdict.EITHER and not row.endpoint.is_stateful:
        row = row._replace(verdict=Verdict.REFUSED, names=())
    found = deviation(row, answer)
    return found and f"{row.name} ({row.reason}): {found}\n  {row.request.body}\n  {answer.text[:300]}"


def is_lacking(served: Served, contract: str, row: Row, answer: Answer) -> bool:
    """Return whether a row is refused, and for what the engine lacks."""
    request = row.request
    return says_it_lacks(answer.status, answer.text) and served.lacks(
        request.method, f"/{contract}{request.path}", request.content
    )


@pytest.mark.parametrize("contract", TABLES)
def test_every_schema_of_a_request_is_reached_and_every_rule_is_of_some_row(contract: str) -> None:
    """A rule that is of none has outlived what it excepted."""
    all_rows = rows(contract)
    assert table(contract).unreached == []
    takes_input = [operation for operation in TABLES[contract] if operation.body or operation.parameters]
    assert len(all_rows) > 5 * len(takes_input)
    rules = contract_named(contract).rules
    stated = {one.reason for one in rules.companions} | {one.reason for one in rules.bans}
    assert stated - {row.reason for row in all_rows} == set()
