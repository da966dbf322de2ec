# Generated from specs/admin: mend the document or its overlay, never this file.
"""The component schemas, and the parameters of operations."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import MISSING, BaseModel, Field, StrictBool, StrictStr

from verbatim_kit.runtime.json_types import StrictInt


class Model(BaseModel):
    name: StrictStr
    """
    Its name in requests.
    """
    state: Literal["stopped", "starting", "running", "stopping"]
    """
    The state of its process.
    """
    is_sleeping: StrictBool
    """
    Whether its requests are refused until it is woken.
    """
    memory_bytes: Annotated[StrictInt, Field(ge=0)]
    """
    Resident memory of its processes when it was last measured. Before that, the size of its weights, or 0 as long as no request has come.
    """
    waiting_requests: Annotated[StrictInt, Field(ge=0)]
    """
    Requests that wait for its start.
    """
    running_requests: Annotated[StrictInt, Field(ge=0)]
    """
    Requests that it answers.
    """


class Sleep(BaseModel):
    is_sleeping: StrictBool
    """
    Whether all of them sleep.
    """


class Done(BaseModel):
    """
    Nothing more to say.
    """


class ErrorResponse(BaseModel):
    error: StrictStr
    """
    What to mend.
    """


class LoadArguments(BaseModel):
    model: Annotated[StrictStr, Field(min_length=1)]
    """
    The model's name, as `GET /models` lists it.
    """


class UnloadArguments(BaseModel):
    model: Annotated[StrictStr, Field(min_length=1)]
    """
    The model's name, as `GET /models` lists it.
    """


class SleepArguments(BaseModel):
    model: Annotated[StrictStr | MISSING, Field(min_length=1)] = MISSING
    """
    The model's name, as `GET /models` lists it. Absent, all models are meant.
    """
    level: Annotated[StrictInt, Field(ge=1, le=2)] = 1
    """
    vLLM's levels of sleep, each of which frees weights and cache here.
    """


class WakeUpArguments(BaseModel):
    model: Annotated[StrictStr | MISSING, Field(min_length=1)] = MISSING
    """
    The model's name, as `GET /models` lists it. Absent, all models are meant.
    """


class WakeArguments(BaseModel):
    model: Annotated[StrictStr | MISSING, Field(min_length=1)] = MISSING
    """
    The model's name, as `GET /models` lists it. Absent, all models are meant.
    """


class IsSleepingArguments(BaseModel):
    model: Annotated[StrictStr | MISSING, Field(min_length=1)] = MISSING
    """
    The model's name, as `GET /models` lists it. Absent, all models are meant.
    """


class ModelList(BaseModel):
    models: Annotated[list[Model], Field(min_length=1)]
    """
    The models.
    """
