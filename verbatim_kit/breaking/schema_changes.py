"""Breaking changes between two schemas of one place, followed through references."""

from collections.abc import Iterator
from typing import Any

from verbatim_kit.breaking.alternatives import Alternative, alternatives, pair
from verbatim_kit.breaking.change import Change, schema_change
from verbatim_kit.breaking.keywords import is_unconstrained, keyword_findings
from verbatim_kit.generate.documents.document import Document, Pointer, Schema


class SchemaChanges:
    """Compares schemas of two documents for one side: `request` or `response`."""

    def __init__(self, before: Document, after: Document, side: str) -> None:
        self._before = before
        self._after = after
        self._side = side
        self._seen: set[tuple[str, Pointer, str, Pointer]] = set()

    def compare(self, before: Any, at_before: Pointer, after: Any, at_after: Pointer) -> Iterator[Change]:
        """Changes that break this side; schemas that were compared already give none."""
        old = alternatives(self._before, before, at_before)
        new = alternatives(self._after, after, at_after)
        if any(is_unconstrained(one.schema) for one in (new if self._side == "request" else old)):
            return
        pairs = pair(old, new)
        for one in pairs.removed:
            # An answer that is never again a string or null surprises nobody; an event that never comes does.
            if self._side == "request" or one.schema.get("type") == "object":
                yield schema_change(self._side, "alternative removed", at_before, one.name)
        for one in pairs.added:
            if self._side == "response":
                yield schema_change(self._side, "alternative added", at_after, one.name)
        for one, other in pairs.same:
            yield from self._compare_same(one, other)

    def _compare_same(self, old: Alternative, new: Alternative) -> Iterator[Change]:
        key = (str(old.schema.get("type")), old.at, str(new.schema.get("type")), new.at)
        if key in self._seen:
            return
        self._seen.add(key)
        for kind, detail in keyword_findings(self._side, old.schema, new.schema):
            yield schema_change(self._side, kind, old.at, detail)
        yield from self._required(old, new)
        yield from self._properties(old, new)
        yield from self._additional(old, new)
        for name in ("items", "propertyNames", "contentSchema"):
            if name in old.schema or name in new.schema:
                yield from self._member(old, new, (name,))

    def _required(self, old: Alternative, new: Alternative) -> Iterator[Change]:
        before, after = set(old.schema.get("required", ())), set(new.schema.get("required", ()))
        if self._side == "request":
            for name in sorted(after - before):
                yield schema_change("request", "property required", (*new.at, "properties", name))
        else:
            for name in sorted((before - after) & set(new.schema.get("properties", {}))):
                yield schema_change("response", "property optional", (*old.at, "properties", name))

    def _properties(self, old: Alternative, new: Alternative) -> Iterator[Change]:
        kept = new.schema.get("properties", {})
        for name in old.schema.get("properties", {}):
            if name in kept:
                yield from self._member(old, new, ("properties", name))
            else:
                yield schema_change(self._side, "property removed", (*old.at, "properties", name))

    def _additional(self, old: Alternative, new: Alternative) -> Iterator[Change]:
        """Names that the schema does not list: refused where it says false, free where it says nothing."""
        key = "additionalProperties"
        before, after = old.schema.get(key, True), new.schema.get(key, True)
        if before is not False and after is not False:
            yield from self._member(old, new, (key,))
        elif before is not False and self._side == "request" and _is_object(old.schema):
            yield schema_change("request", "additional properties refused", old.at)

    def _member(self, old: Alternative, new: Alternative, path: Pointer) -> Iterator[Change]:
        before, after = _at(old.schema, path), _at(new.schema, path)
        yield from self.compare(before, (*old.at, *path), after, (*new.at, *path))


def _at(schema: Schema, path: Pointer) -> Any:
    """The schema inside a schema; one that is not there admits everything."""
    node: Any = schema
    for part in path:
        node = node.get(part, True)
    return node


def _is_object(schema: Schema) -> bool:
    return bool(schema.get("type", "object") == "object")
