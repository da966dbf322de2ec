"""Runs datamodel-code-generator for callers: they send dictionaries, and get pydantic models."""

import json
import re
from typing import Any

from verbatim_kit.generate.documents.document import Document, Pointer, Schema, SpecError
from verbatim_kit.generate.documents.reach import reachable
from verbatim_kit.generate.documents.schemas import map_schemas
from verbatim_kit.generate.documents.unknown_fields import closed
from verbatim_kit.generate.models import run_generator, top_level_names, without_deprecated
from verbatim_kit.generate.reading.form import bare_form, is_file
from verbatim_kit.generate.sdk.call import Call

_SHARED: dict[str, Any] = {
    "input_file_type": "openapi",
    "preset": "standard-py311-20261027",
    "disable_timestamp": True,
    "formatters": [],
    "enum_field_as_literal": "all",
    "use_type_alias": True,
    "use_tag_as_union_variant_name": True,
    "use_field_description": True,
    "use_schema_description": True,
    "use_single_line_docstring": True,
    "strict_refs": True,
}
# datamodel-code-generator takes no relative import; this name is replaced by one in what it writes.
_RUNTIME = "client_runtime"
# A TypedDict takes what callers write, dictionaries, and leaves it to the server to judge them.
_REQUESTS = _SHARED | {
    "output_model_type": "typing.TypedDict",
    "use_generic_container_types": True,
    "custom_file_header": '"""The parts of requests: dictionaries of these forms."""',
}
# Members' docstrings come with a word to pydantic to read them, for which it parses each module at import.
_READ_DOCSTRINGS = r" {4}model_config = ConfigDict\(\n {8}use_attribute_docstrings=True,\n {4}\)\n(?= {4})"
# No sentinel for what is absent: an answer's reader wants None.
_ANSWERS = _SHARED | {
    "output_model_type": "pydantic_v2.BaseModel",
    "target_pydantic_version": "2.11",
    "base_class": f"{_RUNTIME}.answer_part.AnswerPart",
    "use_attribute_docstrings": True,
    "allow_population_by_field_name": False,
    "custom_file_header": '"""The parts of answers, events and errors."""',
}
_BOUNDS = (
    ("minimum", "at least {}"),
    ("exclusiveMinimum", "more than {}"),
    ("maximum", "at most {}"),
    ("exclusiveMaximum", "less than {}"),
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("minItems", "at least {} items"),
    ("maxItems", "at most {} items"),
    ("pattern", "matches `{}`"),
)


def render_requests(document: Document, calls: list[Call]) -> str:
    """`requests.py`; empty but for its docstring where no operation has a body."""
    forms = {call.form: call for call in calls if call.body is not None and call.form is not None}
    schemas = dict(document.get("components", {}).get("schemas", {}))
    for form, call in forms.items():
        schemas[form] = _form_of(call, schemas[str(call.body)])
    needed = reachable({**document, "components": {"schemas": schemas}}, forms)
    return _render(map_schemas(needed, _as_remark), set(forms), _REQUESTS)


def render_answers(document: Document, calls: list[Call]) -> str:
    """`models.py`."""
    models = {name for call in calls for name in call.answer_models}
    needed = map_schemas(reachable(document, models), _open)
    return _render(needed, models, _ANSWERS)


def _render(document: Document, names: set[str], options: dict[str, Any]) -> str:
    if not names:
        return f"{options['custom_file_header']}\n"
    source = run_generator(map_schemas(document, _for_callers), options)
    for name in sorted(names - top_level_names(source)):
        raise SpecError(("components", "schemas", name), "clients refer to it, but no type has its name")
    return re.sub(_READ_DOCSTRINGS, "", source).replace(f"from {_RUNTIME}.", "from ..runtime.")


def _for_callers(schema: Schema, at: Pointer) -> Schema:
    bare = closed(without_deprecated(schema, at), at)
    return {**bare, "customTypePath": f"{_RUNTIME}.upload.Upload"} if is_file(bare) else bare


def _form_of(call: Call, schema: Schema) -> Schema:
    """The schema of a body as a caller gives it."""
    named = bare_form(schema) if call.operation.form else schema
    return _without_stream(named) if call.chooses_stream else named


def _without_stream(schema: Schema) -> Schema:
    """The client sets `stream` by which method is called."""
    properties = {key: value for key, value in schema["properties"].items() if key != "stream"}
    required = [key for key in schema.get("required", []) if key != "stream"]
    return {**schema, "properties": properties, "required": required}


def _as_remark(schema: Schema, at: Pointer) -> Schema:
    """Members' defaults and bounds as words, since a TypedDict has no other place for them."""
    if "properties" not in schema:
        return schema
    return {**schema, "properties": {name: _remarked(inner) for name, inner in schema["properties"].items()}}


def _remarked(schema: Any) -> Any:
    if not isinstance(schema, dict) or "$ref" in schema:
        return schema
    bounds = [text.format(schema[key]) for key, text in _BOUNDS if key in schema]
    remarks = [", ".join(bounds)[:1].upper() + ", ".join(bounds)[1:] + "."] if bounds else []
    if schema.get("default") is not None:
        remarks.append(f"Default: `{json.dumps(schema['default'], ensure_ascii=False)}`.")
    described = {"description": " ".join([schema.get("description", "").rstrip(), *remarks]).strip()}
    return {**schema, **described} if described["description"] else schema


def _open(schema: Schema, at: Pointer) -> Schema:
    """A closed object takes members that a newer server may add."""
    return {k: v for k, v in closed(schema, at).items() if (k, v) != ("additionalProperties", False)}
