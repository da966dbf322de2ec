"""One change of a document at random: of a bound, a value, a field, a status or another promise."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from random import Random
from typing import Any, Final, NamedTuple

from verbatim_kit.generate.documents.document import Document, Pointer, render_pointer

Change = Callable[[Any, str, Random], None]


class Mutation(NamedTuple):
    """The name of a change and its place, and the document afterwards."""

    name: str
    document: Document


def mutations(document: Document, seed: int, count: int) -> Iterator[Mutation]:
    """Yield `count` mutations, each made to the unchanged document."""
    random = Random(seed)
    places = [(at, key) for at, key in _places(document) if key in _CHANGES]
    for _ in range(count):
        at, key = random.choice(places)
        changed = deepcopy(document)
        node: Any = changed
        for part in at:
            node = node[int(part) if isinstance(node, list) else part]
        change = random.choice(_CHANGES[key])
        change(node, key, random)
        yield Mutation(f"{change.__name__} {render_pointer((*at, key))}", changed)


def _places(node: Any, at: Pointer = ()) -> Iterator[tuple[Pointer, str]]:
    """Keywords with their values, but for examples and properties that bear a keyword's name."""
    if isinstance(node, list):
        for index, item in enumerate(node):
            yield from _places(item, (*at, str(index)))
    if not isinstance(node, dict):
        return
    is_names = at[-1:] in (("properties",), ("schemas",))
    for key, value in node.items():
        if key not in ("example", "examples", "default"):
            if not is_names and value not in ([], {}):
                yield at, key
            yield from _places(value, (*at, key))


def _raise(node: Any, key: str, random: Random) -> None:
    node[key] += 1


def _lower(node: Any, key: str, random: Random) -> None:
    node[key] -= node[key] > 0


def _drop(node: Any, key: str, random: Random) -> None:
    del node[key]


def _drop_item(node: Any, key: str, random: Random) -> None:
    if isinstance(node[key], list) and len(node[key]) > 1:
        node[key].pop(random.randrange(len(node[key])))


def _add_value(node: Any, key: str, random: Random) -> None:
    node[key].append("a new one")


def _drop_member(node: Any, key: str, random: Random) -> None:
    name = random.choice(sorted(node[key]))
    del node[key][name]
    if key == "properties" and name in node.get("required", ()):
        node["required"].remove(name)


def _require(node: Any, key: str, random: Random) -> None:
    missing = sorted(set(node[key]) - set(node.get("required", ())))
    if missing:
        node["required"] = [*node.get("required", ()), random.choice(missing)]


def _retype(node: Any, key: str, random: Random) -> None:
    if isinstance(node[key], str):
        node[key] = "string" if node[key] == "boolean" else "boolean"


def _close(node: Any, key: str, random: Random) -> None:
    node[key] = node[key] is False


_CHANGES: Final[dict[str, tuple[Change, ...]]] = {
    "minimum": (_raise, _drop),
    "minLength": (_raise, _drop),
    "minItems": (_raise, _drop),
    "maximum": (_lower, _drop),
    "maxLength": (_lower, _drop),
    "maxItems": (_lower, _drop),
    "enum": (_drop_item, _add_value),
    "anyOf": (_drop_item,),
    "oneOf": (_drop_item,),
    "properties": (_drop_member, _require),
    "required": (_drop_item,),
    "type": (_retype,),
    "additionalProperties": (_close,),
    "responses": (_drop_member,),
    "content": (_drop_member,),
    "paths": (_drop_member,),
    "parameters": (_drop_item,),
}
