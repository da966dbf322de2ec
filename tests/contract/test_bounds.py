"""Each server bounds what its contract's document bounds: values at, just inside and just outside of each.

`VERBATIM_BOUNDS=all` sends every row of every table; without it, one row in twelve, and those that all
operations of one body schema share for one of them alone.
"""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import islice

import pytest

from handlers.app import TABLES
from handlers.conform.bounds.boundaries import Row, Table, Verdict
from handlers.conform.bounds.verdicts import deviation
from handlers.conform.client import Client
from handlers.conform.document import load
from handlers.conform.rules import rules_of
from handlers.conform.served import DEMO_MODEL, names_of

STRIDE = 1 if os.environ.get("VERBATIM_BOUNDS") == "all" else 12
NUM_AT_ONCE = 8


def table(contract: str) -> Table:
    return Table(load(contract), rules_of(contract), names_of(DEMO_MODEL))


def chosen(rows: Iterator[Row]) -> Iterator[Row]:
    if STRIDE == 1:
        return rows
    return islice(_of_each_schema(rows), 0, None, STRIDE)


def _of_each_schema(rows: Iterator[Row]) -> Iterator[Row]:
    seen = set()
    for row in rows:
        key = (
            (str(row.endpoint.body), repr(row.request.body))
            if row.endpoint.body
            else (row.endpoint.id, row.name)
        )
        if key not in seen:
            seen.add(key)
            yield row


@pytest.mark.timeout(600)
@pytest.mark.parametrize("contract", TABLES)
def test_what_the_document_bounds_the_server_bounds(server_url: str, contract: str) -> None:
    client = Client(f"{server_url}/{contract}", {}, timeout_s=100)
    with closing(client), ThreadPoolExecutor(NUM_AT_ONCE) as pool:
        told = list(pool.map(lambda row: fault(client, row), chosen(table(contract).rows())))
    assert told
    assert [one for one in told if one is not None] == []


def fault(client: Client, row: Row) -> str | None:
    answer = client.send(row.request)
    assert answer.status in row.endpoint.statuses, f"{row.name}: {answer.status} is not declared"
    if row.verdict is Verdict.EITHER:  # of what is up to a server, this one refuses all
        row = row._replace(verdict=Verdict.REFUSED, names=())
    found = deviation(row, answer)
    return found and f"{row.name} ({row.reason}): {found}\n  {row.request.body}\n  {answer.text[:300]}"


@pytest.mark.parametrize("contract", TABLES)
def test_every_schema_of_a_request_is_reached_and_every_rule_is_of_some_row(contract: str) -> None:
    """A rule that is of none has outlived what it excepted."""
    found = table(contract)
    rows = list(found.rows())
    assert found.unreached == []
    takes_input = [operation for operation in TABLES[contract] if operation.body or operation.parameters]
    assert len(rows) > 5 * len(takes_input)
    rules = rules_of(contract)
    stated = {one.reason for one in rules.companions} | {one.reason for one in rules.bans}
    assert stated - {row.reason for row in rows} == set()
