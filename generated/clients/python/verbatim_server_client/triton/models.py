# Generated from specs/triton: mend the document or its overlay, never this file.
"""The parts of answers, events and errors."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from ..runtime.answer_part import AnswerPart

NumOutputTokens = TypeAliasType("NumOutputTokens", Annotated[int, Field(ge=0, le=4294967295)])
"""Tokens of each text; in a stream, those it gained."""


NumOutputToken = TypeAliasType("NumOutputToken", Annotated[int, Field(ge=0, le=4294967295)])


class ErrorResponse(AnswerPart):
    error: str
    """What went wrong."""


class ServerMetadata(AnswerPart):
    name: str
    """What the server is."""
    version: str
    """Its version."""
    extensions: list[str]
    """The protocol's extensions that it has."""


ShapeItem = TypeAliasType("ShapeItem", Annotated[int, Field(ge=-1)])


class LatestVersions(AnswerPart):
    num_versions: Annotated[int, Field(ge=0, le=4294967295)]
    """How many of the newest versions are served."""


Dim = TypeAliasType("Dim", Annotated[int, Field(ge=-1)])


class TransactionPolicy(AnswerPart):
    decoupled: bool
    """Whether a request can have other than one response."""


class RepositoryModel(AnswerPart):
    name: str
    """The model."""
    version: str | None = None
    """A version of it."""
    state: str | None = None
    """READY, or why it is not."""
    reason: str | None = None
    """More of why."""


class Durations(AnswerPart):
    count: Annotated[int, Field(ge=0, le=18446744073709551615)]
    """How often."""
    ns: Annotated[int, Field(ge=0, le=18446744073709551615)]
    """For how long altogether, in nanoseconds."""


class BatchStatistics(AnswerPart):
    batch_size: Annotated[int, Field(ge=0, le=18446744073709551615)]
    """Inferences in one run."""
    compute_input: Durations
    """Making inputs ready."""
    compute_infer: Durations
    """Running the model."""
    compute_output: Durations
    """Making outputs ready."""


class GenerateResponse(AnswerPart):
    id: str | None = None
    """What the request has under that name, if anything."""
    model_name: str
    """The model that generated."""
    model_version: str
    """Its version."""
    text_output: str | list[str]
    """The text; in a stream, what it gained. One for each text that was asked for."""
    finish_reason: list[Literal["stop", "length", "None"]] | Literal["stop", "length", "None"] | None = None
    """Why each text ended."""
    cumulative_logprob: float | list[float] | None = None
    """Of each text so far, natural logarithm."""
    logprobs: str | list[str] | None = None
    """Of each text, as JSON: an object for each token, by the ids of those told of, each with `logprob`, `rank` (null if the token that came is not among the likeliest that were asked for) and `decoded_token`. The text `null` where no `logprobs` were asked for."""
    cum_log_probs: float | list[float] | None = None
    """The same as `cumulative_logprob`."""
    output_log_probs: float | list[float] | None = None
    """Of each token, one text after the other; -9999 stands for what is less likely than any number."""
    num_input_tokens: Annotated[int | None, Field(ge=0, le=4294967295)] = None
    """Tokens of the input."""
    num_output_tokens: NumOutputTokens | list[NumOutputToken] | None = None
    """Tokens of each text; in a stream, those it gained."""


GenerateEvent = TypeAliasType("GenerateEvent", GenerateResponse | ErrorResponse)


class TensorMetadata(AnswerPart):
    name: str
    """The tensor."""
    datatype: Literal[
        "BOOL",
        "UINT8",
        "UINT16",
        "UINT32",
        "UINT64",
        "INT8",
        "INT16",
        "INT32",
        "INT64",
        "FP16",
        "FP32",
        "FP64",
        "BYTES",
    ]
    """The type of a tensor's elements."""
    shape: Annotated[list[ShapeItem], Field(min_length=1)]
    """Its dimensions, -1 for any length."""


class VersionPolicy(AnswerPart):
    latest: LatestVersions
    """How many of the newest versions are served."""


class InputConfig(AnswerPart):
    name: str
    """The input."""
    data_type: Literal[
        "TYPE_BOOL",
        "TYPE_UINT8",
        "TYPE_UINT16",
        "TYPE_UINT32",
        "TYPE_UINT64",
        "TYPE_INT8",
        "TYPE_INT16",
        "TYPE_INT32",
        "TYPE_INT64",
        "TYPE_FP16",
        "TYPE_FP32",
        "TYPE_FP64",
        "TYPE_STRING",
    ]
    """The type of a tensor's elements, as configurations write it."""
    dims: Annotated[list[Dim], Field(min_length=1)]
    """Its dimensions, -1 for any length."""
    optional: bool
    """Whether a request may leave it out."""


class OutputConfig(AnswerPart):
    name: str
    """The output."""
    data_type: Literal[
        "TYPE_BOOL",
        "TYPE_UINT8",
        "TYPE_UINT16",
        "TYPE_UINT32",
        "TYPE_UINT64",
        "TYPE_INT8",
        "TYPE_INT16",
        "TYPE_INT32",
        "TYPE_INT64",
        "TYPE_FP16",
        "TYPE_FP32",
        "TYPE_FP64",
        "TYPE_STRING",
    ]
    """The type of a tensor's elements, as configurations write it."""
    dims: Annotated[list[Dim], Field(min_length=1)]
    """Its dimensions, -1 for any length."""


class InferenceStatistics(AnswerPart):
    success: Durations
    """Requests that were answered."""
    fail: Durations
    """Requests that were not."""
    queue: Durations
    """Waiting to be run."""
    compute_input: Durations
    """Making inputs ready."""
    compute_infer: Durations
    """Running the model."""
    compute_output: Durations
    """Making outputs ready."""
    cache_hit: Durations
    """Answers that were kept from before."""
    cache_miss: Durations
    """Answers looked for and not kept."""


class ModelMetadata(AnswerPart):
    name: str
    """The model."""
    versions: Annotated[list[str], Field(min_length=1)]
    """Versions that take requests."""
    platform: str
    """What runs the model."""
    inputs: Annotated[list[TensorMetadata], Field(min_length=1)]
    """What it takes."""
    outputs: Annotated[list[TensorMetadata], Field(min_length=1)]
    """What it gives."""


class ModelConfig(AnswerPart):
    name: str
    """The model."""
    platform: str
    """Empty where there is a backend."""
    backend: str
    """What runs the model."""
    version_policy: VersionPolicy
    """Which versions of the model are served; of this server's, the newest, which is the only one."""
    max_batch_size: Annotated[int, Field(ge=-2147483648, le=2147483647)]
    """0: a request is no batch."""
    input: Annotated[list[InputConfig], Field(min_length=1)]
    """What it takes."""
    output: Annotated[list[OutputConfig], Field(min_length=1)]
    """What it gives."""
    model_transaction_policy: TransactionPolicy
    """How many answers one request may have."""


class ModelStatistics(AnswerPart):
    name: str
    """The model."""
    version: str
    """Its version."""
    last_inference: Annotated[int, Field(ge=0, le=18446744073709551615)]
    """When it last answered, Unix time in ms."""
    inference_count: Annotated[int, Field(ge=0, le=18446744073709551615)]
    """Requests answered."""
    execution_count: Annotated[int, Field(ge=0, le=18446744073709551615)]
    """Steps of the model."""
    inference_stats: InferenceStatistics
    """How many requests there were, and what they took, in nanoseconds since the server started."""
    batch_stats: list[BatchStatistics]
    """By size of a batch."""


class Statistics(AnswerPart):
    model_stats: Annotated[list[ModelStatistics], Field(min_length=1)]
    """One a model."""
