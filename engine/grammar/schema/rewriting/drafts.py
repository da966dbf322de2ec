"""The rewriting of older drafts' keywords, and of references, into those of Draft 2020-12.

Draft 4: exclusiveMinimum and exclusiveMaximum as booleans. Up to Draft 2019-09: items of a tuple, with
additionalItems; dependencies; $recursiveRef. References by $id and $anchor, and by $dynamicRef where the
document has no $id inside, become JSON pointers, and targets anywhere in the document become definitions.
What is no keyword, or says nothing of what is allowed, is left out.
"""

from typing import Final
from urllib.parse import urljoin

from engine.grammar.schema.document import MAX_DEPTH, TOO_DEEP
from engine.grammar.schema.keywords import EFFECTIVE
from engine.grammar.schema.rewriting.references import with_targets
from engine.grammar.schema.walk import Schema, inner_schemas, with_inner
from engine.port.errors import InvalidGrammar

_ANCHORS: Final = ("$anchor", "$dynamicAnchor", "$id", "id")
_DYNAMIC: Final = ("$dynamicRef", "$recursiveRef")
_EXCLUSIVE = (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum"))


def modern_schema(source: object) -> object:
    """Return an equal schema in the keywords of Draft 2020-12; what is malformed is left as it is.

    Raises InvalidGrammar for a schema that is nested too deep.
    """
    if not isinstance(source, dict):
        return source
    names = _Names(source)
    made = _modern(source, names, 0)
    assert isinstance(made, dict)
    return with_targets(made, source, lambda target: _modern(target, names, 0))


class _Names:
    """The names in a document that references may use in place of JSON pointers.

    `$id` names the schema that it is in, and is the base of the names inside (section 8.2 of the core
    specification). In Draft 4 it is `id`. Before Draft 2019-09 an `$id` of `#name` was what `$anchor` is.
    """

    def __init__(self, root: Schema) -> None:
        self._places: dict[str, str] = {}  # of the schemas that have names, by these names
        self._bases: dict[int, str] = {}  # by the identity of the schemas
        keyword = "id" if "draft-04" in str(root.get("$schema")) else "$id"
        waiting = [("#", root, str(root.get("id", "")).partition("#")[0])]
        while waiting:
            place, schema, base = waiting.pop()
            if isinstance(name := schema.get(keyword), str):
                base = urljoin(base, name.partition("#")[0])
                self._places.setdefault(base, place)
            for key in _ANCHORS:
                if isinstance(name := schema.get(key), str):
                    self._places.setdefault(f"{base}#{name.removeprefix('#')}", place)
            self._bases[id(schema)] = base
            waiting += [
                (f"{place}/{step}", inner, base)
                for step, inner in inner_schemas(schema)
                if isinstance(inner, dict)
            ]
        self._root_base = self._bases[id(root)]
        self._places[self._root_base] = "#"
        has_one_base = len({*self._bases.values()}) == 1
        self._keywords = ("$ref", *(_DYNAMIC if has_one_base else ()))

    def pointer(self, schema: Schema) -> str | None:
        """Return the JSON pointer of the schema's reference, or what is written if it leads nowhere in the
        document; None if the schema has no reference."""
        found = next((name for key in self._keywords if isinstance(name := schema.get(key), str)), None)
        if found is None:
            return None
        name, _, fragment = found.partition("#")
        base = self._bases.get(id(schema), self._root_base)
        resource = urljoin(base, name) if name else base
        if fragment and not fragment.startswith("/"):
            return self._places.get(f"{resource}#{fragment}", found)
        place = self._places.get(resource)
        return found if place is None else f"{place}{fragment}"


def _modern(schema: object, names: _Names, depth: int) -> object:
    if depth > MAX_DEPTH:
        raise InvalidGrammar(TOO_DEEP)
    if not isinstance(schema, dict):
        return schema
    made = with_inner(schema, lambda inner, _: _modern(inner, names, depth + 1))
    for bound, exclusive in _EXCLUSIVE:
        if isinstance(is_exclusive := made.get(exclusive), bool):
            del made[exclusive]
            if is_exclusive and bound in made:
                made[exclusive] = made.pop(bound)
    others = made.pop("additionalItems", None)
    if isinstance(made.get("items"), list) and "prefixItems" not in made:
        made["prefixItems"] = made.pop("items")
        if others is not None:
            made["items"] = others
    if isinstance(dependencies := made.get("dependencies"), dict):
        del made["dependencies"]
        for name, value in dependencies.items():
            keyword = "dependentRequired" if isinstance(value, list) else "dependentSchemas"
            made[keyword] = {**made.get(keyword, {}), name: value}
    if made.get("uniqueItems") is False:
        del made["uniqueItems"]
    if (pointer := names.pointer(schema)) is not None:
        made = {key: value for key, value in made.items() if key not in _DYNAMIC}
        made["$ref"] = pointer
    return {key: value for key, value in made.items() if key in EFFECTIVE}
