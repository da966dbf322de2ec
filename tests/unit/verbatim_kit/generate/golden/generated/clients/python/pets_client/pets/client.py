# Generated from specs/pets: mend the document or its overlay, never this file.
"""Pets 2.1: its synchronous client."""

from typing import Literal

from typing_extensions import Unpack

from ..runtime.client import BaseClient
from ..runtime.operation import Arguments
from ..runtime.stream import EventStream
from . import models as m
from . import operations as o
from . import requests as r
from .raw_client import RawClient


class Client(BaseClient):
    """Pets 2.1, one method an operation.

    Answers are parts of `models`, requests are made of `requests`.
    """

    contract = o.CONTRACT

    @property
    def with_raw_response(self) -> RawClient:
        """The methods that answer whole, whose answers come with their status and headers."""
        return RawClient(self)

    def get_pet(
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

            answer = client.get_pet(1)
        """
        return self._call(
            o.GET_PET,
            Arguments(
                path={"petId": pet_id},
                query={"verbose": verbose, "members[]": members},
                headers={"X-Trace": x_trace},
            ),
        )

    def delete_pet(self, pet_id: int) -> None:
        """DELETE /pets/{petId}

        Declared errors: 401, 422, 503.

        Example::

            client.delete_pet(1)
        """
        return self._call(
            o.DELETE_PET,
            Arguments(
                path={"petId": pet_id},
            ),
        )

    def list_pets(self) -> list[m.Pet]:
        """GET /pets

        Example::

            answer = client.list_pets()
        """
        return self._call(o.LIST_PETS, Arguments())

    def add_pet(self, **body: Unpack[r.NewPetWithoutStream]) -> m.Pet:
        """POST /pets: Add a pet

        Keyword arguments are the members of `requests.NewPetWithoutStream`.

        Declared errors: 400, 422.

        Example::

            answer = client.add_pet()
        """
        return self._call(o.ADD_PET, Arguments(body=body))

    def stream_add_pet(self, **body: Unpack[r.NewPetWithoutStream]) -> EventStream[m.Pet]:
        """POST /pets: Add a pet

        Keyword arguments are the members of `requests.NewPetWithoutStream`.

        Declared errors: 400, 422.

        Example::

            with client.stream_add_pet() as events:
                for event in events:
                    print(event)
        """
        return self._stream(o.ADD_PET, Arguments(body={**body, "stream": True}))

    def hear_pets(self) -> EventStream[m.Sound]:
        """GET /pets/sounds

        Example::

            with client.hear_pets() as events:
                for event in events:
                    print(event)
        """
        return self._stream(o.HEAR_PETS, Arguments())

    def walk_pet(self, **body: Unpack[r.Walk]) -> m.Pet:
        """POST /pets/walks: Walk a pet

        Keyword arguments are the members of `requests.Walk`.

        Declared errors: 422.

        Example::

            answer = client.walk_pet(pet="Bo")
        """
        return self._call(o.WALK_PET, Arguments(body={**body, "stream": False}))

    def stream_walk_pet(self, **body: Unpack[r.Walk]) -> EventStream[m.Stride]:
        """POST /pets/walks: Walk a pet

        Keyword arguments are the members of `requests.Walk`.

        Declared errors: 422.

        Example::

            with client.stream_walk_pet(pet="Bo") as events:
                for event in events:
                    print(event)
        """
        return self._stream(o.WALK_PET, Arguments(body={**body, "stream": True}))

    def count_pets(self, body: r.NewPet | None = None) -> str:
        """POST /pets/count

        Declared errors: 422.

        Example::

            answer = client.count_pets(body={})
        """
        return self._call(o.COUNT_PETS, Arguments(body=body))

    def show_pets(self) -> bytes:
        """GET /pets/portraits

        Example::

            answer = client.show_pets()
        """
        return self._call(o.SHOW_PETS, Arguments())

    def describe_pet(self, **body: Unpack[r.Portrait]) -> m.Pet | str:
        """POST /pets/portraits

        Keyword arguments are the members of `requests.Portrait`.

        Declared errors: 422.

        Example::

            answer = client.describe_pet(picture=open("cat.png", "rb"), tags=["cat"], size=2.5)
        """
        return self._call(o.DESCRIBE_PET, Arguments(body=body))

    def get_file(self, name: str) -> str:
        """GET /files/{name}

        Declared errors: 422.

        Example::

            answer = client.get_file("name")
        """
        return self._call(
            o.GET_FILE,
            Arguments(
                path={"name": name},
            ),
        )

    def metrics(self) -> str:
        """GET /metrics

        Example::

            answer = client.metrics()
        """
        return self._call(o.METRICS, Arguments())
