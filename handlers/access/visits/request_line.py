"""The line of a request in the log and in the audit log, made from its visit."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias
from urllib.parse import quote

import msgspec

from handlers.access.visits.timing import Timing
from handlers.access.visits.visit import Visit

_PLAIN: Final = re.compile(r"[\w/.:~@%+=,-]*", re.ASCII)


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line as all lines of the log are in JSON. timestamp: when the request arrived, in UTC.

    fields: docs/logs.md has those of a request. A line in place of others that were lost has their number.
    """

    timestamp: datetime
    level: str
    fields: dict[str, Any]
    target: str = "verbatim.requests"


Encode: TypeAlias = Callable[[Line], bytes]

json_line: Final[Encode] = msgspec.json.Encoder().encode


def line_of(visit: Visit) -> Line:
    """Return the line of a request that has ended."""
    (contract, operation), timing, status = visit.names, visit.timing or Timing(0.0), visit.status
    first_token_s, error_status = timing.first_token_s, visit.error_status
    fields = {
        "message": f"{visit.method} {visit.path} {status or '-'}",
        "request_id": visit.request_id,
        "client": visit.client,
        "key": None if visit.key is None else visit.key.name,
        "contract": contract,
        "operation": operation,
        "method": visit.method,
        "path": visit.path,
        "status": status,
        "end": visit.end,
        "prompt_tokens": timing.num_prompt_tokens,
        "generated_tokens": timing.num_generated_tokens,
        "queue_s": round(timing.queue_s, 6) if timing.num_prompt_tokens else None,
        "first_token_s": None if first_token_s is None else round(first_token_s, 6),
        "duration_s": round(visit.ended_s - visit.started_s, 6),
    }
    request, answer = visit.texts or (None, None)
    rare = {
        "error": visit.error,
        "error_status": None if error_status == status else error_status,
        "request": request,
        "answer": answer,
    }
    fields |= {name: value for name, value in rare.items() if value is not None}
    level = "DEBUG" if visit.is_quiet else "INFO"
    return Line(timestamp=datetime.fromtimestamp(visit.arrived_ns / 1e9, UTC), level=level, fields=fields)


def gap_line(num_lost: int) -> Line:
    """Return the line in the place of lines that were lost."""
    fields = {"message": f"{num_lost} lines about requests were lost", "lost": num_lost}
    return Line(timestamp=datetime.now(UTC), level="WARN", fields=fields)


def text_line(line: Line) -> bytes:
    """Return a line for people, in ASCII; what a client has chosen in it is escaped."""
    time = line.timestamp.isoformat(timespec="milliseconds").removesuffix("+00:00")
    words = [line.fields["message"]] if "lost" in line.fields else _words(line.fields)
    return f"{line.level} {time}Z {' '.join(words)}".encode("ascii", "backslashreplace")


def _words(fields: dict[str, Any]) -> Iterator[str]:
    path = fields["path"] if _PLAIN.fullmatch(fields["path"]) else quote(fields["path"])
    yield f"{fields['method']} {path} {fields['status'] or '-'}"
    if fields["operation"] is not None:
        yield f"{fields['contract']}.{fields['operation']}"
    if fields["end"] != "complete":
        yield f"error={fields['error']}" if "error" in fields else fields["end"]
    if "error_status" in fields:
        yield f"error_status={fields['error_status']}"
    if fields["prompt_tokens"] or fields["generated_tokens"]:
        yield f"tokens={fields['prompt_tokens']}+{fields['generated_tokens']}"
    for name, seconds in (("queue", "queue_s"), ("first", "first_token_s"), ("total", "duration_s")):
        if fields[seconds] is not None:
            yield f"{name}={fields[seconds] * 1000:.1f}ms"
    if fields["key"] is not None:
        yield f"key={fields['key']}"
    yield f"client={fields['client'] or '-'} id={fields['request_id']}"
    for name in ("request", "answer"):
        if name in fields:
            yield f"{name}={msgspec.json.encode(fields[name]).decode()}"
