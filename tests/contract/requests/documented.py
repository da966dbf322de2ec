"""Requests to every operation from the contracts' own documents: as they are there, greedy, and streamed."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final, NamedTuple

from handlers.commands.conform.contracts import contract_named
from tests.contract.requests.boundaries import table
from tests.support.samples.contracts import samples_of
from verbatim_kit.conform.bounds.boundaries import Table
from verbatim_kit.conform.document import Endpoint, endpoints
from verbatim_kit.conform.place import ABSENT, put
from verbatim_kit.conform.request import Request
from verbatim_kit.conform.target import is_of

_ABOUT: Final = r"/(?:info|metrics|config|stats)$|^/v2/models/[^/]+(?:/versions/[^/]+)?$"
_NUM_TOKENS: Final = 6  # of a greedy text


class Asked(NamedTuple):
    """A request under its contract. name: unique in the contract."""

    contract: str
    endpoint: Endpoint
    name: str
    request: Request

    @property
    def path(self) -> str:
        """The path on a server that has every contract at its own prefix."""
        return f"/{self.contract}{self.request.path}"

    @property
    def is_about_the_server(self) -> bool:
        """True if what it answers describes the server, its model or its load."""
        return self.request.method == "GET" and re.search(_ABOUT, self.request.path) is not None

    @property
    def id(self) -> str:
        return f"{self.contract} {self.name}"


def requests_of(contract: str) -> Iterator[Asked]:
    """Yield the requests of the contract's document, of `exchanges` and of `features`; none twice."""
    seen = set[str]()
    for endpoint, name, request in (*_documented(contract), *_written(contract)):
        if repr(request) not in seen:
            seen.add(repr(request))
            headers = {**samples_of(contract).headers, **request.headers}
            title = f"{endpoint.title}: {name}"
            yield Asked(contract, endpoint, title, request._replace(headers=headers))


def _documented(contract: str) -> Iterator[tuple[Endpoint, str, Request]]:
    rows = table(contract)
    for endpoint in _endpoints(contract):
        for name, request in rows.examples(endpoint):
            for kind, body in _bodies(rows, endpoint, request.body):
                yield endpoint, name + kind, request._replace(body=body)


def _bodies(rows: Table, endpoint: Endpoint, body: Any) -> Iterator[tuple[str, Any]]:
    """Yield the body as it is, and one that asks for more tokens, the likeliest; each also for a stream."""
    if endpoint.body is None:
        yield "", body
        return
    for kind, variant in (("", body), (", greedy", rows.repeatable(endpoint, body, _NUM_TOKENS))):
        yield kind, variant
        if endpoint.can_stream and rows.has(endpoint, ("stream",)):
            yield f"{kind}, streamed", put(variant, ("stream",), True)


def _written(contract: str) -> Iterator[tuple[Endpoint, str, Request]]:
    listed = [
        (f"exchange {number}", one.method, one.path, one.body)
        for number, one in enumerate(samples_of(contract).exchanges)
    ]
    listed += [(name, "POST", path, body) for name, (path, body) in samples_of(contract).features.items()]
    for name, method, path, body in listed:
        request = Request(method, path, ABSENT if body is None else body)
        yield endpoint_of(contract, method, path), name, request


def endpoint_of(contract: str, method: str, path: str) -> Endpoint:
    """Return the operation of a request. A path without parameters wins (OpenAPI 3.1, 4.8.8.2)."""
    known = (one for one in _endpoints(contract) if is_of(one, method, path))
    return min(known, key=lambda one: one.path.count("{"))


@cache
def _endpoints(contract: str) -> tuple[Endpoint, ...]:
    return tuple(endpoints(contract_named(contract).document))
