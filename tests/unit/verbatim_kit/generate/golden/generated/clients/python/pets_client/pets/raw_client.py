# Generated from specs/pets: mend the document or its overlay, never this file.
"""Pets 2.1: its synchronous client's answers as they come."""

from typing import Literal

from typing_extensions import Unpack

from ..runtime.client import BaseClient
from ..runtime.operation import Arguments
from ..runtime.response import APIResponse
from . import models as m
from . import operations as o
from . import requests as r


class RawClient:
    """`Client.with_raw_response`: a method for each operation that answers whole."""

    def __init__(self, client: BaseClient) -> None:
        self._client = client

    def get_pet(
        self,
        pet_id: int,
        *,
        x_trace: str | None = None,
        verbose: bool | None = None,
        members: list[Literal["name", "age"]] | None = None,
    ) -> APIResponse[m.Pet]:
        """The raw answer of `Client.get_pet`.

        Declared headers: x-age, etag.
        """
        return self._client._respond(
            o.GET_PET,
            Arguments(
                path={"petId": pet_id},
                query={"verbose": verbose, "members[]": members},
                headers={"X-Trace": x_trace},
            ),
        )

    def delete_pet(self, pet_id: int) -> APIResponse[None]:
        """The raw answer of `Client.delete_pet`."""
        return self._client._respond(
            o.DELETE_PET,
            Arguments(
                path={"petId": pet_id},
            ),
        )

    def list_pets(self) -> APIResponse[list[m.Pet]]:
        """The raw answer of `Client.list_pets`."""
        return self._client._respond(o.LIST_PETS, Arguments())

    def add_pet(self, **body: Unpack[r.NewPetWithoutStream]) -> APIResponse[m.Pet]:
        """The raw answer of `Client.add_pet`."""
        return self._client._respond(o.ADD_PET, Arguments(body=body))

    def walk_pet(self, **body: Unpack[r.Walk]) -> APIResponse[m.Pet]:
        """The raw answer of `Client.walk_pet`."""
        return self._client._respond(o.WALK_PET, Arguments(body={**body, "stream": False}))

    def count_pets(self, body: r.NewPet | None = None) -> APIResponse[str]:
        """The raw answer of `Client.count_pets`."""
        return self._client._respond(o.COUNT_PETS, Arguments(body=body))

    def show_pets(self) -> APIResponse[bytes]:
        """The raw answer of `Client.show_pets`."""
        return self._client._respond(o.SHOW_PETS, Arguments())

    def describe_pet(self, **body: Unpack[r.Portrait]) -> APIResponse[m.Pet | str]:
        """The raw answer of `Client.describe_pet`."""
        return self._client._respond(o.DESCRIBE_PET, Arguments(body=body))

    def get_file(self, name: str) -> APIResponse[str]:
        """The raw answer of `Client.get_file`."""
        return self._client._respond(
            o.GET_FILE,
            Arguments(
                path={"name": name},
            ),
        )

    def metrics(self) -> APIResponse[str]:
        """The raw answer of `Client.metrics`."""
        return self._client._respond(o.METRICS, Arguments())
