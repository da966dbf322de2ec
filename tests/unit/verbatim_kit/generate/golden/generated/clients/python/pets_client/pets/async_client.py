# Generated from specs/pets: mend the document or its overlay, never this file.
"""Pets 2.1: its asynchronous client."""

from typing import Literal

from typing_extensions import Unpack

from ..runtime.async_client import BaseAsyncClient
from ..runtime.operation import Arguments
from ..runtime.stream import AsyncEventStream
from . import models as m
from . import operations as o
from . import requests as r
from .async_raw_client import AsyncRawClient


class AsyncClient(BaseAsyncClient):
    """Pets 2.1, one method an operation.

    Answers are parts of `models`, requests are made of `requests`.
    """

    contract = o.CONTRACT

    @property
    def with_raw_response(self) -> AsyncRawClient:
        """The methods that answer whole, whose answers come with their status and headers."""
        return AsyncRawClient(self)

    async def get_pet(
        self,
        pet_id: int,
        *,
        x_trace: str | None = None,
        verbose: bool | None = None,
        members: list[Literal["name", "age"]] | None = None,
    ) -> m.Pet:
        """GET /pets/{petId}: Find a pet by its 'number'

        Keyword arguments:
            x_trace
            verbose
            members

        Declared errors: 404, 422.

        Example::

            answer = await client.get_pet(1)
        """
        return await self._call(
            o.GET_PET,
            Arguments(
                path={"petId": pet_id},
                query={"verbose": verbose, "members[]": members},
                headers={"X-Trace": x_trace},
            ),
        )

    async def delete_pet(self, pet_id: int) -> None:
        """DELETE /pets/{petId}

        Declared errors: 401, 422, 503.

        Example::

            await client.delete_pet(1)
        """
        return await self._call(
            o.DELETE_PET,
            Arguments(
                path={"petId": pet_id},
            ),
        )

    async def list_pets(self) -> list[m.Pet]:
        """GET /pets

        Example::

            answer = await client.list_pets()
        """
        return await self._call(o.LIST_PETS, Arguments())

    async def add_pet(self, **body: Unpack[r.NewPetWithoutStream]) -> m.Pet:
        """POST /pets: Add a pet

        Keyword arguments are the members of `requests.NewPetWithoutStream`.

        Declared errors: 400, 422.

        Example::

            answer = await client.add_pet()
        """
        return await self._call(o.ADD_PET, Arguments(body=body))

    def stream_add_pet(self, **body: Unpack[r.NewPetWithoutStream]) -> AsyncEventStream[m.Pet]:
        """POST /pets: Add a pet

        Keyword arguments are the members of `requests.NewPetWithoutStream`.

        Declared errors: 400, 422.

        Example::

            async with client.stream_add_pet() as events:
                async for event in events:
                    print(event)
        """
        return self._stream(o.ADD_PET, Arguments(body={**body, "stream": True}))

    def hear_pets(self) -> AsyncEventStream[m.Sound]:
        """GET /pets/sounds

        Example::

            async with client.hear_pets() as events:
                async for event in events:
                    print(event)
        """
        return self._stream(o.HEAR_PETS, Arguments())

    async def walk_pet(self, **body: Unpack[r.Walk]) -> m.Pet:
        """POST /pets/walks: Walk a pet

        Keyword arguments are the members of `requests.Walk`.

        Declared errors: 422.

        Example::

            answer = await client.walk_pet(pet="Bo")
        """
        return await self._call(o.WALK_PET, Arguments(body={**body, "stream": False}))

    def stream_walk_pet(self, **body: Unpack[r.Walk]) -> AsyncEventStream[m.Stride]:
        """POST /pets/walks: Walk a pet

        Keyword arguments are the members of `requests.Walk`.

        Declared errors: 422.

        Example::

            async with client.stream_walk_pet(pet="Bo") as events:
                async for event in events:
                    print(event)
        """
        return self._stream(o.WALK_PET, Arguments(body={**body, "stream": True}))

    async def count_pets(self, body: r.NewPet | None = None) -> str:
        """POST /pets/count

        Declared errors: 422.

        Example::

            answer = await client.count_pets(body={})
        """
        return await self._call(o.COUNT_PETS, Arguments(body=body))

    async def show_pets(self) -> bytes:
        """GET /pets/portraits

        Example::

            answer = await client.show_pets()
        """
        return await self._call(o.SHOW_PETS, Arguments())

    async def describe_pet(self, **body: Unpack[r.Portrait]) -> m.Pet | str:
        """POST /pets/portraits

        Keyword arguments are the members of `requests.Portrait`.

        Declared errors: 422.

        Example::

            answer = await client.describe_pet(picture=open("cat.png", "rb"), tags=["cat"], size=2.5)
        """
        return await self._call(o.DESCRIBE_PET, Arguments(body=body))

    async def get_file(self, name: str) -> str:
        """GET /files/{name}

        Declared errors: 422.

        Example::

            answer = await client.get_file("name")
        """
        return await self._call(
            o.GET_FILE,
            Arguments(
                path={"name": name},
            ),
        )

    async def metrics(self) -> str:
        """GET /metrics

        Example::

            answer = await client.metrics()
        """
        return await self._call(o.METRICS, Arguments())
