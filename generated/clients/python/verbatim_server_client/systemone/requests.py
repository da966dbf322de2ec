# Generated from specs/systemone: mend the document or its overlay, never this file.
"""The parts of requests: dictionaries of these forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict


class Asset(TypedDict, closed=True):
    """An image, which the model reads if it has vision."""

    type: Literal["image"]
    data_base64: str
    """The content of the file in base64."""
    format: NotRequired[Literal["png", "jpg", "jpeg"] | None]
    """What the file is called; its bytes decide."""


class ContentObject(TypedDict):
    pass


class NoulCriteria(TypedDict, closed=True):
    true: NotRequired[str | ContentObject | Sequence[Any] | None]
    """When the answer is yes."""
    false: NotRequired[str | ContentObject | Sequence[Any] | None]
    """When the answer is no."""


class ChoiceQuestion(TypedDict, closed=True):
    """A choice of one of several options."""

    type: Literal["choice"]
    instructions: NotRequired[str | ContentObject | Sequence[Any] | None]
    """What is to be chosen."""
    criteria: Mapping[str, str | ContentObject | Sequence[Any] | None]
    """The options, each with when to choose it, or null."""


class ScoreQuestion(TypedDict, closed=True):
    """A rating by levels."""

    type: Literal["score"]
    instructions: NotRequired[str | ContentObject | Sequence[Any] | None]
    """What is to be rated."""
    criteria: Sequence[str | ContentObject | Sequence[Any]]
    """The levels, lowest first. At least 1 items, at most 255 items."""


class NoulQuestion(TypedDict, closed=True):
    """A question of yes or no."""

    type: Literal["noul"]
    instructions: NotRequired[str | ContentObject | Sequence[Any] | None]
    """What is asked."""
    criteria: NotRequired[NoulCriteria | None]
    """When the answer is yes, and when it is no."""


class SystemOneRequest(TypedDict, closed=True):
    model: str
    """A name that /v1/models lists."""
    state: str | ContentObject | Sequence[Any]
    """What all questions are about."""
    questions: Mapping[str, NoulQuestion | ChoiceQuestion | ScoreQuestion]
    """The questions by ids of the client's choice, which the model does not see."""
    assets: NotRequired[Mapping[str, Asset] | None]
    """Images, each under a name that stands for it in strings of the state, of instructions and of criteria."""
