"""The reader of a multipart body, which gives the values that its model is validated from."""

from collections.abc import Iterable
from typing import Any, Final

from python_multipart.multipart import parse_options_header
from starlette.types import Receive, Scope

from verbatim_kit.errors import Violation
from verbatim_kit.runtime.operation import FormField
from verbatim_kit.runtime.problem import InvalidRequest, InvalidValue, UnsupportedMediaType
from verbatim_kit.runtime.reading.form.form_parser import FormParser
from verbatim_kit.runtime.reading.form.part import MalformedForm, Part
from verbatim_kit.runtime.reading.raw_request import body_chunks, raw_header
from verbatim_kit.runtime.reading.scalar import read_scalar
from verbatim_kit.runtime.upload import Upload

FORM: Final = "multipart/form-data"


class FormReader:
    """The reader of one operation's forms. max_bytes: a longer body is refused, whatever it holds."""

    def __init__(self, fields: Iterable[FormField], status: int, max_bytes: int) -> None:
        """Take the fields of a form. status: the status of the answer to an invalid form."""
        self._fields = {field.name: field for field in fields}
        self._members = frozenset(field.member for field in self._fields.values())
        self._files = frozenset(name for name, field in self._fields.items() if field.kind == "file")
        self._inner = {
            f"{field.name}[{inner.name}]": (field, inner)
            for field in self._fields.values()
            for inner in field.members
        }
        self._status = status
        self._max_bytes = max_bytes

    async def receive(self, scope: Scope, receive: Receive) -> list[Part]:
        """Return the parts of a form once all of them have come.

        Raises InvalidRequest, UnsupportedMediaType or BodyTooLarge.
        """
        boundary = _boundary(scope)
        try:
            if not boundary:
                raise MalformedForm("has no boundary: the content type must name it")
            parser = FormParser(boundary, self._files)
            async for chunk in body_chunks(scope, receive, self._max_bytes):
                parser.write(chunk)
            return parser.end()
        except MalformedForm as error:
            violation = Violation.TOO_LONG if error.is_too_long else Violation.MALFORMED_FORM
            reason = str(error) if error.field else f"The body {error}"
            raise self._invalid(error.field, reason, violation) from None

    def as_sent(self, invalid: InvalidValue) -> InvalidValue:
        """Return the error with a member named as it is sent, and an array rather than one of its items."""
        member, _, inner = invalid.field.partition(".")
        if inner and member in self._fields:
            return invalid._replace(field=f"{member}[{inner}]")
        member = invalid.field.partition("[")[0]
        names = [one.name for one in self._fields.values() if one.member == member and one.name != member]
        return invalid._replace(field=names[0]) if names else invalid

    def values(self, parts: Iterable[Part]) -> dict[str, Any]:
        """Return the values by member, as JSON and Uploads; those of unknown members too.

        Raises InvalidRequest.
        """
        values: dict[str, Any] = {}
        objects: dict[str, dict[str, Any]] = {}
        for part in parts:
            if part.name in self._inner:
                whole, field = self._inner[part.name]
                found = objects.setdefault(whole.member, {})
            else:
                field, found = self._field(part.name), values
            value = self._value(part, field)
            if field.is_list:
                found.setdefault(field.member, []).append(value)
            elif field.member in found:
                raise self._invalid(part.name, "is given more than once", Violation.REPEATED)
            else:
                found[field.member] = value
        if both := values.keys() & objects.keys():
            raise self._invalid(min(both), "is given more than once", Violation.REPEATED)
        return {**values, **objects}

    def _field(self, name: str) -> FormField:
        """Return the field that a part is of.

        A name that the document does not have is taken for a text, which the model may refuse, unless it is
        one that the model has: that of an array without its brackets.
        """
        known = self._fields.get(name)
        if known is None and name in self._members:
            raise self._invalid(name, "is not a field of this object", Violation.UNKNOWN)
        return known or FormField(name, "text")

    def _value(self, part: Part, field: FormField) -> Any:
        if field.kind == "file" or part.filename is not None:
            return Upload(part.filename or "", part.content_type, bytes(part.content))
        try:
            text = part.content.decode()
        except UnicodeDecodeError:
            raise self._invalid(part.name, "must be text in UTF-8", Violation.INVALID_UTF8) from None
        # An object may come as one text.
        is_json = field.kind == "json" or (field.members and text.lstrip().startswith("{"))
        return read_scalar(text) if is_json else text

    def _invalid(self, field: str, reason: str, violation: Violation) -> InvalidRequest:
        return InvalidRequest(self._status, InvalidValue(field, reason, violation, None))


def _boundary(scope: Scope) -> bytes:
    """Return the boundary that the content type names; empty if it names none. Raise UnsupportedMediaType."""
    raw = (raw_header(scope, b"content-type") or b"").decode("latin-1")
    media_type, parameters = parse_options_header(raw)
    if media_type != FORM.encode():
        raise UnsupportedMediaType(raw, FORM)
    return parameters.get(b"boundary", b"")
