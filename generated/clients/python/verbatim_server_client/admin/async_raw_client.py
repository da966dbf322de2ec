# Generated from specs/admin: mend the document or its overlay, never this file.
"""Admin API 1.0.0: its asynchronous client's answers as they come."""

from ..runtime.async_client import BaseAsyncClient
from ..runtime.operation import Arguments
from ..runtime.response import APIResponse
from . import models as m
from . import operations as o


class AsyncRawClient:
    """`AsyncClient.with_raw_response`: a method for each operation that answers whole."""

    def __init__(self, client: BaseAsyncClient) -> None:
        self._client = client

    async def list_models(self) -> APIResponse[m.ModelList]:
        """The raw answer of `AsyncClient.list_models`."""
        return await self._client._respond(o.LIST_MODELS, Arguments())

    async def load(self, *, model: str) -> APIResponse[m.Done]:
        """The raw answer of `AsyncClient.load`."""
        return await self._client._respond(
            o.LOAD,
            Arguments(
                query={"model": model},
            ),
        )

    async def unload(self, *, model: str) -> APIResponse[m.Done]:
        """The raw answer of `AsyncClient.unload`."""
        return await self._client._respond(
            o.UNLOAD,
            Arguments(
                query={"model": model},
            ),
        )

    async def sleep(self, *, model: str | None = None, level: int | None = None) -> APIResponse[m.Done]:
        """The raw answer of `AsyncClient.sleep`."""
        return await self._client._respond(
            o.SLEEP,
            Arguments(
                query={"model": model, "level": level},
            ),
        )

    async def wake_up(self, *, model: str | None = None) -> APIResponse[m.Done]:
        """The raw answer of `AsyncClient.wake_up`."""
        return await self._client._respond(
            o.WAKE_UP,
            Arguments(
                query={"model": model},
            ),
        )

    async def wake(self, *, model: str | None = None) -> APIResponse[m.Done]:
        """The raw answer of `AsyncClient.wake`."""
        return await self._client._respond(
            o.WAKE,
            Arguments(
                query={"model": model},
            ),
        )

    async def is_sleeping(self, *, model: str | None = None) -> APIResponse[m.Sleep]:
        """The raw answer of `AsyncClient.is_sleeping`."""
        return await self._client._respond(
            o.IS_SLEEPING,
            Arguments(
                query={"model": model},
            ),
        )
