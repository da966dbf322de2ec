# Generated from specs/tokens: mend the document or its overlay, never this file.
"""Token API 0.33.0: its asynchronous client's answers as they come."""

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

    async def generate(self, **body: Unpack[r.GenerateRequest]) -> APIResponse[m.GenerateResponse]:
        """The raw answer of `AsyncClient.generate`."""
        return await self._client._respond(o.GENERATE, Arguments(body=body))

    async def abort_requests(self, **body: Unpack[r.AbortRequest]) -> APIResponse[None]:
        """The raw answer of `AsyncClient.abort_requests`."""
        return await self._client._respond(o.ABORT_REQUESTS, Arguments(body=body))

    async def list_models(self) -> APIResponse[m.ModelList]:
        """The raw answer of `AsyncClient.list_models`."""
        return await self._client._respond(o.LIST_MODELS, Arguments())

    async def health(self) -> APIResponse[None]:
        """The raw answer of `AsyncClient.health`."""
        return await self._client._respond(o.HEALTH, Arguments())
