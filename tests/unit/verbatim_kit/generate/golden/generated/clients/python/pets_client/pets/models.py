# Generated from specs/pets: mend the document or its overlay, never this file.
"""The parts of answers, events and errors."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from ..runtime.answer_part import AnswerPart


class Error(AnswerPart):
    reason: str


class Stride(AnswerPart):
    metres: int
    done: bool
    """True for the last one."""


class Bark(AnswerPart):
    kind: Literal["bark", "howl"]
    volume: int


class Silence(AnswerPart):
    kind: Literal["silence"]


class Pet(AnswerPart):
    id: Annotated[int, Field(ge=1, le=2147483647)]
    kind: Literal["cat", "dog"]
    owner: str | None
    """Null for a pet that nobody has."""


Event = TypeAliasType("Event", Pet | Error)


Step = TypeAliasType("Step", Stride | Error)


Sound = TypeAliasType("Sound", Bark | Silence)
