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
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["noul"]
    noul: Annotated[float, Field(ge=0.0, le=1.0)]
    """
    The probability of yes.
    """


class ChoiceAnswer(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["choice"]
    choice: str
    """
    The most likely option.
    """
    confidence: Annotated[float, Field(ge=0.0, le=1.0)]
    """
    0 if all options are equally likely, and 1 if one is certain.
    """
    probabilities: dict[str, Probability]
    """
    The probability of each option.
    """


class Usage(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    input_tokens: Annotated[int, Field(ge=0)]
    """
    Tokens of the prompts of all questions.
    """
    output_tokens: Literal[0]
    """
    Tokens that were generated.
    """


class Model(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    name: str
    """
    A name for requests.
    """
    description: str
    """
    What the model is.
    """
    release_date: str
    """
    A day as YYYY-MM-DD.
    """


class ValidationDetail(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    loc: list[str | int]
    """
    The place, from `body` on.
    """
    msg: str
    """
    A message for people.
    """
    type: str
    """
    The kind of error.
    """


class FailureDetail(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    error_type: str
    """
    The kind of error.
    """
    message: str
    """
    A message for people.
    """


class ScoreAnswer(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    type: Literal["score"]
    score: Annotated[float, Field(ge=0.0)]
    """
    The mean of the levels' numbers, each weighted with its probability.
    """
    confidence: Annotated[float, Field(ge=0.0, le=1.0)]
    """
    1 if one level is certain, and less the further the others are from the most likely one.
    """
    legend: dict[str, str | ContentObject | list[Any]]
    """
    The levels by their numbers from 0, as they were given.
    """
    probabilities: dict[str, Probability]
    """
    The probability of each level by its number.
    """


class ModelList(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    models: list[Model]
    """
    All names that a request may have.
    """


class ValidationError(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    detail: list[ValidationDetail]
    """
    What is wrong.
    """


class Failure(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    detail: FailureDetail
    """
    What went wrong.
    """


class SystemOneResponse(AnswerPart):
    model_config = ConfigDict(
        use_attribute_docstrings=True,
    )
    model: str
    """
    The name of the model that answered.
    """
    answers: Annotated[dict[str, NoulAnswer | ChoiceAnswer | ScoreAnswer], Field(min_length=1)]
    """
    The answers by the ids of their questions.
    """
    usage: Usage
    """
    What the request cost, in tokens.
    """
