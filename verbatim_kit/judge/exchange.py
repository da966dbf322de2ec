"""A request with its answer, and the faults of the answer."""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

Headers: TypeAlias = Sequence[tuple[str, str]]


class Exchange(NamedTuple):
    """One request and its whole answer.

    path: as requested, without the contract's prefix and without query.
    headers: names in any case; a name may come twice.
    body: the bytes after transfer and content codings are undone; for a stream all of its bytes.
    """

    method: str
    path: str
    request_body: bytes | None
    status: int
    headers: Headers
    body: bytes


class Fault(NamedTuple):
    """A difference between an answer and its document.

    check: the kind of fault: operation, status, media-type, header, length, json, schema, undeclared,
    framing, event-name, terminator or stream.
    place: `status`, `header x-request-id`, `body/choices/0/index`, `event 3/choices/0`, `line 3`.
    message: a sentence without its full stop.
    """

    check: str
    place: str
    message: str
