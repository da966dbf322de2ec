# Generated from specs/admin: mend the document or its overlay, never this file.
"""The parts of answers, events and errors."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from ..runtime.answer_part import AnswerPart


class Model(AnswerPart):
    name: str
    """Its name in requests."""
    state: Literal["stopped", "starting", "running", "stopping"]
    """The state of its process."""
    is_sleeping: bool
    """Whether its requests are refused until it is woken."""
    memory_bytes: Annotated[int, Field(ge=0)]
    """Resident memory of its processes when it was last measured. Before that, the size of its weights, or 0 as long as no request has come."""
    waiting_requests: Annotated[int, Field(ge=0)]
    """Requests that wait for its start."""
    running_requests: Annotated[int, Field(ge=0)]
    """Requests that it answers."""


class Sleep(AnswerPart):
    is_sleeping: bool
    """Whether all of them sleep."""


class Done(AnswerPart):
    """Nothing more to say."""

    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )


class ErrorResponse(AnswerPart):
    error: str
    """What to mend."""


class ModelList(AnswerPart):
    models: Annotated[list[Model], Field(min_length=1)]
    """The models."""
