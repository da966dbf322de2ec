"""Breaking changes between two documents, operation by operation."""

from collections.abc import Iterator
from typing import Any

from verbatim_kit.breaking.change import Change, show, show_both
from verbatim_kit.breaking.schema_changes import SchemaChanges
from verbatim_kit.breaking.stream_laws import keeps_all
from verbatim_kit.generate.documents.document import Document, Pointer, operations_of, resolve


def breaking_changes(before: Document, after: Document) -> list[Change]:
    """Every change of a contract that breaks a client, once each, in order.

    Both are effective documents. What is added without being asked for, and prose, breaks nobody.
    """
    return sorted(set(_Comparison(before, after).changes()))


class _Comparison:
    def __init__(self, before: Document, after: Document) -> None:
        self._before = before
        self._after = after
        self._request = SchemaChanges(before, after, "request")
        self._response = SchemaChanges(before, after, "response")

    def changes(self) -> Iterator[Change]:
        yield from _extensions("the document", self._before, self._after)
        kept = {(path, method): (node, at) for path, method, node, at in operations_of(self._after)}
        for path, method, node, at in operations_of(self._before):
            place = f"{method.upper()} {path}"
            if (path, method) in kept:
                yield from self._operation(place, node, at, *kept[path, method])
            else:
                yield Change("operation", "removed", place)

    def _operation(
        self, place: str, old: Document, old_at: Pointer, new: Document, new_at: Pointer
    ) -> Iterator[Change]:
        if old.get("operationId") != new.get("operationId"):
            detail = show_both(old.get("operationId"), new.get("operationId"))
            yield Change("operation", "operationId changed", place, detail)
        yield from _extensions(place, old, new)
        yield from self._security(place, old, new)
        yield from self._parameters(place, old, old_at, new, new_at)
        yield from self._body(place, old, old_at, new, new_at)
        yield from self._responses(place, old, old_at, new, new_at)

    def _security(self, place: str, old: Document, new: Document) -> Iterator[Change]:
        """Each way in that was enough must still be; an empty list and an empty requirement let anyone in."""
        before = old.get("security", self._before.get("security")) or [{}]
        after = new.get("security", self._after.get("security")) or [{}]
        for way in before:
            if way not in after and {} not in after:
                yield Change("operation", "security tightened", place, show(way))

    def _parameters(
        self, place: str, old: Document, old_at: Pointer, new: Document, new_at: Pointer
    ) -> Iterator[Change]:
        before = _parameters(self._before, old, old_at)
        after = _parameters(self._after, new, new_at)
        for key, (parameter, at) in before.items():
            if key not in after:
                yield Change("operation", "parameter removed", place, " ".join(key))
                continue
            other, other_at = after[key]
            if other.get("required") and not parameter.get("required"):
                yield Change("operation", "parameter required", place, " ".join(key))
            yield from _extensions(f"{place} {key[1]}", parameter, other)
            yield from self._request.compare(
                parameter.get("schema", True),
                (*at, "schema"),
                other.get("schema", True),
                (*other_at, "schema"),
            )
        for key, (parameter, _) in after.items():
            if key not in before and parameter.get("required"):
                yield Change("operation", "parameter required", place, " ".join(key))

    def _body(
        self, place: str, old: Document, old_at: Pointer, new: Document, new_at: Pointer
    ) -> Iterator[Change]:
        body, at = _member(self._before, old, old_at, "requestBody")
        other, other_at = _member(self._after, new, new_at, "requestBody")
        if body and not other:
            yield Change("operation", "request body removed", place)
            return
        if other.get("required") and not body.get("required"):
            yield Change("operation", "request body required", place)
        yield from _extensions(place, body, other)
        yield from self._content(f"{place} request", self._request, body, at, other, other_at)

    def _responses(
        self, place: str, old: Document, old_at: Pointer, new: Document, new_at: Pointer
    ) -> Iterator[Change]:
        for status in old["responses"]:
            at, other_at = (*old_at, "responses"), (*new_at, "responses")
            answer, at = _member(self._before, old["responses"], at, status)
            if status not in new["responses"]:
                yield Change("operation", "status removed", place, status)
                continue
            other, other_at = _member(self._after, new["responses"], other_at, status)
            yield from self._headers(f"{place} {status}", answer, at, other, other_at)
            yield from self._content(f"{place} {status}", self._response, answer, at, other, other_at)

    def _headers(
        self, place: str, old: Document, old_at: Pointer, new: Document, new_at: Pointer
    ) -> Iterator[Change]:
        before, after = old.get("headers", {}), new.get("headers", {})
        for name in before:
            if name not in after:
                yield Change("operation", "header removed", place, name)
                continue
            header, at = _member(self._before, before, (*old_at, "headers"), name)
            other, other_at = _member(self._after, after, (*new_at, "headers"), name)
            if header.get("required") and not other.get("required"):
                yield Change("operation", "header optional", place, name)
            yield from self._response.compare(
                header.get("schema", True), (*at, "schema"), other.get("schema", True), (*other_at, "schema")
            )

    def _content(
        self,
        place: str,
        schemas: SchemaChanges,
        old: Document,
        old_at: Pointer,
        new: Document,
        new_at: Pointer,
    ) -> Iterator[Change]:
        before, after = old.get("content", {}), new.get("content", {})
        for media_type, content in before.items():
            if media_type not in after:
                yield Change("operation", "media type removed", place, media_type)
                continue
            other = after[media_type]
            yield from _extensions(f"{place} {media_type}", content, other)
            yield from schemas.compare(
                content.get("schema", True),
                (*old_at, "content", media_type, "schema"),
                other.get("schema", True),
                (*new_at, "content", media_type, "schema"),
            )


def _extensions(place: str, old: Document, new: Document) -> Iterator[Change]:
    """`x-…` keys, which say how streams end or bodies are read.

    Reading or promising more breaks nobody, nor does what a generator of requests has to know.
    """
    for key in sorted({*old, *new}):
        is_harmless = key in _MAY_COME and (
            key not in old or (key == "x-stream" and keeps_all(old[key], new.get(key, [])))
        )
        if key.startswith("x-") and old.get(key) != new.get(key) and not is_harmless:
            yield Change("operation", f"{key} changed", place, show_both(old.get(key), new.get(key)))


_MAY_COME = {"x-any-media-type", "x-path-parameter", "x-stateful", "x-stream", "x-websocket"}


def _member(document: Document, node: Document, at: Pointer, key: str) -> tuple[Document, Pointer]:
    """A member of an object, found through a reference; an empty object where there is none."""
    return resolve(document, node.get(key, {}), (*at, key))


def _parameters(
    document: Document, operation: Document, at: Pointer
) -> dict[tuple[str, str], tuple[Any, Pointer]]:
    """The operation's parameters and its path's by place and name, each with where it stands."""
    found = {}
    item = document["paths"][at[1]]
    for holder, place in ((item, at[:2]), (operation, at)):
        for index, node in enumerate(holder.get("parameters", ())):
            parameter, where = resolve(document, node, (*place, "parameters", str(index)))
            found[parameter["in"], parameter["name"]] = (parameter, where)
    return found
