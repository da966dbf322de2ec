"""The targets of a document's references, each at a place that holds a schema and that merging leaves."""

import json
import re
from collections.abc import Callable, Iterator
from itertools import count
from typing import Final

from engine.grammar.schema.walk import HOLDS_LIST, Schema, inner_schemas
from engine.port.errors import InvalidGrammar
from verbatim_kit.json_pointer import target_of

MAX_TARGETS = 500
MAX_LENGTH = 2_000_000  # characters of all targets that are copied

# A pointer to a member of a list, as zod's schemas have them: merging may change its number.
_IN_LIST: Final = re.compile(rf"/(?:{'|'.join(HOLDS_LIST)})/\d+(?=/|$)")


def schemas_inside(root: object) -> Iterator[tuple[str, Schema]]:
    """Yield all schemas that are objects, each with its JSON pointer."""
    waiting = [("#", root)]
    while waiting:
        place, schema = waiting.pop()
        if isinstance(schema, dict):
            yield place, schema
            waiting += [(f"{place}/{step}", inner) for step, inner in inner_schemas(schema)]


def with_targets(root: Schema, source: object, rewrite: Callable[[object], object]) -> Schema:
    """Return a document in which each pointer leads to a schema that stays: a copy of its target in
    `source`, rewritten, becomes a definition where the document itself has none there, or has it in a list.
    Pointers to nothing are left as they are.

    Raises InvalidGrammar where too much would be copied.
    """
    places = {place for place, _ in schemas_inside(root)}
    moved: dict[str, str] = {}
    length = 0
    waiting: list[object] = [root]
    while waiting:
        for _, schema in schemas_inside(waiting.pop()):
            pointer = schema.get("$ref")
            if not isinstance(pointer, str) or not pointer.startswith("#/"):
                continue
            if pointer in places and not _IN_LIST.search(pointer):
                continue
            if pointer not in moved:
                target = target_of(source, pointer)
                if not isinstance(target, dict):
                    continue
                length += len(json.dumps(target))
                if len(moved) == MAX_TARGETS or length > MAX_LENGTH:
                    raise InvalidGrammar(
                        f"JSON Schema: $ref leads to more than {MAX_TARGETS} places that hold no schema of "
                        "the document, or to too much text"
                    )
                definitions = root.setdefault("$defs", {})
                moved[pointer] = name = _free_name(definitions)
                definitions[name] = rewrite(target)
                waiting.append(definitions[name])
            schema["$ref"] = f"#/$defs/{moved[pointer]}"
    return root


def _free_name(definitions: object) -> str:
    taken = definitions if isinstance(definitions, dict) else {}
    return next(name for at in count() if (name := f"place {at}") not in taken)
