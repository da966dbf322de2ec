"""Fields that a document does not have: which of them are taken, and how those without effect are named.

A model of the generated code says by `extra` what it does with a field that it does not know:

forbid    it is refused, unless it is null, which means that it is absent
(nothing) it is taken without effect, and its name is kept for the metrics and the log
allow     it is a part of the value, such as an argument of the chat template
"""

import re
from collections import deque
from collections.abc import Iterator, MutableSet, Set
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from pydantic_core import CoreSchema, PydanticKnownError, core_schema

IgnoredNames: TypeAlias = MutableSet[str]
"""The names of a body's ignored fields with their places, as `messages[].timestamp`. It is the context of a
validation."""

_NULL: Final = core_schema.none_schema()
_ANY: Final = core_schema.any_schema()

IGNORED_FIELDS_HEADER: Final = b"x-ignored-fields"
"""The header of an answer that lists them, where the server takes all."""

# Of a header, in which a client chose the names: proxies take a few kilobytes of headers.
_MAX_LISTED: Final = 100
_MAX_CHARACTERS: Final = 1000
_NO_NAME: Final = re.compile(r"[^ -~]")

# The values of a model before it is built: of its fields, of the others, and the names of both.
_Parts: TypeAlias = tuple[dict[str, Any], dict[str, Any] | None, set[str]]


def taking_unknown_fields(schema: CoreSchema, *, takes_all: bool) -> CoreSchema:
    """Return the schema of a body whose models take unknown fields as described above.

    takes_all: whether closed models take them without effect too, but for fields of another alternative of a
    union, since it would be a guess which of the two was meant. The validation's context is IgnoredNames.
    """
    taken: CoreSchema = _taken(schema, _models(schema), takes_all)
    return taken


class _Model(NamedTuple):
    """The place of a model's fields in a body, with the dot before them: the shortest of those that it has.

    rivals: the fields that only other models have, in unions with this one.
    """

    place: str
    rivals: set[str]


def _taken(schema: Any, models: dict[str, _Model], takes_all: bool) -> Any:
    if isinstance(schema, list | tuple):
        return type(schema)(_taken(part, models, takes_all) for part in schema)
    if not isinstance(schema, dict):
        return schema
    copy = {key: _taken(part, models, takes_all) for key, part in schema.items()}
    if copy.get("type") != "model" or copy.get("ref") not in models:
        return copy
    behavior = copy.get("config", {}).get("extra_fields_behavior", "ignore")
    if behavior == "allow":
        return copy
    model = models[copy["ref"]]
    fields = {**copy["schema"], "extra_behavior": "allow"}
    if behavior == "forbid" and not takes_all:
        fields["extras_schema"] = _NULL
        after: Any = core_schema.no_info_after_validator_function(_without_others, fields)
    else:
        if behavior == "forbid" and model.rivals:
            refuse = partial(_refuse_rival, model.rivals)
            fields["extras_keys_schema"] = core_schema.no_info_plain_validator_function(refuse)
        after = core_schema.with_info_after_validator_function(partial(_noted, model.place), fields)
    return {**copy, "schema": after, "config": {**copy["config"], "extra_fields_behavior": "allow"}}


def _refuse_rival(rivals: set[str], name: str) -> str:
    if name in rivals:
        raise PydanticKnownError("extra_forbidden")
    return name


def _without_others(parts: _Parts) -> _Parts:
    fields, others, names = parts
    return (fields, None, names.difference(others)) if others else parts


def _noted(place: str, parts: _Parts, info: core_schema.ValidationInfo) -> _Parts:
    others = parts[1]
    if not others:
        return parts
    if info.context is not None:
        info.context.update(place + name for name, value in others.items() if value is not None)
    return _without_others(parts)


def _models(schema: Any) -> dict[str, _Model]:
    """Return the models of a body by their references in its schema."""
    definitions = {definition["ref"]: definition for definition in schema.get("definitions", ())}

    def resolved(core: Any) -> Any:
        return definitions[core["schema_ref"]] if core["type"] == "definition-ref" else core

    models: dict[str, _Model] = {}
    unions = []
    waiting = deque([(schema, "")])
    while waiting:
        core, place = waiting.popleft()
        core = resolved(core)
        if core["type"] == "model":
            if core["ref"] in models or core["schema"]["type"] != "model-fields":
                continue
            models[core["ref"]] = _Model(f"{place}." if place else "", set())
        inside = list(_inside(core, place))
        waiting.extend(inside)
        if core["type"] == "union":
            unions.append([resolved(choice) for choice, _ in inside])
    for choices in unions:
        names = {one["ref"]: _names(one["schema"]) for one in choices if one.get("ref") in models}
        for ref, own in names.items():
            models[ref].rivals.update(*(others - own for others in names.values()))
    return models


def _names(model_fields: Any) -> set[str]:
    return {field.get("validation_alias", name) for name, field in model_fields["fields"].items()}


def _inside(core: Any, place: str) -> Iterator[tuple[Any, str]]:
    match core["type"]:
        case "model-fields":
            for name, field in core["fields"].items():
                yield field["schema"], f"{place}.{field.get('validation_alias', name)}".removeprefix(".")
        case "list":
            yield core.get("items_schema", _ANY), f"{place}[]"
        case "dict":
            yield core.get("values_schema", _ANY), f"{place}.*"
        case "union":
            yield from (
                (choice[0] if isinstance(choice, tuple) else choice, place) for choice in core["choices"]
            )
        case "tagged-union":
            yield from ((choice, place) for choice in core["choices"].values())
        case _ if "schema" in core:
            yield core["schema"], place


def listed_names(names: Set[str]) -> bytes:
    """Return names as the text of a header, of a bounded length."""
    listed = ", ".join(sorted(names)[:_MAX_LISTED])
    text = listed if len(listed) <= _MAX_CHARACTERS else f"{listed[:_MAX_CHARACTERS]}..."
    return _NO_NAME.sub("?", text).encode("ascii")
