"""The places of a request body that the document has a schema for, each in a valid body that contains it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from verbatim_kit.conform.bounds.samples import Samples, types_of
from verbatim_kit.conform.document import Json, Schema
from verbatim_kit.conform.place import ABSENT, Place, at, put
from verbatim_kit.judge.references import resolve

_UNIONS = ("oneOf", "anyOf", "allOf")


class Site(NamedTuple):
    """A place that a schema applies to.

    whole: a valid body that contains the place; ABSENT stands where no valid value was found. union: for a
    schema that is one of several alternatives, or a member of one, the place of these alternatives, since an
    error may name a member of another alternative; None otherwise.
    """

    place: Place
    schema: Schema
    whole: Json
    union: Place | None = None


class Walk:
    """A traversal of a document's schemas that starts from valid examples."""

    def __init__(self, document: Mapping[str, Any], samples: Samples) -> None:
        self._document = document
        self._samples = samples

    def sites(self, schema: Schema, examples: Sequence[Json]) -> Iterator[Site]:
        """Yield the sites of a schema, outer ones first.

        A member is tested in the first example that has it; a member that no example has is added to the
        first.
        """
        root = resolve(self._document, schema)
        yield Site((), root, examples[0])
        for name, inner in root.get("properties", {}).items():
            having = (example for example in examples if at(example, (name,)) not in (ABSENT, None))
            whole = next(having, examples[0])
            yield from self._member(inner, whole, (name,), ())
        for key in _UNIONS:
            for branch in root.get(key, ()):
                valid = [example for example in examples if self._samples.is_valid(branch, example)]
                yield from self.sites(branch, valid or [self._samples.smallest(branch)])

    def has(self, schema: Schema, place: Place) -> bool:
        """Return whether the schema declares a property at a place."""
        if not place:
            return True
        node = resolve(self._document, schema)
        inner = node.get("properties", {}).get(place[0])
        branches = (branch for key in _UNIONS for branch in node.get(key, ()))
        return (inner is not None and self.has(inner, place[1:])) or any(
            self.has(branch, place) for branch in branches
        )

    def _member(
        self, schema: Schema, whole: Json, place: Place, above: tuple[int, ...], union: Place | None = None
    ) -> Iterator[Site]:
        """Yield the sites at a place whose value may be missing, null or invalid; it is replaced first."""
        standing = at(whole, place)
        if standing is ABSENT or standing is None or not self._samples.is_valid(schema, standing):
            whole = put(whole, place, self._samples.smallest(schema))
        yield from self._at(schema, whole, place, above, union)

    def _at(
        self, schema: Schema, whole: Json, place: Place, above: tuple[int, ...], union: Place | None
    ) -> Iterator[Site]:
        """Yield the sites at a place. above: ids of the enclosing schemas, which are not entered again."""
        node = resolve(self._document, schema)
        if id(node) in above:
            return
        above = (*above, id(node))
        yield Site(place, node, whole, union)
        value = at(whole, place)
        if isinstance(value, dict):
            members = place if union == place else None
            for name, inner in node.get("properties", {}).items():
                yield from self._member(inner, whole, (*place, name), above, members)
            yield from self._additional(node, whole, place, above)
        if isinstance(value, list) and isinstance(node.get("items"), Mapping) and node.get("maxItems", 1):
            yield from self._member(node["items"], whole, (*place, 0), above)
        for key in _UNIONS:
            branches = [branch for branch in node.get(key, ()) if not self._is_null(branch)]
            for branch in branches:
                yield from self._member(branch, whole, place, above, place if len(branches) > 1 else union)

    def _is_null(self, schema: Schema) -> bool:
        return types_of(resolve(self._document, schema)) == ["null"]

    def _additional(self, node: Schema, whole: Json, place: Place, above: tuple[int, ...]) -> Iterator[Site]:
        inner = node.get("additionalProperties")
        if isinstance(inner, Mapping) and inner and not self._is_null(inner):
            members = at(whole, place)
            known = node.get("properties", {})
            name = next((name for name in members if name not in known), None)
            if name is None:
                name = self._samples.smallest(node.get("propertyNames", {"type": "string", "minLength": 1}))
            yield from self._member(inner, whole, (*place, name), above)
