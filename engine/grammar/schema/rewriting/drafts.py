"""The rewriting of older drafts' keywords, and of references, into those of Draft 2020-12.

Draft 4: exclusiveMinimum and exclusiveMaximum as booleans. Up to Draft 2019-09: items of a tuple, with
additionalItems; dependencies; $recursiveRef. References by $anchor, by $dynamicRef within one document and by
the root's own $id become JSON pointers, and targets anywhere in the document become definitions. What
is no keyword, or says nothing of what is allowed, is left out.
"""

from engine.grammar.schema.document import MAX_DEPTH, TOO_DEEP
from engine.grammar.schema.keywords import EFFECTIVE
from engine.grammar.schema.rewriting.references import schemas_inside, with_targets
from engine.grammar.schema.walk import Schema, with_inner
from engine.port.errors import InvalidGrammar

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
    """The names in a document that references may use in place of JSON pointers."""

    def __init__(self, root: Schema) -> None:
        self._base = next((name for key in ("$id", "id") if isinstance(name := root.get(key), str)), "")
        self._anchors: dict[str, str] = {}
        self._has_one_base = True
        for place, schema in schemas_inside(root):
            for keyword in ("$anchor", "$dynamicAnchor", "$id", "id"):
                if isinstance(name := schema.get(keyword), str):
                    self._anchors.setdefault(name if name.startswith("#") else f"#{name}", place)
            if place != "#" and not str(schema.get("$id", "#")).startswith("#"):
                self._has_one_base = False

    def pointer(self, schema: Schema) -> str | None:
        """Return the JSON pointer of the schema's reference; None if it has none, or leads elsewhere."""
        keywords = ("$ref", "$dynamicRef", "$recursiveRef") if self._has_one_base else ("$ref",)
        found = next((name for key in keywords if isinstance(name := schema.get(key), str)), None)
        if found is None:
            return None
        base, _, fragment = found.partition("#")
        if base and base != self._base.rstrip("#"):
            return None
        return self._anchors.get(f"#{fragment}", f"#{fragment}")


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
    if (pointer := names.pointer(made)) is not None:
        made = {key: value for key, value in made.items() if key not in ("$dynamicRef", "$recursiveRef")}
        made["$ref"] = pointer
    made = {key: value for key, value in made.items() if key in EFFECTIVE}
    if depth and "$id" in made and not any("$ref" in inner for _, inner in schemas_inside(made)):
        made.pop("$id", None)  # it would be the base of references alone
    return made
