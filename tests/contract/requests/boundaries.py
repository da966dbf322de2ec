"""The rows of each contract's table of bounds that tests send, and what the server answers to them.

`make test-long`, or `VERBATIM_BOUNDS=all`, sends every row of every table. Without it, one row in twelve is
sent, or half of these where another server computes, and those that all operations of one body schema share
for one of them alone. A row is chosen by its own name, so that a change brings no rows into the sample but
those that it adds.
"""

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import cache
from typing import Final
from zlib import crc32

from handlers.commands.conform.contracts import contract_named
from handlers.commands.conform.models import names_of
from handlers.shared_settings.shared_settings import EMBEDDED_MODEL
from tests.support.selection.effort import IS_WHOLE
from verbatim_kit.conform.bounds.boundaries import Row, Table
from verbatim_kit.conform.client import Answer, Client

_SENDS_ALL: Final = IS_WHOLE or os.environ.get("VERBATIM_BOUNDS") == "all"
ONE_IN: Final = 12
_NUM_AT_ONCE: Final = 8


@cache
def table(contract: str) -> Table:
    found = contract_named(contract)
    return Table(found.document, found.rules, names_of(EMBEDDED_MODEL))


@cache
def rows(contract: str) -> tuple[Row, ...]:
    """Return all rows of a contract."""
    return tuple(table(contract).rows())


@cache
def answered(server_url: str, contract: str, one_in: int = ONE_IN) -> tuple[tuple[Row, Answer], ...]:
    """Return the chosen rows, each with what the server answers to its request."""
    sent = chosen_rows(contract, one_in)
    client = Client(f"{server_url}/{contract}", {}, timeout_s=100)
    with closing(client), ThreadPoolExecutor(_NUM_AT_ONCE) as pool:
        return tuple(zip(sent, pool.map(lambda row: client.send(row.request), sent), strict=True))


def chosen_rows(contract: str, one_in: int) -> tuple[Row, ...]:
    """Return the rows of a contract that are sent."""
    return tuple(_chosen(rows(contract), one_in))


def _chosen(found: Iterable[Row], one_in: int) -> Iterator[Row]:
    if _SENDS_ALL:
        return iter(found)
    return (row for row in _of_each_schema(found) if crc32(row.name.encode()) % one_in == 0)


def _of_each_schema(found: Iterable[Row]) -> Iterator[Row]:
    seen = set()
    for row in found:
        key = (
            (str(row.endpoint.body), repr(row.request.body))
            if row.endpoint.body
            else (row.endpoint.id, row.name)
        )
        if key not in seen:
            seen.add(key)
            yield row
