# Generated from specs/pets: mend the document or its overlay, never this file.
"""Pets 2.1: its asynchronous client's answers as they come."""

from typing import Literal

from typing_extensions import Unpack

from ..runtime.async_client import BaseAsyncClient
from ..runtime.operation import Arguments
from ..runtime.response import APIResponse
from . import models as m
from . import operations as o
from . import requests as r


class AsyncRawClient:
    """`AsyncClient.with_raw_response`: a method for each operation that answers whole."""

    def __init__(self, client: BaseAsyncClient) -> None:
        self._client = client

    async def get_pet(
        self,
        pet_id: int,
        *,
        x_trace: str | None = None,
        verbose: bool | None = None,
        members: list[Literal["name", "age"]] | None = None,
    ) -> APIResponse[m.Pet]:
        """The raw answer of `AsyncClient.get_pet`.

        Declared headers: x-age, etag.
        """
        return await self._client._respond(
            o.GET_PET,
            Arguments(
                path={"petId": pet_id},
                query={"verbose": verbose, "members[]": members},
                headers={"X-Trace": x_trace},
            ),
        )

    async def delete_pet(self, pet_id: int) -> APIResponse[None]:
        """The raw answer of `AsyncClient.delete_pet`."""
        return await self._client._respond(
            o.DELETE_PET,
            Arguments(
                path={"petId": pet_id},
            ),
        )

    async def list_pets(self) -> APIResponse[list[m.Pet]]:
        """The raw answer of `AsyncClient.list_pets`."""
        return await self._client._respond(o.LIST_PETS, Arguments())

    async def add_pet(self, **body: Unpack[r.NewPetWithoutStream]) -> APIResponse[m.Pet]:
        """The raw answer of `AsyncClient.add_pet`."""
        return await self._client._respond(o.ADD_PET, Arguments(body=body))

    async def walk_pet(self, **body: Unpack[r.Walk]) -> APIResponse[m.Pet]:
        """The raw answer of `AsyncClient.walk_pet`."""
        return await self._client._respond(o.WALK_PET, Arguments(body={**body, "stream": False}))

    async def count_pets(self, body: r.NewPet | None = None) -> APIResponse[str]:
        """The raw answer of `AsyncClient.count_pets`."""
        return await self._client._respond(o.COUNT_PETS, Arguments(body=body))

    async def show_pets(self) -> APIResponse[bytes]:
        """The raw answer of `AsyncClient.show_pets`."""
        return await self._client._respond(o.SHOW_PETS, Arguments())

    async def describe_pet(self, **body: Unpack[r.Portrait]) -> APIResponse[m.Pet | str]:
        """The raw answer of `AsyncClient.describe_pet`."""
        return await self._client._respond(o.DESCRIBE_PET, Arguments(body=body))

    async def get_file(self, name: str) -> APIResponse[str]:
        """The raw answer of `AsyncClient.get_file`."""
        return await self._client._respond(
            o.GET_FILE,
            Arguments(
                path={"name": name},
            ),
        )

    async def metrics(self) -> APIResponse[str]:
        """The raw answer of `AsyncClient.metrics`."""
        return await self._client._respond(o.METRICS, Arguments())
