"""The kinds of rules: a field's validity may depend on other fields or on the server."""

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from verbatim_kit.conform.document import Json
from verbatim_kit.conform.place import Place, at, put

When: TypeAlias = Callable[[Json, Json], bool]
"""A condition on the value of a field and on the body that contains it."""


def always(value: Json, body: Json) -> bool:
    """Match every value."""
    return True


def is_one_of(*values: Json) -> When:
    """Return a condition that matches these values, types included."""
    return lambda value, body: any(type(each) is type(value) and each == value for each in values)


def is_given(value: Json, body: Json) -> bool:
    """Match every value except null."""
    return value is not None


def is_above(number: float) -> When:
    """Return a condition that matches numbers above this one, and arrays that contain such a number."""
    return lambda value, body: any(
        isinstance(item, int | float) and not isinstance(item, bool) and item > number
        for item in (value if isinstance(value, list) else [value])
    )


def is_longer_than(num_items: int) -> When:
    """Return a condition that matches arrays of more items, and objects of more members."""
    return lambda value, body: isinstance(value, list | dict) and len(value) > num_items


def has_value(place: Place, *values: Json) -> When:
    """Return a condition that matches bodies with one of these values at a place."""
    return lambda value, body: at(body, place) in values


def lacks(place: Place, *names: str) -> When:
    """Return a condition that matches if an object has none of these members, or empty ones."""

    def matches(value: Json, body: Json) -> bool:
        node = at(body, place)
        return isinstance(node, Mapping) and not any(node.get(name) for name in names)

    return matches


def all_of(*conditions: When) -> When:
    """Return a condition that matches if all of these do."""
    return lambda value, body: all(condition(value, body) for condition in conditions)


def has_part_of_type(*types: str) -> When:
    """Return a condition that matches if an object in the body has one of these values of `type`."""
    return lambda value, body: any(kind in types for kind in _types(body))


def _types(body: Json) -> list[Json]:
    """Return the `type` of each object in the body."""
    found, pending = [], [body]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            found.append(node.get("type"))
            pending += node.values()
        elif isinstance(node, list):
            pending += node
    return found


class Companion(NamedTuple):
    """Values that other fields of a request must have when one field is tested.

    path: glob pattern of the operation's path. field: glob pattern of the tested field, as dotted names
    without array indices, such as `messages.content`. sets: values by place; ABSENT removes a field. reason:
    the rule of the contract. when: condition on the field's value and the body.
    """

    path: str
    field: str
    sets: Mapping[Place, Json]
    reason: str
    when: When = always

    def is_for(self, path: str, place: Place, value: Json, body: Json) -> bool:
        """Return whether the rule applies to the value at a place of a body."""
        return _matches(self.path, self.field, path, place) and self.when(value, body)

    def added_to(self, body: Json) -> Json:
        """Return a copy of the body with the values set."""
        for place, value in self.sets.items():
            if isinstance(at(body, place[:-1]), dict):
                body = put(body, place, value)
        return body


class Ban(NamedTuple):
    """A value that the schema allows but the contract forbids; fields as in Companion.

    is_up_to_the_server: another server, or another model, may accept the value.
    """

    path: str
    field: str
    reason: str
    when: When = always
    is_up_to_the_server: bool = False


class Texts(NamedTuple):
    """Readers of one text: from the body of a whole answer, None if it has none, and from a stream."""

    whole: Callable[[bytes], str | None]
    streamed: Callable[[bytes], str]


class Rules(NamedTuple):
    """The rules of a contract.

    lengths: places of the number that limits how long an answer gets; requests have a small one. repeatable:
    values by place with which two answers to one request are the same. texts: how to read the text that a
    stream and a whole answer share; None if there is none. names_only: errors name a field by its last name
    instead of its full path. overload_statuses: of a server that has no room for a request; some generated
    ones need more than it has. takes_any_model: servers ignore the model that a request names.
    """

    companions: tuple[Companion, ...] = ()
    bans: tuple[Ban, ...] = ()
    lengths: tuple[Place, ...] = ()
    repeatable: Mapping[Place, Json] = {}
    texts: Texts | None = None
    names_only: bool = False
    overload_statuses: tuple[int, ...] = ()
    takes_any_model: bool = False

    def ban(self, path: str, place: Place, value: Json, body: Json) -> Ban | None:
        """Return the rule that forbids a value; None if there is none."""
        for ban in self.bans:
            if _matches(ban.path, ban.field, path, place) and ban.when(value, body):
                return ban
        return None


@lru_cache(1 << 16)  # many values are tested at each place
def _matches(path_glob: str, field_glob: str, path: str, place: Place) -> bool:
    names = ".".join(part for part in place if isinstance(part, str))
    return fnmatchcase(path, path_glob) and fnmatchcase(names, field_glob)
