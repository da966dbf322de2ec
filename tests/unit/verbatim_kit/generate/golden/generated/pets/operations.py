# Generated from specs/pets: mend the document or its overlay, never this file.
"""Pets 2.1: its operations, and the interface that its handlers implement."""

from abc import abstractmethod
from typing import ClassVar, Final, Required, TypedDict

from verbatim_kit.runtime.operation import (
    Answer,
    Call,
    EventStream,
    FileContent,
    FormField,
    Handlers,
    Operation,
    Parameter,
)

from . import models as m


class NoHeaders(TypedDict):
    """The document declares no header for the answer."""


GetPetHeaders = TypedDict(
    "GetPetHeaders",
    {
        "x-age": float,
        "etag": Required[str],
    },
    total=False,
)

OPERATIONS: Final = (
    Operation(
        id="getPet",
        handler="get_pet",
        method="GET",
        path="/pets/{petId}",
        summary='Find a pet by its "number"',
        parameters=(
            Parameter("petId", "path", is_text=False),
            Parameter("X-Trace", "header", is_text=True),
            Parameter("verbose", "query", is_text=False),
            Parameter("members[]", "query", is_text=True, is_list=True),
        ),
        arguments=m.GetPetArguments,
        response=m.Pet,
        media_type="application/json",
        headers={
            "x-age": False,
            "etag": True,
        },
        errors={
            404: m.Error,
            422: m.Error,
        },
        validation_status=422,
    ),
    Operation(
        id="delete-pet",
        handler="delete_pet",
        method="DELETE",
        path="/pets/{petId}",
        summary="",
        parameters=(Parameter("petId", "path", is_text=False),),
        arguments=m.DeletePetArguments,
        status=204,
        errors={
            401: m.Error,
            422: m.Error,
            503: None,
        },
        validation_status=422,
        is_secured=True,
        key_headers=("authorization", "x-key"),
    ),
    Operation(
        id="listPets",
        handler="list_pets",
        method="GET",
        path="/pets",
        summary="",
        response=list[m.Pet],
        media_type="application/json",
    ),
    Operation(
        id="addPet",
        handler="add_pet",
        method="POST",
        path="/pets",
        summary="Add a pet",
        body=m.NewPet,
        status=201,
        response=m.Pet,
        media_type="application/json",
        event=m.Event,
        terminator="[DONE]",
        errors={
            400: m.Error,
            422: m.Error,
        },
        validation_status=422,
    ),
    Operation(
        id="hearPets",
        handler="hear_pets",
        method="GET",
        path="/pets/sounds",
        summary="",
        event=m.Sound,
        event_media_type="text/event-stream; charset=utf-8",
        event_name="kind",
    ),
    Operation(
        id="walkPet",
        handler="walk_pet",
        method="POST",
        path="/pets/walks",
        summary="Walk a pet",
        body=m.Walk,
        response=m.Pet,
        media_type="application/json",
        event=m.Step,
        event_media_type="application/x-ndjson",
        errors={
            422: m.Error,
        },
        validation_status=422,
    ),
    Operation(
        id="countPets",
        handler="count_pets",
        method="POST",
        path="/pets/count",
        summary="",
        body=m.NewPet,
        is_body_required=False,
        reads_any_media_type=True,
        response=str,
        media_type="text/plain",
        errors={
            422: m.Error,
        },
        validation_status=422,
    ),
    Operation(
        id="showPets",
        handler="show_pets",
        method="GET",
        path="/pets/portraits",
        summary="",
        response=FileContent,
        media_type="application/octet-stream",
    ),
    Operation(
        id="describePet",
        handler="describe_pet",
        method="POST",
        path="/pets/portraits",
        summary="",
        body=m.Portrait,
        form=(
            FormField("picture", "file"),
            FormField("tags[]", "text", is_list=True),
            FormField("size", "json"),
            FormField(
                "crop",
                "text",
                members=(
                    FormField("kind", "text"),
                    FormField("margin", "json"),
                ),
            ),
        ),
        response=m.Pet,
        media_type="application/json",
        text_media_type="text/plain",
        errors={
            422: m.Error,
        },
        validation_status=422,
    ),
    Operation(
        id="getFile",
        handler="get_file",
        method="GET",
        path="/files/{name:path}",
        summary="",
        parameters=(Parameter("name", "path", is_text=True),),
        arguments=m.GetFileArguments,
        response=str,
        media_type="text/plain",
        errors={
            422: m.Error,
        },
        validation_status=422,
    ),
    Operation(
        id="metrics",
        handler="metrics",
        method="GET",
        path="/metrics",
        summary="",
        response=str,
        media_type="text/plain",
    ),
)


class Operations(Handlers):
    """One method an operation; whoever implements them all can be served."""

    table: ClassVar[tuple[Operation, ...]] = OPERATIONS

    @abstractmethod
    async def get_pet(self, arguments: m.GetPetArguments, call: Call[GetPetHeaders]) -> Answer[m.Pet]:
        """GET /pets/{petId}: Find a pet by its 'number'

        Declared errors:
            404: No such pet, or a \\ in its name
            422: The request is not what this document says
        """

    @abstractmethod
    async def delete_pet(self, arguments: m.DeletePetArguments, call: Call[NoHeaders]) -> None:
        """DELETE /pets/{petId}

        Declared errors:
            401: Not without the key
            422: The request is not what this document says
            503: Closed
        """

    @abstractmethod
    async def list_pets(self, call: Call[NoHeaders]) -> Answer[list[m.Pet]]:
        """GET /pets"""

    @abstractmethod
    async def add_pet(self, body: m.NewPet, call: Call[NoHeaders]) -> Answer[m.Pet] | EventStream[m.Event]:
        """POST /pets: Add a pet

        Declared errors:
            400: Not JSON
            422: The request is not what this document says
        """

    @abstractmethod
    async def hear_pets(self, call: Call[NoHeaders]) -> EventStream[m.Sound]:
        """GET /pets/sounds"""

    @abstractmethod
    async def walk_pet(self, body: m.Walk, call: Call[NoHeaders]) -> Answer[m.Pet] | EventStream[m.Step]:
        """POST /pets/walks: Walk a pet

        Declared errors:
            422: The request is not what this document says
        """

    @abstractmethod
    async def count_pets(self, body: m.NewPet | None, call: Call[NoHeaders]) -> str:
        """POST /pets/count

        Declared errors:
            422: The request is not what this document says
        """

    @abstractmethod
    async def show_pets(self, call: Call[NoHeaders]) -> FileContent:
        """GET /pets/portraits"""

    @abstractmethod
    async def describe_pet(self, body: m.Portrait, call: Call[NoHeaders]) -> Answer[m.Pet] | str:
        """POST /pets/portraits

        Declared errors:
            422: The request is not what this document says
        """

    @abstractmethod
    async def get_file(self, arguments: m.GetFileArguments, call: Call[NoHeaders]) -> str:
        """GET /files/{name}

        Declared errors:
            422: The request is not what this document says
        """

    @abstractmethod
    async def metrics(self, call: Call[NoHeaders]) -> str:
        """GET /metrics"""
