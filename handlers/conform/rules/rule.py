"""Rules by which a field's value depends on what else is in the request, or on the server."""

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from handlers.conform.document import Json
from handlers.conform.place import Place, at, put

# Where requests say how many tokens to generate.
_NUM_TOKENS: Final[tuple[Place, ...]] = tuple(
    (*parent, name)
    for parent in ((), ("parameters",))
    for name in (
        "max_completion_tokens",
        "max_tokens",
        "max_new_tokens",
        "maximum_tokens",
        "max_output_tokens",
    )
)

When: TypeAlias = Callable[[Json, Json], bool]
"""Of a value, and of the body that it stands in."""


def always(value: Json, body: Json) -> bool:
    """For every value."""
    return True


def is_one_of(*values: Json) -> When:
    """For these values."""
    return lambda value, body: any(type(one) is type(value) and one == value for one in values)


def is_given(value: Json, body: Json) -> bool:
    """For every value but null."""
    return value is not None


def is_above(number: float) -> When:
    """For numbers above this one, and for arrays of one."""
    return lambda value, body: any(
        isinstance(one, int | float) and not isinstance(one, bool) and one > number
        for one in (value if isinstance(value, list) else [value])
    )


def is_longer_than(num_items: int) -> When:
    """For arrays of more items."""
    return lambda value, body: isinstance(value, list) and len(value) > num_items


def has_message(*roles: str) -> When:
    """A condition: the first message has one of these roles."""
    return lambda value, body: at(body, ("messages", 0, "role")) in roles


def says_nothing(value: Json, body: Json) -> bool:
    """Return whether the first message is an assistant's that has neither content nor calls."""
    message = at(body, ("messages", 0))
    contents = (message.get(name) for name in ("content", "tool_calls", "refusal")) if message else ()
    return has_message("assistant")(value, body) and not any(contents)


def has_part_of_type(*types: str) -> When:
    """A condition: some object of the body has one of these for its `type`."""
    return lambda value, body: any(kind in types for kind in _types(body))


def _types(body: Json) -> list[Json]:
    """Return the `type` of each object in the body."""
    found, left = [], [body]
    while left:
        node = left.pop()
        if isinstance(node, dict):
            found.append(node.get("type"))
            left += node.values()
        elif isinstance(node, list):
            left += node
    return found


class Companion(NamedTuple):
    """Other values that a request must have beside a field.

    path: of the operation, a glob. field: a glob over names joined by dots, array positions left out:
    `messages.content`. sets: what is put in, by place; ABSENT takes away. reason: the rule of the contract
    that asks for it. when: of which values of the field, in which bodies.
    """

    path: str
    field: str
    sets: Mapping[Place, Json]
    reason: str
    when: When = always

    def is_for(self, path: str, place: Place, value: Json, body: Json) -> bool:
        """Return whether the value at the place of a body for the path needs it."""
        return _matches(self.path, self.field, path, place) and self.when(value, body)

    def added_to(self, body: Json) -> Json:
        """The body with it."""
        for place, value in self.sets.items():
            if isinstance(at(body, place[:-1]), dict):
                body = put(body, place, value)
        return body


class Ban(NamedTuple):
    """A value that the schema allows and the contract does not; fields as of Companion.

    is_up_to_the_server: whether another server, or another model, may well take it.
    """

    path: str
    field: str
    reason: str
    when: When = always
    is_up_to_the_server: bool = False


class Rules(NamedTuple):
    """A contract's. num_tokens: where requests say how many tokens to generate.

    names_only: whether errors name a field by its last name alone, not by where it is.
    """

    companions: tuple[Companion, ...] = ()
    bans: tuple[Ban, ...] = ()
    num_tokens: tuple[Place, ...] = _NUM_TOKENS
    names_only: bool = False

    def ban(self, path: str, place: Place, value: Json, body: Json) -> Ban | None:
        """The rule that forbids a value that the schema allows, if there is one."""
        found = (
            one for one in self.bans if _matches(one.path, one.field, path, place) and one.when(value, body)
        )
        return next(found, None)


@lru_cache(1 << 16)  # many values are tried at a place
def _matches(path_glob: str, field_glob: str, path: str, place: Place) -> bool:
    names = ".".join(part for part in place if isinstance(part, str))
    return fnmatchcase(path, path_glob) and fnmatchcase(names, field_glob)
