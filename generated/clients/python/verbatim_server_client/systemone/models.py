# Generated from specs/systemone: mend the document or its overlay, never this file.
"""The parts of answers, events and errors."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field
from typing_extensions import TypeAliasType

from ..runtime.answer_part import AnswerPart


class ContentObject(AnswerPart):
    model_config = ConfigDict(
        extra="allow",
        use_attribute_docstrings=True,
    )


Probability = TypeAliasType("Probability", Annotated[float, Field(ge=0.0, le=1.0)])


class NoulAnswer(AnswerPart):
    type: Literal["noul"]
    noul: Annotated[float, Field(ge=0.0, le=1.0)]
    """The probability of yes."""


class ChoiceAnswer(AnswerPart):
    type: Literal["choice"]
    choice: str
    """The most likely option."""
    confidence: Annotated[float, Field(ge=0.0, le=1.0)]
    """0 if all options are equally likely, and 1 if one is certain."""
    probabilities: dict[str, Probability]
    """The probability of each option."""


class Usage(AnswerPart):
    input_tokens: Annotated[int, Field(ge=0)]
    """Tokens of the prompts of all questions."""
    output_tokens: Literal[0]
    """Tokens that were generated."""


class Model(AnswerPart):
    name: str
    """A name for requests."""
    description: str
    """What the model is."""
    release_date: str
    """A day as YYYY-MM-DD."""


class ValidationDetail(AnswerPart):
    loc: list[str | int]
    """The place, from `body` on."""
    msg: str
    """A message for people."""
    type: str
    """The kind of error."""


class FailureDetail(AnswerPart):
    error_type: str
    """The kind of error."""
    message: str
    """A message for people."""


class ScoreAnswer(AnswerPart):
    type: Literal["score"]
    score: Annotated[float, Field(ge=0.0)]
    """The mean of the levels' numbers, each weighted with its probability."""
    confidence: Annotated[float, Field(ge=0.0, le=1.0)]
    """1 if one level is certain, and less the further the others are from the most likely one."""
    legend: dict[str, str | ContentObject | list[Any]]
    """The levels by their numbers from 0, as they were given."""
    probabilities: dict[str, Probability]
    """The probability of each level by its number."""


class ModelList(AnswerPart):
    models: list[Model]
    """All names that a request may have."""


class ValidationError(AnswerPart):
    detail: list[ValidationDetail]
    """What is wrong."""


class Failure(AnswerPart):
    detail: FailureDetail
    """What went wrong."""


class SystemOneResponse(AnswerPart):
    model: str
    """The name of the model that answered."""
    answers: Annotated[dict[str, NoulAnswer | ChoiceAnswer | ScoreAnswer], Field(min_length=1)]
    """The answers by the ids of their questions."""
    usage: Usage
    """What the request cost, in tokens."""
