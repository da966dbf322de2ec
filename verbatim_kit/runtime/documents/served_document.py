"""A document as it is served: in the version of OpenAPI that a request asks for."""

import asyncio
from collections.abc import Callable
from typing import Final

import orjson
from starlette.requests import Request
from starlette.responses import Response

from verbatim_kit.errors import Violation
from verbatim_kit.openapi.version_3_2 import as_3_2
from verbatim_kit.runtime.problem import InvalidRequest, InvalidValue

_VERSIONS: Final = ("3.1", "3.2")


class ServedDocument:
    """A document in OpenAPI 3.1, and in 3.2 where a request asks for it by `?version=3.2`."""

    def __init__(self, make: Callable[[], bytes]) -> None:
        """Make nothing yet. make: returns the document in OpenAPI 3.1; it is called in a thread, once."""
        self._make = make
        self._made: dict[str, bytes] = {}
        self._making = asyncio.Lock()

    async def answer(self, request: Request) -> Response:
        """Return the document. Raises InvalidRequest for another version."""
        version = _version_of(request)
        async with self._making:
            if version not in self._made:
                self._made[version] = await asyncio.to_thread(self._document, version)
        return Response(self._made[version], media_type="application/json")

    def _document(self, version: str) -> bytes:
        document = self._made.get("3.1") or self._make()
        self._made["3.1"] = document
        return document if version == "3.1" else orjson.dumps(as_3_2(orjson.loads(document)))


def _version_of(request: Request) -> str:
    given = request.query_params.getlist("version") or ["3.1"]
    invalid = None
    if len(given) > 1:
        invalid = InvalidValue("version", "is given more than once", Violation.REPEATED, given)
    elif given[0] not in _VERSIONS:
        reason = f"must be {' or '.join(_VERSIONS)}, a version of OpenAPI"
        invalid = InvalidValue("version", reason, Violation.UNSUPPORTED_VALUE, given[0])
    if invalid is not None:
        raise InvalidRequest(400, invalid)
    return given[0]
