"""The mutants of a recorded answer: of its status, headers and body."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from verbatim_kit.generate.documents.document import Document, Schema, operations_of, resolve
from verbatim_kit.judge.answer import one_of
from verbatim_kit.judge.exchange import Exchange, Headers
from verbatim_kit.judge.media_type import read_media_type
from verbatim_kit.mutate.mutants.declared import Reading
from verbatim_kit.mutate.mutants.seen import Seen
from verbatim_kit.mutate.mutants.stream_mutants import BodyMutant, shape, stream_mutants
from verbatim_kit.mutate.mutants.value_mutants import value_mutants
from verbatim_kit.mutate.mutants.wire import events_of
from verbatim_kit.mutate.recorded import Recorded
from verbatim_kit.openapi.streams import is_stream


class Mutant(NamedTuple):
    """A corrupted exchange. excuse: the reason that the document allows it; None if it does not."""

    kind: str
    place: str
    exchange: Exchange
    excuse: str | None


class Mutator:
    """A generator of mutants for the answers of one contract."""

    def __init__(self, document: Document, recorded: list[Recorded]) -> None:
        """Create the generator. recorded: all answers, from which excuses are derived."""
        self._document = document
        self._reading = Reading(document)
        self._seen = Seen()
        self._known: dict[str, set[Any]] = {}
        self._headers_missed: set[tuple[str, int, str]] = set()
        self._operations = {node["operationId"]: node for _, _, node, _ in operations_of(document)}
        for answer in recorded:
            self._note(answer)

    def mutants(self, recorded: Recorded) -> Iterator[Mutant]:
        """Yield all mutants of an answer."""
        exchange, answer = recorded.exchange, self._answer(recorded)
        yield from self._of_status(recorded)
        yield from _of_media_type(exchange)
        yield from self._of_headers(recorded, answer)
        for kind, place, body, excuse in self._of_body(recorded.operation, exchange, answer):
            yield Mutant(kind, place, with_body(exchange, body), excuse)
        if one_of(exchange.headers, "content-length") and exchange.body:
            yield Mutant("body truncated", "body", exchange._replace(body=exchange.body[:-1]), None)

    def signature(self, recorded: Recorded) -> Any:
        """Return a value that is equal for answers with the same mutants."""
        value, events = self._values(recorded.exchange)
        shapes = shape(value) if events is None else tuple(dict.fromkeys(map(shape, events)))
        names = tuple(sorted(name for name, _ in recorded.exchange.headers))
        return recorded.contract, recorded.operation, recorded.exchange.status, names, shapes

    def _answer(self, recorded: Recorded) -> Document:
        node = self._operations[recorded.operation]["responses"][str(recorded.exchange.status)]
        answer: Document = resolve(self._document, node, ())[0]
        return answer

    def _note(self, recorded: Recorded) -> None:
        exchange, answer = recorded.exchange, self._answer(recorded)
        for name in answer.get("headers", {}):
            if one_of(exchange.headers, name.lower()) is None:
                self._headers_missed.add((recorded.operation, exchange.status, name))
        media = _media(answer, exchange)
        value, events = self._values(exchange)
        for content in events if events is not None else [value]:
            if media is not None and content is not None:
                self._seen.note(self._reading.parts(content, media["schema"]))

    def _values(self, exchange: Exchange) -> tuple[Any, list[Any] | None]:
        """Return the parsed body, or the data of the events."""
        media_type = read_media_type(one_of(exchange.headers, "content-type") or "")
        if is_stream(media_type.name):
            return None, [event.data for event in events_of(exchange.body, media_type.name)]
        return (json.loads(exchange.body) if media_type.is_json else None), None

    def _of_body(self, operation: str, exchange: Exchange, answer: Document) -> Iterator[BodyMutant]:
        media = _media(answer, exchange)
        if media is None:
            yield BodyMutant("body added", "body", b'{"verbatim": "mutant"}', None)
            return
        value, events = self._values(exchange)
        if events is not None:
            known = self._known.setdefault(operation, set())
            media = {**media, "x-stream": self._laws(media, exchange)}
            stream = events_of(exchange.body, one_of(exchange.headers, "content-type") or "")
            yield from stream_mutants(stream, media, self._reading, self._seen, known)
        elif value is not None:
            for kind, place, changed, excuse in value_mutants(
                value, media["schema"], self._reading, self._seen
            ):
                yield BodyMutant(kind, f"body/{place}", json.dumps(changed).encode(), excuse)
            yield BodyMutant("body truncated", "body, length mended", exchange.body[:-1], None)
            yield BodyMutant("body emptied", "body", b"", None)
            if isinstance(value, dict) and value:
                name = json.dumps(next(iter(value))).encode()
                yield BodyMutant("key doubled", "body", exchange.body[:-1] + b"," + name + b":1}", None)
        else:
            yield BodyMutant("body truncated", "text, length mended", exchange.body[:-1], "of any text")
            yield BodyMutant("not UTF-8", "body", b"\xff" + exchange.body, None)

    def _laws(self, media: Schema, exchange: Exchange) -> list[Any]:
        """Return the laws of the stream that apply to the request."""
        request = json.loads(exchange.request_body or b"null")
        return [
            law
            for law in media.get("x-stream", [])
            if "when" not in law or self._reading.admits_value(law["when"], request)
        ]

    def _of_status(self, recorded: Recorded) -> Iterator[Mutant]:
        exchange = recorded.exchange
        responses = self._operations[recorded.operation]["responses"]
        yield Mutant("status changed", "to 418", exchange._replace(status=418), None)
        here = resolve(self._document, responses[str(exchange.status)], ())[0]
        for status, node in responses.items():
            there = resolve(self._document, node, ())[0]
            if int(status) != exchange.status:
                excuse = "declared alike" if self._is_alike(exchange, here, there) else None
                yield Mutant("status changed", f"to {status}", exchange._replace(status=int(status)), excuse)

    def _is_alike(self, exchange: Exchange, here: Document, there: Document) -> bool:
        """Return whether an answer with one status is also valid with the other."""
        required = [
            name
            for name, node in there.get("headers", {}).items()
            if resolve(self._document, node, ())[0].get("required")
        ]
        media = [
            {name: one["schema"] for name, one in answer.get("content", {}).items()}
            for answer in (here, there)
        ]
        return media[0] == media[1] and all(one_of(exchange.headers, name.lower()) for name in required)

    def _of_headers(self, recorded: Recorded, answer: Document) -> Iterator[Mutant]:
        exchange = recorded.exchange
        for name, node in answer.get("headers", {}).items():
            if (sent := one_of(exchange.headers, name.lower())) is None:
                continue
            header = resolve(self._document, node, ())[0]
            schema = resolve(self._document, header.get("schema", {}), ())[0]
            is_optional = (recorded.operation, exchange.status, name) in self._headers_missed
            excuse = "optional" if is_optional and not header.get("required") else None
            yield Mutant("header dropped", name, with_header(exchange, name, None), excuse)
            is_free = schema.get("type") == "string" and not {"enum", "const", "pattern"} & schema.keys()
            changed = with_header(exchange, name, f"?{sent}")
            yield Mutant("header changed", name, changed, "of any text" if is_free else None)
            doubled = exchange._replace(headers=(*exchange.headers, (name, sent)))
            yield Mutant("header doubled", name, doubled, None)


def _of_media_type(exchange: Exchange) -> Iterator[Mutant]:
    name = "content-type"
    sent = one_of(exchange.headers, name)
    if sent is None:
        yield Mutant("media type added", name, with_header(exchange, name, "text/html"), None)
        return
    plain = sent.partition(";")[0]
    for other in (None, "text/html", f"{plain}; charset=latin-1", f"{plain}x"):
        yield Mutant("media type changed", str(other), with_header(exchange, name, other), None)


def _media(answer: Document, exchange: Exchange) -> Schema | None:
    sent = read_media_type(one_of(exchange.headers, "content-type") or "").name
    return next(
        (media for name, media in answer.get("content", {}).items() if read_media_type(name).name == sent),
        None,
    )


def with_header(exchange: Exchange, name: str, value: str | None) -> Exchange:
    """Return a copy with another value of a header, or without the header if the value is None."""
    others: Headers = [pair for pair in exchange.headers if pair[0].lower() != name.lower()]
    return exchange._replace(headers=(*others, *(((name, value),) if value is not None else ())))


def with_body(exchange: Exchange, body: bytes) -> Exchange:
    """Return a copy with another body, and its length if the answer has a content-length."""
    changed = exchange._replace(body=body)
    declared = one_of(exchange.headers, "content-length")
    return changed if declared is None else with_header(changed, "content-length", str(len(body)))
