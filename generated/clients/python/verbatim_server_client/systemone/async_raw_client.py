# Generated from specs/systemone: mend the document or its overlay, never this file.
"""System One API 0.2.0: its asynchronous client's answers as they come."""

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

    async def system_one(self, **body: Unpack[r.SystemOneRequest]) -> APIResponse[m.SystemOneResponse]:
        """The raw answer of `AsyncClient.system_one`.

        Declared headers: x-typesafe-request-id.
        """
        return await self._client._respond(o.SYSTEM_ONE, Arguments(body=body))

    async def list_models(self) -> APIResponse[m.ModelList]:
        """The raw answer of `AsyncClient.list_models`.

        Declared headers: x-typesafe-request-id.
        """
        return await self._client._respond(o.LIST_MODELS, Arguments())
