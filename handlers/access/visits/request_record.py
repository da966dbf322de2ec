"""The record of a request, made once when it ends: the log, the audit log and metrics are fed from it."""

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Final, Literal, TypeAlias
from urllib.parse import quote

import msgspec
from msgspec.structs import replace

End: TypeAlias = Literal["complete", "error", "disconnected"]

_PLAIN: Final = re.compile(r"[\w/.:~@%+=,-]*", re.ASCII)


class RequestRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All that is known of a request when its answer has ended, without any text of either.

    message: method, path and status. client: the client's address; None if it left before the server could
    ask for it. key: name of its API key; None without a valid key.
    contract, operation: None if no operation has the path. path: without the query, cut where it is long.
    status: status of the answer; None if the client disconnected before.
    end: "error" if the answer reports one, "disconnected" if the client did not stay for all of it.
    queue_s, first_token_s: seconds until it first ran, and until its first token, since all of it had
    arrived; None if there was none. duration_s: seconds until the last byte of the answer was sent.
    error: the kind of the error that the answer reports. error_status: status of an error that came after
    another status had been sent.
    request, answer: their bodies as text, cut where they are long; with `--log-requests` only.
    """

    message: str
    request_id: str
    client: str | None
    key: str | None
    contract: str | None
    operation: str | None
    method: str
    path: str
    status: int | None
    end: End
    prompt_tokens: int
    generated_tokens: int
    queue_s: float | None
    first_token_s: float | None
    duration_s: float
    error: str | None = None
    error_status: int | None = None
    request: str | None = None
    answer: str | None = None


class Gap(msgspec.Struct, frozen=True):
    """The place of lines that were lost. lost: their number since the last such place."""

    message: str
    lost: int


class RecordLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line as all lines of the log are in JSON. timestamp: when the request arrived, in UTC."""

    timestamp: datetime
    level: str = "INFO"
    fields: RequestRecord | Gap
    target: str = "verbatim.requests"

    def without_texts(self) -> "RecordLine":
        """Return the line without what the client and the model wrote."""
        fields = self.fields
        if isinstance(fields, Gap) or fields.request is None:
            return self
        return replace(self, fields=replace(fields, request=None, answer=None))


Encode: TypeAlias = Callable[[RecordLine], bytes]

json_line: Final[Encode] = msgspec.json.Encoder().encode


def text_line(line: RecordLine) -> bytes:
    """Return a line for people, in ASCII; what a client has chosen in it is escaped."""
    time = line.timestamp.isoformat(timespec="milliseconds").removesuffix("+00:00")
    fields = line.fields
    words = [fields.message] if isinstance(fields, Gap) else _words(fields)
    return f"{line.level} {time}Z {' '.join(words)}".encode("ascii", "backslashreplace")


def _words(record: RequestRecord) -> Iterator[str]:
    path = record.path if _PLAIN.fullmatch(record.path) else quote(record.path)
    yield f"{record.method} {path} {record.status or '-'}"
    if record.operation is not None:
        yield f"{record.contract}.{record.operation}"
    if record.end != "complete":
        yield record.end if record.error is None else f"{record.end}={record.error}"
    if record.error_status is not None:
        yield f"error_status={record.error_status}"
    if record.prompt_tokens or record.generated_tokens:
        yield f"tokens={record.prompt_tokens}+{record.generated_tokens}"
    if record.queue_s is not None:
        yield f"queue={_milliseconds(record.queue_s)}"
    if record.first_token_s is not None:
        yield f"first={_milliseconds(record.first_token_s)}"
    yield f"total={_milliseconds(record.duration_s)}"
    if record.key is not None:
        yield f"key={record.key}"
    yield f"client={record.client or '-'} id={record.request_id}"
    for name, text in (("request", record.request), ("answer", record.answer)):
        if text is not None:
            yield f"{name}={msgspec.json.encode(text).decode()}"


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.1f}ms"
