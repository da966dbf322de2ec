"""The declaration of one status of an operation, and the check of answers against it."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from verbatim_kit.judge.exchange import Fault, Headers
from verbatim_kit.judge.json_text import NotJson, read_json
from verbatim_kit.judge.media_type import MediaType, read_media_type
from verbatim_kit.judge.references import resolve
from verbatim_kit.judge.schemas import Rule, Schemas
from verbatim_kit.judge.streams.laws import read_laws
from verbatim_kit.judge.streams.stream import EventRules, StreamJudge
from verbatim_kit.openapi.streams import EVENT_NAME, TERMINATOR, is_lines, is_stream

_FILE: Final = "application/octet-stream"
_SCALARS: Final = frozenset({"integer", "number", "boolean"})


class DeclaredAnswer:
    """The declared answer of one status. Raises ValueError for a declaration that cannot be read."""

    def __init__(self, document: dict[str, Any], node: dict[str, Any], schemas: Schemas) -> None:
        self._media: dict[MediaType, Rule | EventRules] = {
            read_media_type(name): _rules(name, media, schemas)
            for name, media in node.get("content", {}).items()
        }
        self._headers = {
            name.lower(): _DeclaredHeader(document, resolve(document, header), schemas)
            for name, header in node.get("headers", {}).items()
        }

    def head_faults(self, headers: Headers) -> list[Fault]:
        """Return the faults of the answer's headers, its media type among them."""
        return [*self._media_faults(headers), *self._header_faults(headers)]

    def events(self, headers: Headers) -> EventRules | None:
        """Return the rules of the answer's stream, if it is a declared stream."""
        rules = self._rules(headers)
        return rules if isinstance(rules, EventRules) else None

    def body_faults(self, headers: Headers, body: bytes, request: bytes | None) -> list[Fault]:
        """Return the faults of a whole body; none if its media type is not declared."""
        if not self._media:
            return [Fault("media-type", "body", "No body is declared")] if body else []
        rules = self._rules(headers)
        if isinstance(rules, EventRules):
            judge = StreamJudge(rules, request_value(request))
            return [*judge.feed(body), *judge.end()]
        return _whole_faults(rules, headers, body) if rules else []

    def _rules(self, headers: Headers) -> Rule | EventRules | None:
        sent = read_media_type(one_of(headers, "content-type") or "")
        return next((rules for declared, rules in self._media.items() if declared.includes(sent)), None)

    def _media_faults(self, headers: Headers) -> Iterator[Fault]:
        sent = one_of(headers, "content-type")
        if self._media and self._rules(headers) is None:
            declared = " or ".join(map(str, self._media))
            yield Fault("media-type", "header content-type", f"{sent!r} is not declared, {declared} is")
        if not self._media and sent is not None:
            yield Fault("media-type", "header content-type", f"{sent!r} is sent where no body is declared")

    def _header_faults(self, headers: Headers) -> Iterator[Fault]:
        names = [name.lower() for name, _ in headers]
        for name in ("content-type", "content-length", *self._headers):
            if names.count(name) > 1:
                yield Fault("header", f"header {name}", "It is sent more than once")
        for name, declared in self._headers.items():
            yield from declared.faults(one_of(headers, name), f"header {name}")


class _DeclaredHeader:
    def __init__(self, document: dict[str, Any], node: dict[str, Any], schemas: Schemas) -> None:
        self._is_required = node.get("required", False)
        schema = resolve(document, node.get("schema", {}))
        kinds = schema.get("type", [])
        self._is_text = not _SCALARS.intersection([kinds] if isinstance(kinds, str) else kinds)
        self._rule = schemas.rule(schema)

    def faults(self, value: str | None, place: str) -> list[Fault]:
        if value is None:
            return [Fault("header", place, "It is missing")] if self._is_required else []
        try:
            parsed = value if self._is_text else read_json(value.encode())
        except NotJson:
            parsed = value  # which its schema refuses
        return [Fault("header", place, fault.message) for fault in self._rule.faults(parsed, place)]


def one_of(headers: Headers, name: str) -> str | None:
    """Return the first value of a header. name: in lower case."""
    return next((value.strip() for key, value in headers if key.lower() == name), None)


def request_value(body: bytes | None) -> Any:
    """Return the request's body as JSON; None if it is no JSON."""
    try:
        return read_json(body) if body else None
    except NotJson:
        return None


def _rules(name: str, media: Mapping[str, Any], schemas: Schemas) -> Rule | EventRules:
    rule = schemas.rule(media["schema"])
    if not is_stream(name):
        return rule
    laws = read_laws(media.get("x-stream", []), schemas)
    return EventRules(is_lines(name), rule, media.get(EVENT_NAME), media.get(TERMINATOR), laws)


def _whole_faults(rule: Rule, headers: Headers, body: bytes) -> list[Fault]:
    if read_media_type(one_of(headers, "content-type") or "").is_json:
        try:
            return rule.faults(read_json(body), "body")
        except NotJson as error:
            return [Fault("json", "body", str(error))]
    if read_media_type(one_of(headers, "content-type") or "").name == _FILE:
        return []  # any bytes are a file
    try:
        return rule.faults(body.decode(), "body")
    except UnicodeDecodeError as error:
        return [Fault("media-type", "body", f"It is not UTF-8: {error}")]
