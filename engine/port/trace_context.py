"""The headers by which other servers continue the trace of a request; no torch."""

from collections.abc import Mapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import Final

# They are set in the task that submits a request (W3C Trace Context: traceparent, tracestate), and tasks that
# this one starts inherit them. Empty where nothing is traced.
trace_headers: Final[ContextVar[Mapping[str, str]]] = ContextVar(
    "trace_headers", default=MappingProxyType({})
)
