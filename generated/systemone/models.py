# Generated from specs/systemone: mend the document or its overlay, never this file.
"""The component schemas, and the parameters of operations."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictStr, StringConstraints
from typing_extensions import TypeAliasType

from verbatim_kit.runtime.json_types import StrictFloat, StrictInt


class Asset(BaseModel):
    """
    An image, which the model reads if it has vision.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["image"]
    data_base64: StrictStr
    """
    The content of the file in base64.
    """
    format: Literal["png", "jpg", "jpeg"] | None = None
    """
    What the file is called; its bytes decide.
    """


class ContentObject(BaseModel):
    model_config = ConfigDict(
        extra="allow",
    )


Probability = TypeAliasType("Probability", Annotated[StrictFloat, Field(ge=0.0, le=1.0)])


class NoulAnswer(BaseModel):
    type: Literal["noul"]
    noul: Annotated[StrictFloat, Field(ge=0.0, le=1.0)]
    """
    The probability of yes.
    """


class ChoiceAnswer(BaseModel):
    type: Literal["choice"]
    choice: StrictStr
    """
    The most likely option.
    """
    confidence: Annotated[StrictFloat, Field(ge=0.0, le=1.0)]
    """
    0 if all options are equally likely, and 1 if one is certain.
    """
    probabilities: dict[str, Probability]
    """
    The probability of each option.
    """


class Usage(BaseModel):
    input_tokens: Annotated[StrictInt, Field(ge=0)]
    """
    Tokens of the prompts of all questions.
    """
    output_tokens: Literal[0]
    """
    Tokens that were generated.
    """


class Model(BaseModel):
    name: StrictStr
    """
    A name for requests.
    """
    description: StrictStr
    """
    What the model is.
    """
    release_date: StrictStr
    """
    A day as YYYY-MM-DD.
    """


class ValidationDetail(BaseModel):
    loc: list[StrictStr | StrictInt]
    """
    The place, from `body` on.
    """
    msg: StrictStr
    """
    A message for people.
    """
    type: StrictStr
    """
    The kind of error.
    """


class FailureDetail(BaseModel):
    error_type: StrictStr
    """
    The kind of error.
    """
    message: StrictStr
    """
    A message for people.
    """


Assets = TypeAliasType(
    "Assets",
    Annotated[
        dict[Annotated[str, StringConstraints(min_length=1, max_length=256, strict=True)], Asset],
        Field(max_length=128, min_length=1),
    ],
)


class NoulCriteria(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    true: StrictStr | ContentObject | list[Any] | None = None
    """
    When the answer is yes.
    """
    false: StrictStr | ContentObject | list[Any] | None = None
    """
    When the answer is no.
    """


class ChoiceQuestion(BaseModel):
    """
    A choice of one of several options.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["choice"]
    instructions: StrictStr | ContentObject | list[Any] | None = None
    """
    What is to be chosen.
    """
    criteria: Annotated[
        dict[str, StrictStr | ContentObject | list[Any] | None],
        Field(examples=[{"guard": None, "owner": "If no guard is there"}], max_length=255, min_length=1),
    ]
    """
    The options, each with when to choose it, or null.
    """


class ScoreQuestion(BaseModel):
    """
    A rating by levels.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["score"]
    instructions: StrictStr | ContentObject | list[Any] | None = None
    """
    What is to be rated.
    """
    criteria: Annotated[list[StrictStr | ContentObject | list[Any]], Field(max_length=255, min_length=1)]
    """
    The levels, lowest first.
    """


class ScoreAnswer(BaseModel):
    type: Literal["score"]
    score: Annotated[StrictFloat, Field(ge=0.0)]
    """
    The mean of the levels' numbers, each weighted with its probability.
    """
    confidence: Annotated[StrictFloat, Field(ge=0.0, le=1.0)]
    """
    1 if one level is certain, and less the further the others are from the most likely one.
    """
    legend: dict[str, StrictStr | ContentObject | list[Any]]
    """
    The levels by their numbers from 0, as they were given.
    """
    probabilities: dict[str, Probability]
    """
    The probability of each level by its number.
    """


class ModelList(BaseModel):
    models: list[Model]
    """
    All names that a request may have.
    """


class ValidationError(BaseModel):
    detail: list[ValidationDetail]
    """
    What is wrong.
    """


class Failure(BaseModel):
    detail: FailureDetail
    """
    What went wrong.
    """


class NoulQuestion(BaseModel):
    """
    A question of yes or no.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["noul"]
    instructions: StrictStr | ContentObject | list[Any] | None = None
    """
    What is asked.
    """
    criteria: NoulCriteria | None = None
    """
    When the answer is yes, and when it is no.
    """


class SystemOneResponse(BaseModel):
    model: StrictStr
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


class SystemOneRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    model: Annotated[StrictStr, Field(examples=["verbatim-demo"])]
    """
    A name that /v1/models lists.
    """
    state: StrictStr | ContentObject | list[Any]
    """
    What all questions are about.
    """
    questions: Annotated[
        dict[str, NoulQuestion | ChoiceQuestion | ScoreQuestion], Field(max_length=400, min_length=1)
    ]
    """
    The questions by ids of the client's choice, which the model does not see.
    """
    assets: Assets | None = None
    """
    Images, each under a name that stands for it in strings of the state, of instructions and of criteria.
    """
