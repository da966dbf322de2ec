"""JSON Schemas of the members that clients read from answers, as the authors of the clients wrote them."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Final, Literal

import jsonschema_rs

from handlers.commands.conform.profile.turn import Breach
from verbatim_kit.conform.document import Json
from verbatim_kit.conform.place import render

COMMON: Final = "common"
"""The name of the set of schemas that applies to every program."""

Part = Literal["whole", "event"]


def schema_breaches(names: tuple[str, ...], route: str, part: Part, value: Json) -> Iterator[Breach]:
    """Yield the first difference between an answer, or an event, and the sets of schemas.

    names: of the sets. route: path of the request without its query.
    """
    for name in names:
        schemas = _schemas(name)
        validator = _validator(name, route, part)
        error = next(validator.iter_errors(value), None) if validator else None
        if error is not None:
            place = render(tuple(error.instance_path)) or "the whole value"
            bare = render(tuple(step for step in error.instance_path if isinstance(step, str)))
            kind = f"{bare or 'An answer'} does not match the schema of clients: {error.kind.name}"
            yield Breach(kind, f"{place}: {error.message[:300]}", schemas["why"])
            return


@cache
def _schemas(name: str) -> Mapping[str, Json]:
    text = files(f"{__package__}.schema_sets").joinpath(f"{name}.json").read_text("utf-8")
    schemas: Mapping[str, Json] = json.loads(text)
    return schemas


@cache
def _validator(name: str, route: str, part: Part) -> "jsonschema_rs.Draft202012Validator | None":
    schemas = _schemas(name)
    schema = schemas.get(route, {}).get(part)
    if schema is None:
        return None
    return jsonschema_rs.Draft202012Validator({**schema, "$defs": schemas.get("$defs", {})})
