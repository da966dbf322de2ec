"""An HTTP request to the server under test."""

import json
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import quote, urlencode

from verbatim_kit.conform.document import Endpoint, Json
from verbatim_kit.conform.place import ABSENT


class Request(NamedTuple):
    """An HTTP request.

    path: relative to the base URL; may have a query. body: JSON value; ABSENT for no body. raw: a body of
    bytes, sent instead of `body`.
    """

    method: str
    path: str
    body: Json = ABSENT
    headers: Mapping[str, str] = {}
    raw: bytes | None = None

    @property
    def content(self) -> bytes | None:
        """The encoded body; None without one."""
        if self.raw is not None:
            return self.raw
        return None if self.body is ABSENT else json.dumps(self.body, allow_nan=False).encode()


def request_of(endpoint: Endpoint, parameters: Mapping[str, Json], body: Json = ABSENT) -> Request:
    """Return a request for an operation.

    parameters: JSON values by name; ABSENT omits a parameter. body: JSON value; ABSENT for no body.
    """
    path, headers = endpoint.path, {}
    query: dict[str, list[str]] = {}
    for parameter in endpoint.parameters:
        value = parameters.get(parameter.name, ABSENT)
        if value is ABSENT:
            continue
        match parameter.location:
            case "path":
                path = path.replace(f"{{{parameter.name}}}", quote(_text(value), safe=""))
            case "query":
                items = value if isinstance(value, list) else [value]
                query[parameter.name] = [_text(item) for item in items]
            case _:
                headers[parameter.name] = _text(value)
    encoded = urlencode(query, doseq=True)
    return Request(endpoint.method, f"{path}?{encoded}" if encoded else path, body, headers)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value)
