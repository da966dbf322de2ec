"""Requests, generated from a contract's document, that cover its possible answers."""

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from verbatim_kit.generate.documents.document import Document, operations_of, resolve
from verbatim_kit.generate.reading.reader import parameters_of

JSON: Final = "application/json"
_TOOL: Final = {
    "type": "function",
    "function": {"name": "get_time", "parameters": {"type": "object", "properties": {}}},
}
# Sets of fields that change the form of an answer; a set is used for operations that have all its fields.
_VARIATIONS: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"n": 2},
    {"n": 2, "logprobs": True, "top_logprobs": 2},
    {"logprobs": True},
    {"prompt": ""},
    {"max_tokens": 1},
    {"tokens": True, "token_ids": False},
    {"tokens": False, "token_ids": True},
    {"tokens": True, "log_probs": 0, "maximum_tokens": 0},
    {"logprobs": 2, "echo": True},
    {"include": ["message.output_text.logprobs"], "top_logprobs": 1},
    {"stream_options": {"include_usage": True}},
    {"tools": [_TOOL], "tool_choice": "required"},
    {
        "tools": [{"type": "function", "name": "get_time"}],
        "tool_choice": "required",
        "instructions": "Be brief",
    },
    {"details": True, "decoder_input_details": True},
    {"details": True, "decoder_input_details": True, "top_n_tokens": 2},
    {"details": True, "best_of": 2, "do_sample": True},
    {"tokens": True, "log_probs": 1, "echo": True, "raw_completion": True, "n": 2},
    {"use_beam_search": True, "n": 2},
    {"return_finish_reason": True, "return_logprobs": True, "return_num_input_tokens": True, "n": 2},
    {"return_finish_reason": True, "return_log_probs": True, "return_cumulative_logprob": True, "id": "7"},
)
_LENGTHS: Final = (
    "max_tokens",
    "max_new_tokens",
    "maximum_tokens",
    "max_completion_tokens",
    "max_output_tokens",
)
_MOST: Final = 12  # tokens, except for answers that must be complete
_WHOLE: Final = ("tools", "response_format", "grammar", "text")


class Request(NamedTuple):
    """A request. operation: its operationId."""

    operation: str
    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes | None


def good_requests(document: Document, model: str) -> Iterator[Request]:
    """Yield the examples of every operation, unchanged and varied. model: name of the served model."""
    for request, schema, example in _examples(document, model):
        yield request
        if schema is None:
            continue
        for variation in _VARIATIONS:
            for stream in ({}, {"stream": True}):
                if (changes := {**variation, **stream}) and (body := _varied(example, changes, schema)):
                    yield request._replace(body=_dump(body))


def bad_requests(document: Document, model: str, max_body_bytes: int) -> Iterator[Request]:
    """Yield a request of each kind that is refused, for each operation."""
    for request, schema, example in _first_examples(document, model):
        if model in request.path:
            yield request._replace(path=request.path.replace(model, "other"))
            yield request._replace(path=request.path.replace("versions/1", "versions/9"))
        if schema is None:
            continue
        bodies = [{}, {**example, "unknown": 1}, {**example, "model": "other"}, {**example, "stream": 5}]
        texts = [*map(_dump, bodies), b"{", b" " * (max_body_bytes + 1)]
        yield from (request._replace(body=text) for text in texts)
        yield request._replace(headers=(("content-type", "text/plain"),))


def plain_requests(document: Document, model: str) -> Iterator[Request]:
    """Yield a valid request for each operation, streamed and not streamed."""
    for request, schema, example in _first_examples(document, model):
        yield request
        if schema is not None and (body := _varied(example, {"stream": True}, schema)):
            yield request._replace(body=_dump(body))


def _first_examples(document: Document, model: str) -> Iterator[tuple[Request, Any, Any]]:
    seen = set()
    for request, schema, example in _examples(document, model):
        if request.operation not in seen:
            seen.add(request.operation)
            yield request, schema, example


def _examples(document: Document, model: str) -> Iterator[tuple[Request, Any, Any]]:
    """Yield each example request, with the properties of its body's schema and the body; None without one."""
    for path, method, operation, at in operations_of(document):
        filled, headers = path, []
        for parameter, _ in parameters_of(document, path, operation, at):
            if parameter["in"] == "path":
                value = "1" if "version" in parameter["name"] else model
                filled = filled.replace(f"{{{parameter['name']}}}", value)
            elif parameter["in"] == "header" and parameter.get("required"):
                headers.append((parameter["name"], str(parameter["example"])))
        request = Request(operation["operationId"], method.upper(), filled, tuple(headers), None)
        if "requestBody" not in operation:
            yield request, None, None
            continue
        content = resolve(document, operation["requestBody"], at)[0]["content"]
        if JSON not in content:  # a form with a file, which the demo model could not read
            continue
        media = content[JSON]
        shown = [media["example"]] if "example" in media else []
        for body in [*shown, *(example["value"] for example in media.get("examples", {}).values())]:
            yield (
                request._replace(headers=(*headers, ("content-type", JSON)), body=_dump(body)),
                properties(document, media["schema"]),
                body,
            )


def properties(document: Document, schema: Any) -> dict[str, Any]:
    """Return all properties that an object of the schema, or of its alternatives, may have."""
    target, at = resolve(document, schema, ())
    found = dict(target.get("properties", {}))
    for keyword in ("anyOf", "oneOf", "allOf"):
        for branch in target.get(keyword, []):
            found |= properties(document, branch)
    if "parameters" in found:  # the native fields of a prompt
        found["parameters"] = properties(document, found["parameters"])
    return found


def _varied(body: Any, changes: dict[str, Any], known: dict[str, Any]) -> Any:
    """Return the body with changes to its fields or `parameters`; None if a field is unknown."""
    inner = known.get("parameters", {})
    varied, parameters = dict(body), dict(body.get("parameters") or {})
    for name, value in changes.items():
        if name in known:
            varied[name] = value
        elif name in inner:
            parameters[name] = value
        else:
            return None
    is_cut = not any(name in varied or name in parameters for name in _WHOLE)
    for fields, names in ((varied, known), (parameters, inner)):
        for name in _LENGTHS:
            if is_cut and name in names and isinstance(fields.get(name, 99), int):
                fields[name] = min(_MOST, fields.get(name, _MOST))
                break
    return {**varied, **({"parameters": parameters} if parameters else {})}


def _dump(body: Any) -> bytes:
    return json.dumps(body).encode()
