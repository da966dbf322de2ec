"""The reader of an ASGI request, which gives the arguments of a handler's method."""

import json
from collections.abc import Callable, Iterator
from email.message import Message
from functools import cache
from math import isinf
from typing import Any, Final, NoReturn
from urllib.parse import parse_qsl

from pydantic import ValidationError
from pydantic_core import CoreSchema, from_json, to_json
from starlette.datastructures import Headers
from starlette.types import Receive, Scope

from verbatim_kit.errors import Violation
from verbatim_kit.runtime.operation import Operation
from verbatim_kit.runtime.problem import InvalidRequest, InvalidValue, UnsupportedCoding, UnsupportedMediaType
from verbatim_kit.runtime.reading.complaint import Path
from verbatim_kit.runtime.reading.fail_fast import fail_fast_schema, fail_fast_validator
from verbatim_kit.runtime.reading.form.form_reader import FormReader
from verbatim_kit.runtime.reading.form.part import Part
from verbatim_kit.runtime.reading.ignored_fields import IgnoredNames, taking_unknown_fields
from verbatim_kit.runtime.reading.invalid import explain, render_path
from verbatim_kit.runtime.reading.raw_request import body_chunks, raw_header
from verbatim_kit.runtime.reading.scalar import read_scalar
from verbatim_kit.runtime.reading.structure import SHORT_BYTES, TooManyValues, check_structure
from verbatim_kit.runtime.reading.unknown_fields import (
    are_too_many,
    field_names,
    may_be_too_many,
    without_most,
)
from verbatim_kit.runtime.runtime_options import RuntimeOptions

# Every digit is 0 in this alphabet, so that numbers of one length and notation look the same.
_DIGITS: Final = bytes.maketrans(b"123456789E", b"000000000e")
# No float overflows without one of these: an exponent of three digits, or two hundred digits before it.
_EXPONENT, _SIGNED_EXPONENT, _LONG = b"e000", b"e+000", b"0" * 200


class RequestReader:
    """The reader and validator of one operation's parameters and body."""

    def __init__(self, operation: Operation, options: RuntimeOptions) -> None:
        self._operation = operation
        self._max_body_bytes = options.max_body_bytes
        self._bodies = options.bodies
        self._body = (
            _declared_body(operation.body, options.ignores_unknown_fields) if operation.body else None
        )
        self._arguments = _declared(operation.arguments) if operation.arguments else None
        self._form = (
            FormReader(operation.form, self._status(), options.max_upload_bytes) if operation.form else None
        )

    def read_arguments(self, scope: Scope) -> dict[str, Any]:
        """Return the handler's arguments from the parameters. Raises InvalidRequest."""
        return {} if self._arguments is None else {"arguments": self._read_arguments(scope)}

    async def read_body(
        self, scope: Scope, receive: Receive, has_arrived: Callable[[], object], ignored: IgnoredNames
    ) -> dict[str, Any]:
        """Return the handler's arguments from the body. has_arrived: called when all of it has come.

        ignored: gets the names of the fields that are taken without effect.
        Raises InvalidRequest, UnsupportedMediaType or BodyTooLarge.
        """
        if self._body is None:
            has_arrived()
            return {}
        if coding := raw_header(scope, b"content-encoding"):
            _refuse_coding(coding.decode("latin-1"))
        if self._form is not None:
            parts = await self._form.receive(scope, receive)
            has_arrived()
            num_bytes = sum(len(part.content) for part in parts)
            body = await self._bodies.read(num_bytes, self._read_form, self._form, self._body, parts, ignored)
            return {"body": body}
        operation = self._operation
        takes_json_alone = not operation.reads_any_media_type
        if takes_json_alone and operation.is_body_required:
            _require_json(scope)
        chunks = [chunk async for chunk in body_chunks(scope, receive, self._max_body_bytes)]
        has_arrived()
        num_bytes = sum(map(len, chunks))
        if not num_bytes and not operation.is_body_required:
            return {"body": None}
        if takes_json_alone and not operation.is_body_required:
            _require_json(scope)
        return {"body": await self._bodies.read(num_bytes, self._validate_chunks, chunks, ignored)}

    def _read_form(
        self, form: FormReader, declared: "_Declared", parts: list[Part], ignored: IgnoredNames
    ) -> Any:
        values = form.values(parts)
        try:
            return declared.validator.validate_python(values, context=ignored)
        except ValidationError as error:
            invalid = form.as_sent(explain(error, values, declared.schema))
            raise InvalidRequest(self._status(), invalid) from None

    def _validate_chunks(self, chunks: list[bytes], ignored: IgnoredNames) -> Any:
        """Return the body. The chunks are taken, so that they are not kept beside what is made of them."""
        raw = b"".join(chunks)
        chunks.clear()
        return self._validate_body(raw, ignored)

    def _validate_body(self, raw: bytes, ignored: IgnoredNames) -> Any:
        assert self._body is not None
        is_short = len(raw) <= SHORT_BYTES
        outside = raw if is_short else self._check_structure(raw)
        if may_be_too_many(outside):
            self._refuse_unknown_fields(raw, self._body)
        try:
            body = self._body.validator.validate_json(raw, context=ignored)
        except ValidationError as error:
            self._refuse(error, raw, self._body)
        # Strings are taken out of a short body only where they may hold what is looked for: few do.
        if _may_have_constant(outside) or _may_overflow(outside):
            self._check_numbers(raw, check_structure(raw) if is_short else outside)
        return body

    def _check_numbers(self, raw: bytes, outside: bytes) -> None:
        """Refuse what pydantic takes for a number and JSON does not. outside: as of `check_structure`."""
        if _may_have_constant(outside):
            self._refuse_constants(raw)
        if _may_overflow(outside):
            self._refuse_infinity(raw)

    def _check_structure(self, raw: bytes) -> bytes:
        try:
            return check_structure(raw)
        except TooManyValues as error:
            reason = str(error) if error.field else f"The body {error}"
            raise InvalidRequest(
                self._status(), InvalidValue(error.field, reason, Violation.TOO_LONG, None)
            ) from None

    def _refuse(self, error: ValidationError, raw: bytes, declared: "_Declared") -> NoReturn:
        status = self._status()
        first = error.errors(include_url=False)[0]
        if first["type"] == "json_invalid":
            violation = Violation.MALFORMED_JSON if _is_utf8(raw) else Violation.INVALID_UTF8
            raise InvalidRequest(status, InvalidValue("", first["msg"], violation, None)) from None
        raise InvalidRequest(status, explain(error, from_json(raw), declared.schema)) from None

    def _refuse_unknown_fields(self, raw: bytes, declared: "_Declared") -> None:
        """Refuse an object with too many unknown fields to validate; a value that passes may have
        other errors.
        """
        try:
            value = from_json(raw)
        except ValueError:
            return
        if are_too_many(value):
            fewer = to_json(without_most(value, declared.field_names), inf_nan_mode="constants")
            try:
                declared.validator.validate_json(fewer)
            except ValidationError as error:
                self._refuse(error, fewer, declared)

    def _refuse_constants(self, raw: bytes) -> None:
        """Refuse NaN and Infinity, which pydantic takes where any value may stand, and RFC 8259
        does not have.
        """
        try:
            json.loads(raw, parse_constant=_refuse_constant)
        except ValueError as error:
            invalid = InvalidValue("", f"Invalid JSON: {error}", Violation.MALFORMED_JSON, None)
            raise InvalidRequest(self._status(), invalid) from None

    def _refuse_infinity(self, raw: bytes) -> None:
        """Refuse a number too large for a float, which pydantic reads as infinity where any
        value may stand.
        """
        for path in _infinities(from_json(raw), ()):
            invalid = InvalidValue(
                render_path(path), "must be a finite number", Violation.INVALID_VALUE, None
            )
            raise InvalidRequest(self._status(), invalid)

    def _read_arguments(self, scope: Scope) -> Any:
        assert self._arguments is not None
        values = self._parameter_values(scope)
        try:
            return self._arguments.validator.validate_python(values)
        except ValidationError as error:
            invalid = explain(error, values, self._arguments.schema)
            raise InvalidRequest(self._status(), self._as_sent(invalid)) from None

    def _parameter_values(self, scope: Scope) -> dict[str, Any]:
        headers = Headers(scope=scope)
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = {
            "path": scope.get("path_params", {}).items(),
            "query": query,
            "header": headers.items(),
        }
        values: dict[str, Any] = {}
        for parameter in self._operation.parameters:
            name = parameter.name.lower() if parameter.location == "header" else parameter.name
            texts = [value for key, value in given[parameter.location] if key == name]
            if len(texts) > 1 and not parameter.is_list:
                invalid = InvalidValue(parameter.name, "is given more than once", Violation.REPEATED, texts)
                raise InvalidRequest(self._status(), invalid)
            if texts:
                read = texts if parameter.is_text else [read_scalar(text) for text in texts]
                values[parameter.member] = read if parameter.is_list else read[0]
        return values

    def _as_sent(self, invalid: InvalidValue) -> InvalidValue:
        """Return the error with a list named by the parameter of its items, whichever item is at fault."""
        member = invalid.field.partition("[")[0]
        names = [one.name for one in self._operation.parameters if one.is_list and one.member == member]
        return invalid._replace(field=names[0]) if names else invalid

    def _status(self) -> int:
        assert self._operation.validation_status is not None, "the generator refuses input without one"
        return self._operation.validation_status


class _Declared:
    """The schema, the field names and the validator of a declared type."""

    def __init__(self, schema: CoreSchema) -> None:
        self.schema = schema
        self.field_names = field_names(self.schema)
        self.validator = fail_fast_validator(self.schema)


@cache
def _declared(declared: Any) -> _Declared:
    """Return the schema and validator of a type, made once: a contract is mounted at the root and under its
    prefix, and tests make many servers.
    """
    return _Declared(fail_fast_schema(declared))


@cache
def _declared_body(declared: Any, ignores_unknown_fields: bool) -> _Declared:
    schema = fail_fast_schema(declared)
    return _Declared(taking_unknown_fields(schema, takes_all=ignores_unknown_fields))


def _require_json(scope: Scope) -> None:
    raw = raw_header(scope, b"content-type") or b""
    if raw == b"application/json":
        return
    content_type = raw.decode("latin-1")
    header = Message()
    header["content-type"] = content_type
    kind, _, subtype = header.get_content_type().partition("/")
    is_json = kind == "application" and (
        subtype == "json" or subtype.endswith("+json")
    )  # RFC 6839, section 3.1
    if not is_json or header.get_content_charset("utf-8") not in ("utf-8", "utf8"):
        raise UnsupportedMediaType(content_type)


def _refuse_coding(coding: str) -> None:
    """Raise UnsupportedCoding for any but `identity` (RFC 9110, section 8.4)."""
    if coding.strip().lower() not in ("", "identity"):
        raise UnsupportedCoding(coding)


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _may_have_constant(text: bytes) -> bool:
    """Return, without parsing, whether a body of JSON text can have a NaN or an Infinity."""
    return b"NaN" in text or b"Infinity" in text


def _may_overflow(raw: bytes) -> bool:
    """Return, without parsing, whether a body of JSON text can have a number too large for a float."""
    text = raw.translate(_DIGITS)
    return _EXPONENT in text or _SIGNED_EXPONENT in text or _LONG in text


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def _infinities(value: Any, path: Path) -> Iterator[Path]:
    """Yield the paths of the infinities in a parsed value."""
    if not isinstance(value, dict | list):
        value, path = {path[-1:]: value}, path[:-1]
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(inner, float):  # here, and not by a call for each, as there may be many
            if isinf(inner):
                yield (*path, key)
        elif isinstance(inner, dict | list):
            yield from _infinities(inner, (*path, key))
