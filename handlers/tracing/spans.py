"""The spans of a request, from its visit; pure.

Names and attributes are those of OpenTelemetry's semantic conventions for HTTP servers and for generative AI.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from engine.port.events import FinishReason
from handlers.access.visits.visit import Visit
from handlers.served_model.model_contract import ModelContract
from verbatim_kit.runtime.endpoint import Endpoint

Attributes: TypeAlias = dict[str, str | bool | int | float | tuple[str, ...]]

# Parameters that are left out where they change nothing, with the values of which that is so.
_NEUTRAL: Final = {
    "top_p": 1.0,
    "top_k": None,
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
    "choice.count": 1,
}


class Phase(NamedTuple):
    """A span below the request's; times in seconds of `perf_counter`."""

    name: str
    begun_s: float
    ended_s: float
    attributes: Attributes = {}


def phases_of(visit: Visit) -> Iterator[Phase]:
    """Yield the phases of a request that have begun, in their order.

    Of several prompts or sequences, `queue` and `prefill` are those of the first token, and `decode` lasts to
    the last one. Nothing says how the time in the engine divides until the first token comes.
    """
    timing = visit.timing
    if timing is None:
        return
    if not timing.is_validated:
        yield Phase("prepare", timing.started, visit.ended_s)
        return
    submitted_s = timing.started + timing.validation_s
    yield Phase("prepare", timing.started, submitted_s)
    if timing.first_token_s is None:
        yield Phase("engine", submitted_s, visit.ended_s)
        return
    first_token_s = timing.started + timing.first_token_s
    prefill_s = min(first_token_s, submitted_s + timing.queue_s)
    yield Phase("queue", submitted_s, prefill_s)
    yield Phase("prefill", prefill_s, first_token_s)
    if timing.num_generated_tokens > 1:
        last_token_s = timing.started + timing.last_token_s if timing.last_token_s else visit.ended_s
        yield Phase("decode", first_token_s, last_token_s)
    calls = visit.calls
    if calls is not None and calls.begun_s is not None:
        number = sum(calls.num_calls.values())
        yield Phase("tool_calls", calls.begun_s, calls.ended_s, {"verbatim.tool_calls": number})


def name_of(visit: Visit) -> str:
    """Return the name of a request's own span: method and route."""
    return f"{visit.method} {_route(visit)}"


def has_failed(visit: Visit) -> bool:
    """Return whether the server failed or the client left; a refusal is the client's own fault."""
    status = visit.error_status or visit.status
    is_refusal = visit.end == "error" and status is not None and 400 <= status < 500
    return visit.end != "complete" and not is_refusal


def attributes_of(visit: Visit, model: str) -> Attributes:
    """Return the attributes of a request's own span. model: the served model's name."""
    endpoint, status = visit.endpoint, visit.status
    assert endpoint is not None
    found: Attributes = {
        "http.request.method": visit.method,
        "http.route": _route(visit),
        "url.path": visit.path,
        "url.scheme": visit.scheme,
        "verbatim.operation": f"{endpoint.contract.name}.{endpoint.operation.id}",
        "verbatim.request_id": visit.request_id,
    }
    if visit.client is not None:
        found["client.address"] = visit.client
    if status is not None:
        found["http.response.status_code"] = status
    if visit.end != "complete":
        found["error.type"] = visit.error or visit.end
    if visit.is_stream:
        found["gen_ai.request.stream"] = True
    if visit.is_generating:
        found["gen_ai.operation.name"] = _operation_name(endpoint)
        found["gen_ai.provider.name"] = "verbatim"
    for name, value in visit.parameters.items():
        if value is not None and value != _NEUTRAL.get(name):
            found[f"gen_ai.request.{name}"] = value
    return found | _engine_attributes(visit, model)


def _engine_attributes(visit: Visit, model: str) -> Attributes:
    """Return the attributes of what the engine did, if it was asked."""
    timing = visit.timing
    if timing is None or not timing.is_validated:
        return {}
    model = visit.adapter or model
    found: Attributes = {
        "gen_ai.request.model": model,
        "gen_ai.response.model": model,
        "gen_ai.usage.input_tokens": timing.num_prompt_tokens,
        "gen_ai.usage.output_tokens": timing.num_generated_tokens,
    }
    if visit.is_stream and timing.first_token_s is not None:
        first_token_s = timing.started + timing.first_token_s - visit.started_s
        found["gen_ai.response.time_to_first_chunk"] = first_token_s
    if timing.num_cached_tokens:
        found["gen_ai.usage.cache_read.input_tokens"] = timing.num_cached_tokens
    if timing.finishes:
        found["gen_ai.response.finish_reasons"] = tuple(_finish_reasons(visit))
    return found


def _finish_reasons(visit: Visit) -> Iterator[str]:
    assert visit.timing is not None
    calls = {} if visit.calls is None else visit.calls.num_calls
    for index, finish in sorted(visit.timing.finishes, key=lambda each: each[0]):
        if finish is FinishReason.LENGTH:
            yield "length"
        else:
            yield "tool_call" if calls.get(index) else "stop"


def _route(visit: Visit) -> str:
    assert visit.endpoint is not None
    prefix = f"/{visit.endpoint.contract.name}"
    return (prefix if visit.path.startswith(prefix + "/") else "") + visit.endpoint.operation.path


def _operation_name(endpoint: Endpoint) -> str:
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
