"""The spans of a request, from the record of its times; pure.

Names and attributes are those of OpenTelemetry's semantic conventions for HTTP servers and for generative AI.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from starlette.types import Message, Scope

from engine.port.events import FinishReason
from handlers.active_requests.request_trace import Attributes, RequestTrace
from handlers.served_model.model_contract import ModelContract
from verbatim_kit.runtime.call import RequestCall
from verbatim_kit.runtime.endpoint import Endpoint

_STREAM: Final = b"text/event-stream"


class Phase(NamedTuple):
    """A span below the request's; times in seconds of `perf_counter`."""

    name: str
    begun_s: float
    ended_s: float
    attributes: Attributes = {}


def phases_of(trace: RequestTrace) -> Iterator[Phase]:
    """Yield the phases of a request that have begun, in their order.

    Of several prompts or sequences, `queue` and `prefill` are those of the first token, and `decode` lasts to
    the last one. Nothing says how the time in the engine divides until the first token comes.
    """
    timing = trace.timing
    if timing is None:
        return
    submitted_s = timing.started + timing.validation_s if timing.is_validated else trace.ended_s
    yield Phase("prepare", timing.started, submitted_s)
    if not timing.is_validated:
        return
    if timing.first_token_s is None:
        yield Phase("engine", submitted_s, trace.ended_s)
        return
    first_token_s = timing.started + timing.first_token_s
    prefill_s = min(first_token_s, submitted_s + timing.queue_s)
    yield Phase("queue", submitted_s, prefill_s)
    yield Phase("prefill", prefill_s, first_token_s)
    if timing.num_generated_tokens > 1:
        yield Phase("decode", first_token_s, trace.last_token_s or trace.ended_s)
    calls = trace.calls
    if calls.begun_s is not None:
        number = sum(calls.num_calls.values())
        yield Phase("tool_calls", calls.begun_s, calls.ended_s, {"verbatim.tool_calls": number})


def http_attributes(endpoint: Endpoint, scope: Scope, start: Message | None) -> Attributes:
    """Return the attributes of a request and its answer that are HTTP's.

    start: the message of ASGI that begins the answer; None if there was none.
    """
    contract, operation, path = endpoint.contract, endpoint.operation, scope["path"]
    prefix = f"/{contract.name}" if path.startswith(f"/{contract.name}/") else ""
    found: Attributes = {
        "http.request.method": scope["method"],
        "http.route": prefix + operation.path,
        "url.path": path,
        "url.scheme": scope["scheme"],
        "verbatim.operation": f"{contract.name}.{operation.id}",
        "verbatim.request_id": RequestCall(scope, None).request_id,
    }
    if scope["client"] is not None:
        found["client.address"] = scope["client"][0]
    if start is not None:
        found["http.response.status_code"] = start["status"]
        if (b"content-type", _STREAM) in ((name, value[: len(_STREAM)]) for name, value in start["headers"]):
            found["gen_ai.request.stream"] = True
    return found


def error_type(trace: RequestTrace) -> str | None:
    """Return the kind of the error that a request ended with; None if it succeeded."""
    if trace.failure is not None:
        return trace.failure
    if trace.status is None:
        return "dropped"
    return str(trace.status) if trace.status >= 400 else None


def operation_name(endpoint: Endpoint) -> str:
    """Return the kind of an operation that generates."""
    contract = endpoint.contract
    assert isinstance(contract, ModelContract)
    for name, ids in (
        ("chat", contract.chat_operations),
        ("embeddings", contract.embedding_operations),
        ("transcription", contract.transcription_operations),
    ):
        if endpoint.operation.id in ids:
            return name
    return "text_completion"


def generated_attributes(trace: RequestTrace, model: str) -> Attributes:
    """Return the attributes of what was generated, if anything was asked for. model: the served model."""
    timing = trace.timing
    if timing is None or not timing.is_validated:
        return {}
    model = trace.adapter or model
    found: Attributes = {
        "gen_ai.request.model": model,
        "gen_ai.response.model": model,
        "gen_ai.usage.input_tokens": timing.num_prompt_tokens,
        "gen_ai.usage.output_tokens": timing.num_generated_tokens,
    }
    if "gen_ai.request.stream" in trace.attributes and timing.first_token_s is not None:
        first_token_s = timing.started + timing.first_token_s - trace.arrived_s
        found["gen_ai.response.time_to_first_chunk"] = first_token_s
    if trace.num_cached_tokens:
        found["gen_ai.usage.cache_read.input_tokens"] = trace.num_cached_tokens
    if trace.finishes:
        found["gen_ai.response.finish_reasons"] = tuple(_finish_reasons(trace))
    return found


def _finish_reasons(trace: RequestTrace) -> Iterator[str]:
    for (_, index), finish in sorted(trace.finishes.items(), key=_index):
        if finish is FinishReason.LENGTH:
            yield "length"
        else:
            yield "tool_call" if trace.calls.num_calls.get(index) else "stop"


def _index(item: tuple[tuple[str, int], Any]) -> int:
    return item[0][1]
