"""A schema as the alternatives that it admits, so that a union and a single schema compare alike."""

from collections.abc import Callable, Hashable
from typing import Any, Final, NamedTuple

from verbatim_kit.breaking.change import show
from verbatim_kit.drift.structure import structure
from verbatim_kit.generate.documents.document import Document, Pointer, Schema, resolve


class Alternative(NamedTuple):
    """One schema without a union, and where it stands. is_split: whether it is one of a list of types."""

    schema: Schema
    at: Pointer
    is_split: bool = False

    @property
    def name(self) -> str:
        """The component's name, the type, or the schema itself."""
        if self.is_split:
            return str(self.schema["type"])
        return self.at[-1] if self.at[:2] == ("components", "schemas") and len(self.at) == 3 else self.text

    @property
    def text(self) -> str:
        """The schema without its prose, on one line."""
        return show(structure(self.schema))


def alternatives(document: Document, node: Any, at: Pointer) -> list[Alternative]:
    """Members of unions, and each type of a list of types, as deep as they go."""
    if isinstance(node, bool):
        return [Alternative({} if node else {"not": {}}, at)]
    beside = {key: value for key, value in node.items() if key != "$ref"}
    target, at = resolve(document, node, at)
    schema = {**target, **beside} if "$ref" in node else target
    for key in ("anyOf", "oneOf"):
        if key in schema:
            members = enumerate(schema[key])
            return [
                one for i, member in members for one in alternatives(document, member, (*at, key, str(i)))
            ]
    types = schema.get("type")
    if isinstance(types, list):
        return [Alternative({**schema, "type": one}, at, is_split=True) for one in types]
    return [Alternative(schema, at)]


class Pairing(NamedTuple):
    """The alternatives that are the same before and after, and those that have none to compare with."""

    same: list[tuple[Alternative, Alternative]]
    removed: list[Alternative]
    added: list[Alternative]


def pair(before: list[Alternative], after: list[Alternative]) -> Pairing:
    """Pairs by component and type, then by equality, by constants, by type, and numbers with numbers.

    Two schemas that are no unions are a pair, whatever they say.
    """
    if len(before) == len(after) == 1:
        return Pairing([(before[0], after[0])], [], [])
    same: list[tuple[Alternative, Alternative]] = []
    old, new = list(before), list(after)
    for key in _KEYS:
        for one in list(old):
            match = [other for other in new if key(other) == key(one)]
            rivals = [other for other in old if key(other) == key(one)]
            if len(match) == 1 and len(rivals) == 1 and key(one) is not None:
                same.append((one, match[0]))
                old.remove(one)
                new.remove(match[0])
    return Pairing(same, old, new)


def _component(one: Alternative) -> Hashable:
    return (one.at[2:], one.schema.get("type")) if one.at[:2] == ("components", "schemas") else None


def _constants(one: Alternative) -> Hashable:
    """The properties that can have one value only, which is how members of a union are told apart."""
    members = one.schema.get("properties", {}).items()
    fixed = {name: show(_only(member)) for name, member in members if _only(member) is not None}
    return tuple(sorted(fixed.items())) or None


def _only(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return None
    values = schema.get("enum", [schema.get("const")])
    return values[0] if len(values) == 1 else None


def _type(one: Alternative) -> Hashable:
    return str(one.schema.get("type"))


def _kind(one: Alternative) -> Hashable:
    kind = one.schema.get("type")
    return "number" if kind in ("integer", "number") else None


_KEYS: Final[tuple[Callable[[Alternative], Hashable], ...]] = (
    _component,
    lambda one: one.text,
    _constants,
    _type,
    _kind,
)
