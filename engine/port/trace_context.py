"""The headers by which other servers continue the trace of a request; no torch."""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Final

# Makes the headers (W3C Trace Context: traceparent, tracestate); none where nothing is traced. It is set in
# the task that submits a request, and tasks that this one starts inherit it.
trace_headers: Final[ContextVar[Callable[[], Mapping[str, str]]]] = ContextVar("trace_headers", default=dict)
