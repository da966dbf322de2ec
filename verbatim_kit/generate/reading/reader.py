"""Reads operations out of an effective document, and refuses what the generated code could not keep."""

from typing import Any

from verbatim_kit.generate.documents.document import (
    Document,
    Pointer,
    SpecError,
    operations_of,
    render_pointer,
    resolve,
)
from verbatim_kit.generate.reading.answers import JSON, read_errors, read_success
from verbatim_kit.generate.reading.form import FORM, read_form
from verbatim_kit.generate.reading.interface import ErrorAnswer, Interface, ParameterField
from verbatim_kit.generate.reading.naming import is_identifier, pascal_case, snake_case
from verbatim_kit.generate.reading.types import component_type
from verbatim_kit.generate.reading.web_socket import read_web_socket

_RESERVED = {"table"}  # attributes of the emitted base class
_VALIDATION_STATUSES = (400, 422)
_PATH_STYLE = "x-path-parameter"
_ANY_MEDIA_TYPE = "x-any-media-type"
_SCALARS = ("string", "integer", "number", "boolean")


def read_operations(document: Document) -> list[Interface]:
    """Every operation, in document order; SpecError names the first one that cannot be expressed."""
    interfaces: list[Interface] = []
    owners: dict[str, Pointer] = {}
    for path, method, operation, at in operations_of(document):
        interface = _read_operation(document, path, method, operation, at)
        if interface.handler in owners:
            other = render_pointer(owners[interface.handler])
            raise SpecError((*at, "operationId"), f"{interface.id!r} names the same method as {other}")
        owners[interface.handler] = at
        interfaces.append(interface)
    if not interfaces:
        raise SpecError(("paths",), "the document has no operation")
    return interfaces


def parameters_of(
    document: Document, path: str, operation: Document, at: Pointer
) -> list[tuple[Document, Pointer]]:
    """The parameters of an operation and of its path; an operation's own win (OpenAPI 3.1, 4.8.9.1)."""
    found: dict[tuple[str, str], tuple[Document, Pointer]] = {}
    shared = document["paths"][path].get("parameters", [])
    for holder, items in ((("paths", path), shared), (at, operation.get("parameters", []))):
        for index, item in enumerate(items):
            parameter, place = resolve(document, item, (*holder, "parameters", str(index)))
            found[parameter["name"], parameter["in"]] = (parameter, place)
    return list(found.values())


def member_name(parameter: Document, schema: Document) -> str:
    """The name of a parameter among the arguments, without brackets after a list's name."""
    name: str = parameter["name"]
    return name.removesuffix("[]") if is_list(schema) else name


def is_list(schema: Document) -> bool:
    return _kinds_of(schema) == ["array"]


def _read_operation(
    document: Document, path: str, method: str, operation: Document, at: Pointer
) -> Interface:
    if method not in ("get", "post", "put", "patch", "delete"):
        raise SpecError(at, f"{method.upper()} is answered by the server itself and cannot be an operation")
    identity = operation.get("operationId")
    if not identity:
        raise SpecError(at, "operationId is missing")
    handler = snake_case(identity)
    if not is_identifier(handler) or handler in _RESERVED:
        raise SpecError((*at, "operationId"), f"{identity!r} cannot name a method")
    parameters = _read_parameters(document, path, operation, at)
    body = _read_body(document, operation, at)
    errors = read_errors(document, operation, at)
    key_headers = _read_key_headers(document, operation, at)
    takes_input = body["body"] is not None or bool(parameters)
    _require_answers(takes_input, bool(key_headers), errors, at)
    success = read_success(document, operation, at)
    return Interface(
        id=identity,
        handler=handler,
        method=method.upper(),
        path=path,
        summary=operation.get("summary", "").strip(),
        parameters=parameters,
        errors=errors,
        validation_status=_validation_status(document, operation, errors, at) if takes_input else None,
        key_headers=key_headers,
        arguments_model=f"{pascal_case(identity)}Arguments",
        headers_class=f"{pascal_case(identity)}Headers",
        web_socket=read_web_socket(document, operation, at, success["event"]),
        **body,
        **success,
    )


def _read_parameters(
    document: Document, path: str, operation: Document, at: Pointer
) -> tuple[ParameterField, ...]:
    fields: dict[str, ParameterField] = {}
    for parameter, place in parameters_of(document, path, operation, at):
        name, location = parameter["name"], parameter["in"]
        if location not in ("path", "query", "header"):
            raise SpecError(place, f"parameter {name!r} in {location!r} is not supported")
        if name in fields:
            raise SpecError(place, f"parameter {name!r} stands in {location!r} and elsewhere")
        schema, schema_at = resolve(document, parameter.get("schema", {}), (*place, "schema"))
        has_items = is_list(schema)
        if has_items:
            _require_repeated(parameter, place)
            schema, schema_at = resolve(document, schema.get("items", {}), (*schema_at, "items"))
        what = f"an item of parameter {name!r}" if has_items else f"parameter {name!r}"
        fields[name] = ParameterField(
            name,
            location,
            is_text=_scalar_of(schema, schema_at, what) == "string",
            is_list=has_items,
            takes_slashes=_takes_slashes(parameter, place),
        )
    declared = {field.name for field in fields.values() if field.location == "path"}
    if declared != _template_names(path):
        raise SpecError(at, f"path parameters {sorted(declared)} are not those of the path template")
    return tuple(fields.values())


def _takes_slashes(parameter: Document, at: Pointer) -> bool:
    if _PATH_STYLE not in parameter:
        return False
    if (parameter["in"], parameter[_PATH_STYLE]) != ("path", "path"):
        raise SpecError((*at, _PATH_STYLE), "stands beside a path parameter alone, and is `path`")
    return True


def _scalar_of(schema: Document, at: Pointer, what: str) -> str:
    kinds = _kinds_of(schema)
    if len(kinds) != 1 or kinds[0] not in _SCALARS:
        raise SpecError(at, f"{what} must be a string, integer, number or boolean")
    return kinds[0]


def _require_repeated(parameter: Document, at: Pointer) -> None:
    """Items under one name, again and again: what a query has if nothing is said (OpenAPI 3.1, 4.8.12.2)."""
    is_repeated = parameter.get("style", "form") == "form" and parameter.get("explode", True) is True
    if parameter["in"] != "query" or not is_repeated:
        raise SpecError(at, f"parameter {parameter['name']!r}: an array stands in the query, an item a time")


def _kinds_of(schema: Document) -> list[str]:
    """Its types but null."""
    kind = schema.get("type", [])
    return [one for one in (kind if isinstance(kind, list) else [kind]) if one != "null"]


def _template_names(path: str) -> set[str]:
    return {part.split("}")[0] for part in path.split("{")[1:]}


def _read_body(document: Document, operation: Document, at: Pointer) -> dict[str, Any]:
    """The fields of `Interface` that tell of the body."""
    if "requestBody" not in operation:
        return {"body": None, "is_body_required": True, "reads_any_media_type": False, "form": ()}
    body, place = resolve(document, operation["requestBody"], (*at, "requestBody"))
    content = body.get("content", {})
    if list(content) not in ([JSON], [FORM]):
        raise SpecError((*place, "content"), f"a body must be {JSON} or {FORM} alone, not {list(content)}")
    if body.get("required") not in (True, False):  # false by default, which is seldom meant
        raise SpecError(place, "must say `required: true`, or `required: false`")
    media_type = next(iter(content))
    schema_at = (*place, "content", media_type, "schema")
    return {
        "body": component_type(content[media_type].get("schema"), schema_at),
        "is_body_required": body["required"],
        "reads_any_media_type": body.get(_ANY_MEDIA_TYPE) is True,
        "form": read_form(document, body, place) if media_type == FORM else (),
    }


def _require_answers(has_input: bool, is_secured: bool, errors: tuple[ErrorAnswer, ...], at: Pointer) -> None:
    statuses = {error.status for error in errors}
    if has_input and not statuses & set(_VALIDATION_STATUSES):
        raise SpecError((*at, "responses"), "an operation that takes input must declare 400 or 422")
    if is_secured and 401 not in statuses:
        raise SpecError((*at, "responses"), "a secured operation must declare 401")


def _validation_status(
    document: Document, operation: Document, errors: tuple[ErrorAnswer, ...], at: Pointer
) -> int:
    declared = [error.status for error in errors if error.status in _VALIDATION_STATUSES]
    chosen = operation.get("x-validation-status", document.get("x-validation-status"))
    if chosen is None and len(declared) > 1:
        raise SpecError((*at, "responses"), "declares 400 and 422; x-validation-status must choose")
    if chosen is not None and chosen not in declared:
        raise SpecError((*at, "responses"), f"x-validation-status is {chosen}, which is not declared")
    return int(chosen or declared[0])


def _read_key_headers(document: Document, operation: Document, at: Pointer) -> tuple[str, ...]:
    """The headers that may carry the key, in lower case; none for an operation without one."""
    requirements: Any = operation.get("security", document.get("security", []))
    schemes = document.get("components", {}).get("securitySchemes", {})
    if any(len(requirement) > 1 for requirement in requirements):
        raise SpecError((*at, "security"), "a requirement of several schemes at once is not supported")
    names = [name for requirement in requirements for name in requirement]
    return tuple(dict.fromkeys(_key_header(name, schemes.get(name, {}), at) for name in names))


def _key_header(name: str, scheme: Document, at: Pointer) -> str:
    match scheme:
        case {"type": "http", "scheme": str(kind)} if kind.lower() == "bearer":
            return "authorization"
        case {"type": "apiKey", "in": "header", "name": str(header)} if header.lower() != "authorization":
            return header.lower()
    reason = "http bearer and an apiKey in a header of its own are"
    raise SpecError((*at, "security"), f"scheme {name!r} is not supported; {reason}")
