# Generated from specs/pets: mend the document or its overlay, never this file.
"""The parts of requests: dictionaries of these forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from ..runtime.upload import Upload


class Walk(TypedDict):
    pet: str


class Crop(TypedDict, closed=True):
    kind: Literal["circle", "square"]
    margin: NotRequired[int]
    """At least 0, at most 2147483647. Default: `2`."""


class NewPet(TypedDict):
    kind: Literal["cat", "dog"]
    name: NotRequired[str]
    """At least 1 characters."""
    names: NotRequired[Sequence[str]]
    """At most 3 items."""
    weight: NotRequired[float | None]
    """More than 0."""
    legs: NotRequired[int]
    """At least 0, at most 255. Default: `4`."""
    favourite: NotRequired[Literal["cat", "dog"] | None]
    schema: NotRequired[Mapping[str, Any]]
    """A name that pydantic has for itself."""
    nullable: NotRequired[bool]
    """A property that is called like a keyword. Default: `false`."""
    mood: NotRequired[Literal["good", "bad"] | None]
    stream: NotRequired[bool]
    """Default: `false`."""


class NewPetWithoutStream(TypedDict):
    kind: Literal["cat", "dog"]
    name: NotRequired[str]
    """At least 1 characters."""
    names: NotRequired[Sequence[str]]
    """At most 3 items."""
    weight: NotRequired[float | None]
    """More than 0."""
    legs: NotRequired[int]
    """At least 0, at most 255. Default: `4`."""
    favourite: NotRequired[Literal["cat", "dog"] | None]
    schema: NotRequired[Mapping[str, Any]]
    """A name that pydantic has for itself."""
    nullable: NotRequired[bool]
    """A property that is called like a keyword. Default: `false`."""
    mood: NotRequired[Literal["good", "bad"] | None]


class Portrait(TypedDict, closed=True):
    picture: Upload
    """The picture."""
    tags: NotRequired[Sequence[Literal["cat", "dog"]]]
    """Default: `["dog"]`."""
    size: NotRequired[float]
    """At least 0. Default: `1`."""
    crop: NotRequired[Literal["auto"] | Crop]
