"""The response format, under the names of the two back ends."""

from typing import Any, Final

from generated.triton import models as m
from handlers.chat.structured_output.response_format import (
    AnyJsonObject,
    Choice,
    Ebnf,
    JsonSchema,
    Regex,
    ResponseFormat,
    StructuralTag,
)
from handlers.contracts.triton.generate.members import Members
from handlers.contracts.triton.generate.nested import Nested
from handlers.contracts.triton.generate.sampling_options import read_json
from verbatim_kit.errors import Refused

_OUTPUTS = "structured_outputs"
_GUIDE = "guided_decoding_guide"
_STRUCTURED: Final = Nested(m.StructuredOutputs, _OUTPUTS)


def response_format(members: Members, options: m.SamplingOptions) -> ResponseFormat | None:
    """Return the response format; None for free text.

    Raises Refused, or InvalidResponseFormat for what is no JSON Schema or tag.
    """
    outputs = options.structured_outputs
    kind = None if "sampling_parameters" in members else members.get("guided_decoding_guide_type")
    if kind is not None:
        if isinstance(outputs, str | m.StructuredOutputs):
            raise Refused(f"'{_OUTPUTS}' and '{_GUIDE}_type' both say what the text must be", _OUTPUTS)
        return _guided(kind, members.get(_GUIDE))
    if _GUIDE in members and "sampling_parameters" not in members:
        raise Refused(f"'{_GUIDE}' needs '{_GUIDE}_type'", f"{_GUIDE}_type")
    if isinstance(outputs, str):
        outputs = _STRUCTURED.validate(_object(outputs, _OUTPUTS))
    return _structured(outputs) if isinstance(outputs, m.StructuredOutputs) else None


def _guided(kind: str, guide: str | None) -> ResponseFormat:
    if kind == "json":
        return JsonSchema(True)
    if guide is None:
        raise Refused(f"A guide of the type '{kind}' needs '{_GUIDE}'", _GUIDE)
    match kind:
        case "json_schema":
            return JsonSchema.parse(guide, _GUIDE)
        case "regex":
            return Regex(guide)
        case "ebnf_grammar":
            return Ebnf(guide)
        case _:
            return StructuralTag.parse(_object(guide, _GUIDE), _GUIDE)


def _structured(outputs: m.StructuredOutputs) -> ResponseFormat:
    if len(outputs.model_fields_set) != 1:
        raise Refused(f"'{_OUTPUTS}' must have one member", _OUTPUTS)
    (name,) = outputs.model_fields_set
    value: Any = getattr(outputs, name)
    match name:
        case "json_":
            return JsonSchema.parse(value, f"{_OUTPUTS}.json")
        case "json_object":
            return AnyJsonObject()
        case "regex":
            return Regex(value)
        case "choice":
            return Choice(tuple(value))
        case "grammar":
            return Ebnf(value)
        case _:
            field = f"{_OUTPUTS}.structural_tag"
            return StructuralTag.parse(_object(value, field), field)


def _object(text: str, field: str) -> dict[str, Any]:
    value = read_json(text, field)
    if not isinstance(value, dict):
        raise Refused(f"'{field}' must be the JSON text of an object", field)
    return value
