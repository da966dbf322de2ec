# Generated from specs/pets: mend the document or its overlay, never this file.
"""The component schemas, and the parameters of operations."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import MISSING, BaseModel, ConfigDict, Field, StrictBool, StrictStr
from typing_extensions import TypeAliasType

from verbatim_kit.runtime.json_types import StrictFloat, StrictInt
from verbatim_kit.runtime.upload import Upload


class Error(BaseModel):
    reason: StrictStr


class Walk(BaseModel):
    pet: StrictStr
    stream: StrictBool = True


class Stride(BaseModel):
    metres: StrictInt
    done: StrictBool
    """
    True for the last one.
    """


class Bark(BaseModel):
    kind: Literal["bark", "howl"]
    volume: StrictInt


class Silence(BaseModel):
    kind: Literal["silence"]


class Crop(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    kind: Literal["circle", "square"]
    margin: Annotated[StrictInt, Field(ge=0, le=2147483647)] = 2


Name = TypeAliasType("Name", Annotated[StrictStr, Field(min_length=1)])


class NewPet(BaseModel):
    kind: Literal["cat", "dog"]
    name: Annotated[StrictStr | MISSING, Field(min_length=1)] = MISSING
    names: Annotated[list[Name] | MISSING, Field(max_length=3)] = MISSING
    weight: Annotated[StrictFloat | None | MISSING, Field(gt=0.0)] = MISSING
    legs: Annotated[StrictInt, Field(ge=0, le=255)] = 4
    favourite: Literal["cat", "dog"] | None | MISSING = MISSING
    schema_: Annotated[dict[str, Any] | MISSING, Field(alias="schema")] = MISSING
    """
    A name that pydantic has for itself.
    """
    nullable: StrictBool = False
    """
    A property that is called like a keyword.
    """
    mood: Literal["good", "bad"] | None | MISSING = MISSING
    stream: StrictBool = False


class GetPetArguments(BaseModel):
    pet_id: Annotated[StrictInt, Field(alias="petId", ge=1, le=2147483647)]
    """
    Number of the pet.
    """
    x_trace: Annotated[StrictStr | MISSING, Field(alias="X-Trace", max_length=8)] = MISSING
    verbose: StrictBool = False
    members: Annotated[list[Literal["name", "age"]] | MISSING, Field(max_length=2)] = MISSING


class DeletePetArguments(BaseModel):
    pet_id: Annotated[StrictInt, Field(alias="petId", ge=1, le=2147483647)]
    """
    Number of the pet.
    """


class GetFileArguments(BaseModel):
    name: Annotated[StrictStr, Field(min_length=1)]


class Pet(BaseModel):
    id: Annotated[StrictInt, Field(ge=1, le=2147483647)]
    kind: Literal["cat", "dog"]
    owner: StrictStr | None
    """
    Null for a pet that nobody has.
    """


Event = TypeAliasType("Event", Pet | Error)


Step = TypeAliasType("Step", Stride | Error)


Sound = TypeAliasType("Sound", Bark | Silence)


class Portrait(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        arbitrary_types_allowed=True,
    )
    picture: Upload
    """
    The picture.
    """
    tags: list[Literal["cat", "dog"]] = ["dog"]
    size: Annotated[StrictFloat, Field(ge=0.0)] = 1
    crop: Literal["auto"] | Crop | MISSING = MISSING
