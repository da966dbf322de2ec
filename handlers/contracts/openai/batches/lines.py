"""Lines of batches: requests that are read, and answers that are written."""

from secrets import token_hex
from typing import Any, Final, NamedTuple

import msgspec
import orjson

from handlers.batches.kind import NoAnswer, Reply
from handlers.store.batches import Task

MAX_LINES: Final = 50_000
_MAX_ERRORS: Final = 100
_MAX_NAME: Final = 512
_FIELDS: Final = frozenset({"custom_id", "method", "url", "body"})
_WORDS: Final[dict[NoAnswer, tuple[str, str]]] = {
    "cancelled": ("batch_cancelled", "This request was not executed before the batch was cancelled."),
    "expired": ("batch_expired", "This request could not be executed before the completion window expired."),
    "failed": ("server_error", "The server failed."),
    "no_room": ("storage_limit_exceeded", "The server has no room to store the answer."),
}


class LineFault(NamedTuple):
    """A fault of a line. param: the field at fault."""

    code: str
    message: str
    param: str | None = None


class Line(NamedTuple):
    """A line that is a request. url: what it asks."""

    task: Task
    url: str


class _Body(msgspec.Struct):
    stream: Any = None


class LineReader:
    """Reads the lines of one batch's file, piece by piece. errors: of the first faulty lines, by number.

    Lines without anything in them are none.
    """

    def __init__(self, endpoint: str | None, max_bytes: int, max_lines: int | None = MAX_LINES) -> None:
        """Read lines whose `url` is the endpoint; None: any of those that there are batches of.

        max_bytes: the length of the longest line. max_lines: the number of lines; None: any.
        """
        self.errors: list[dict[str, Any]] = []
        self._endpoint = endpoint
        self._max_bytes = max_bytes
        self._max_lines = max_lines
        self._rest = b""
        self._names: set[str] = set()
        self._num_lines = 0

    def feed(self, piece: bytes) -> list[Line]:
        """Return the requests that end in the next piece of the file."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        self._rest = self._rest[: self._max_bytes + 1]  # more is not needed to find it too long
        return [found for line in lines if (found := self._read(line)) is not None]

    def end(self) -> list[Line]:
        """Return the request in the last line, if no line break follows it."""
        last, self._rest = self._rest, b""
        found = [] if (line := self._read(last)) is None else [line]
        if not self._names and not self.errors:
            words = "The input file is empty. Please ensure that the batch contains at least one request."
            self.errors.append(_error(LineFault("empty_file", words), None))
        return found

    def _read(self, line: bytes) -> Line | None:
        self._num_lines += 1
        if not line.strip() or len(self.errors) >= _MAX_ERRORS:
            return None
        found = self._parsed(line)
        if isinstance(found, LineFault):
            self.errors.append(_error(found, self._num_lines))
            return None
        return found

    def _parsed(self, line: bytes) -> Line | LineFault:
        if len(line) > self._max_bytes:
            return LineFault("line_too_long", f"The line has more than {self._max_bytes} bytes.")
        if self._max_lines is not None and len(self._names) >= self._max_lines:
            return LineFault("too_many_requests", f"A batch can have at most {self._max_lines} requests.")
        try:
            fields = msgspec.json.decode(line.decode(), type=dict[str, msgspec.Raw])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return LineFault("invalid_json_line", "This line is not parseable as a JSON object.")
        fault = self._fault(fields)
        if fault is not None:
            return fault
        name, url = (msgspec.json.decode(fields[field], type=str) for field in ("custom_id", "url"))
        self._names.add(name)
        return Line(Task(self._num_lines - 1, name, bytes(fields["body"])), url)

    def _fault(self, fields: dict[str, msgspec.Raw]) -> LineFault | None:
        for field in ("custom_id", "method", "url", "body"):
            if field not in fields:
                return LineFault(
                    "missing_required_parameter", f"Missing required parameter: '{field}'.", field
                )
        if unknown := sorted(fields.keys() - _FIELDS):
            return LineFault(
                "unknown_parameter", f"Unknown parameter: '{unknown[0][:200]}'.", unknown[0][:200]
            )
        name, method, url = (_text(fields[field]) for field in ("custom_id", "method", "url"))
        if name is None or not 1 <= len(name) <= _MAX_NAME:
            return LineFault(
                "invalid_value", f"'custom_id' must be a string of 1 to {_MAX_NAME} characters.", "custom_id"
            )
        if name in self._names:
            return LineFault(
                "duplicate_custom_id", f"The custom_id '{name}' is that of another line.", "custom_id"
            )
        if method != "POST":
            return LineFault("invalid_method", "'method' must be POST.", "method")
        if url is None or url not in ([self._endpoint] if self._endpoint is not None else OPERATIONS):
            wanted = self._endpoint or " or ".join(OPERATIONS)
            return LineFault("invalid_url", f"'url' must be {wanted}, as that of the batch.", "url")
        return _body_fault(fields["body"])


OPERATIONS: Final = {
    "/v1/responses": "createResponse",
    "/v1/chat/completions": "createChatCompletion",
    "/v1/embeddings": "createEmbedding",
    "/v1/completions": "createCompletion",
    "/v1/decisions": "createDecision",
}
"""The operations that lines may ask, by their paths."""


def answer_line(name: str, reply: Reply) -> bytes:
    """Return the line of an answer."""
    response = {
        "status_code": reply.status,
        "request_id": reply.request_id,
        "body": orjson.Fragment(reply.body),
    }
    return _line(name, response, None)


def unanswered_line(name: str, reason: NoAnswer) -> bytes:
    """Return the line of a request without an answer."""
    code, message = _WORDS[reason]
    return _line(name, None, {"code": code, "message": message})


def _line(name: str, response: dict[str, Any] | None, error: dict[str, str] | None) -> bytes:
    fields = {
        "id": f"batch_req_{token_hex(16)}",
        "custom_id": name,
        "response": response,
        "error": error,
    }
    return orjson.dumps(fields, option=orjson.OPT_APPEND_NEWLINE)


def _text(raw: msgspec.Raw) -> str | None:
    """Return a string; None for any other value."""
    try:
        text = msgspec.json.decode(raw, type=str)
        text.encode()  # orjson writes no lone surrogates
    except (msgspec.DecodeError, UnicodeError):
        return None
    return text


def _body_fault(raw: msgspec.Raw) -> LineFault | None:
    try:
        body = msgspec.json.decode(raw, type=_Body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return LineFault("invalid_type", "Invalid type for 'body': it must be an object.", "body")
    if body.stream not in (None, False):
        return LineFault(
            "unsupported_value", "Batches are answered whole: 'stream' must be false.", "body.stream"
        )
    return None


def _error(fault: LineFault, line: int | None) -> dict[str, Any]:
    return {"code": fault.code, "message": fault.message, "param": fault.param, "line": line}
