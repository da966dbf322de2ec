"""What ends a request without its answer.

Problem                     a handler raises it with a status that its operation declares
├── InvalidRequest          the body or a parameter is not what the document says
├── Unauthorized            401: no key, or a wrong one
├── NotFound                404: no operation has this path
├── MethodNotAllowed        405: the path has operations, this method has none
├── BodyTooLarge            413
├── UnsupportedMediaType    415
└── InternalError           500: something raised that is no Problem

`kind` is a slug for the contract to translate; handlers choose their own.
"""

from collections.abc import Mapping


class Problem(Exception):
    """An answer that is not the success.

    status: HTTP status. message: for the client. headers: HTTP's own (`retry-after`), names in lower case.
    """

    def __init__(
        self, status: int, message: str, kind: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.kind = kind
        self.headers = headers or {}


class InvalidRequest(Problem):
    """The request does not match the document.

    field: where, in the document's terms (`messages[0].content`); empty for the whole body.
    reason: what is wrong there, a sentence without its full stop.
    """

    def __init__(self, status: int, field: str, reason: str) -> None:
        super().__init__(status, f"{field}: {reason}" if field else reason, "validation")
        self.field = field
        self.reason = reason


class Unauthorized(Problem):
    """RFC 6750, section 3: the answer says which scheme is wanted."""

    def __init__(self) -> None:
        super().__init__(401, "Missing or wrong API key", "unauthorized", {"www-authenticate": "Bearer"})


class NotFound(Problem):
    """No operation has this path."""

    def __init__(self, path: str) -> None:
        super().__init__(404, f"Nothing is served at {path}", "not_found")


class MethodNotAllowed(Problem):
    """RFC 9110, section 15.5.6: the answer lists the methods that there are."""

    def __init__(self, method: str, allowed: str) -> None:
        message = f"{method} is not allowed here; {allowed} is"
        super().__init__(405, message, "method_not_allowed", {"allow": allowed})


class BodyTooLarge(Problem):
    """The body is longer than the server accepts."""

    def __init__(self, max_bytes: int) -> None:
        super().__init__(413, f"The body is longer than {max_bytes} bytes", "payload_too_large")


class UnsupportedMediaType(Problem):
    """The body is not declared as JSON in UTF-8."""

    def __init__(self, content_type: str) -> None:
        found = f", not {content_type}" if content_type else ""
        super().__init__(415, f"The content type must be application/json{found}", "unsupported_media_type")


class InternalError(Problem):
    """What happened is in the log, not in the answer."""

    def __init__(self) -> None:
        super().__init__(500, "Internal server error", "internal")
