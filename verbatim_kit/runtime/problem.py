"""The errors that end a request.

Problem                     a handler raises it with a status that its operation declares
├── InvalidRequest          the body or a parameter does not match the document
├── Unauthorized            401: no key, or a wrong one
├── NotFound                404: no operation has this path
├── MethodNotAllowed        405: the path has operations, this method has none
├── BodyTooLarge            413
├── UnsupportedMediaType    415
│   └── UnsupportedCoding   415
└── InternalError           500: any exception that is no Problem

`kind` is a slug for the contract to translate; handlers choose their own.
"""

from collections.abc import Mapping
from math import ceil
from typing import Any, NamedTuple

from verbatim_kit.errors import Violation


class Problem(Exception):
    """An error answer.

    status: HTTP status. message: for the client. headers: HTTP's own (`allow`), names in lower case.
    field: the one at fault, in the document's terms (`messages[0].content`); empty if it is not a single one.
    violation: the kind of error; None where the request is not at fault.
    retry_after_s: when the client may try again, sent as the header Retry-After (RFC 9110, section 10.2.3).
    """

    def __init__(
        self,
        status: int,
        message: str,
        kind: str = "",
        headers: Mapping[str, str] | None = None,
        *,
        field: str = "",
        violation: Violation | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.kind = kind
        self.field = field
        self.violation = violation
        retry = {} if retry_after_s is None else {"retry-after": str(ceil(retry_after_s))}
        self.headers = {**(headers or {}), **retry}


class InvalidValue(NamedTuple):
    """The error to report for an invalid value.

    field: its path (`messages[0].content`), empty for the whole body. reason: a predicate ("must be a
    string"), or a sentence for the whole body. given: the value at the path; None where there is none.
    """

    field: str
    reason: str
    violation: Violation
    given: Any


class InvalidRequest(Problem):
    """The request does not match the document.

    reason: the error in the field, a sentence without its full stop.
    given: the field's value, as parsed JSON; None where it is missing.
    """

    def __init__(self, status: int, invalid: InvalidValue) -> None:
        message = f"{invalid.field}: {invalid.reason}" if invalid.field else invalid.reason
        super().__init__(status, message, "validation", field=invalid.field, violation=invalid.violation)
        self.reason = invalid.reason
        self.given: Any = invalid.given


class Unauthorized(Problem):
    """No key, or a wrong one. The answer names the scheme that is wanted (RFC 6750, section 3); a key in a
    header of its own has no scheme."""

    def __init__(self, *, takes_bearer: bool = True) -> None:
        challenge = {"www-authenticate": "Bearer"} if takes_bearer else {}
        super().__init__(401, "Missing or wrong API key", "unauthorized", challenge)


class NotFound(Problem):
    """No operation has this path. hint: the path or the base URL that was probably meant, in words."""

    def __init__(self, path: str, hint: str = "") -> None:
        self.hint = hint
        super().__init__(404, f"Nothing is served at {path}{hint}", "not_found")


class MethodNotAllowed(Problem):
    """The path has no such method. The answer lists those that it has (RFC 9110, section 15.5.6)."""

    def __init__(self, method: str, allowed: str) -> None:
        message = f"{method} is not allowed here; {allowed} is"
        super().__init__(405, message, "method_not_allowed", {"allow": allowed})


class BodyTooLarge(Problem):
    """The body is longer than the server accepts."""

    def __init__(self, max_bytes: int) -> None:
        super().__init__(413, f"The body is longer than {max_bytes} bytes", "payload_too_large")


class UnsupportedMediaType(Problem):
    """The body is not declared as what the operation reads, JSON in UTF-8 unless `wanted` says otherwise."""

    def __init__(self, content_type: str, wanted: str = "application/json") -> None:
        found = f", not {content_type}" if content_type else ""
        super().__init__(415, f"The content type must be {wanted}{found}", "unsupported_media_type")


class UnsupportedCoding(UnsupportedMediaType):
    """The body is compressed, which the server does not read: a small one may hold gigabytes."""

    def __init__(self, coding: str) -> None:
        Problem.__init__(
            self,
            415,
            f"The body must be sent as it is, not with the content encoding {coding[:50]}",
            "unsupported_media_type",
        )


class InternalError(Problem):
    """An unexpected error; its cause is in the log, not in the answer."""

    def __init__(self) -> None:
        super().__init__(500, "Internal server error", "internal")
