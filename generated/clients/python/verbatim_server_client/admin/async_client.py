# Generated from specs/admin: mend the document or its overlay, never this file.
"""Admin API 1.0.0: its asynchronous client."""

from ..runtime.async_client import BaseAsyncClient
from ..runtime.operation import Arguments
from . import models as m
from . import operations as o
from .async_raw_client import AsyncRawClient


class AsyncClient(BaseAsyncClient):
    """Admin API 1.0.0, one method an operation; its own base URL ends in /admin.

    Answers are parts of `models`, requests are made of `requests`.
    """

    contract = o.CONTRACT

    @property
    def with_raw_response(self) -> AsyncRawClient:
        """The methods that answer whole, whose answers come with their status and headers."""
        return AsyncRawClient(self)

    async def list_models(self) -> m.ModelList:
        """GET /models: List all models

        Declared errors: 401, 500.

        Example::

            answer = await client.list_models()
        """
        return await self._call(o.LIST_MODELS, Arguments())

    async def load(self, *, model: str) -> m.Done:
        """POST /load: Start a model

        Keyword arguments:
            model: The model's name, as `GET /models` lists it.

        Declared errors: 400, 401, 404, 500, 503.

        Example::

            answer = await client.load(model="model")
        """
        return await self._call(
            o.LOAD,
            Arguments(
                query={"model": model},
            ),
        )

    async def unload(self, *, model: str) -> m.Done:
        """POST /unload: Stop a model, which its next request starts; running requests end within the grace period

        Keyword arguments:
            model: The model's name, as `GET /models` lists it.

        Declared errors: 400, 401, 404, 500.

        Example::

            answer = await client.unload(model="model")
        """
        return await self._call(
            o.UNLOAD,
            Arguments(
                query={"model": model},
            ),
        )

    async def sleep(self, *, model: str | None = None, level: int | None = None) -> m.Done:
        """POST /sleep: Stop models, whose requests are refused until they are woken

        Keyword arguments:
            model: The model's name, as `GET /models` lists it. Absent, all models are meant.
            level: vLLM's levels of sleep, each of which frees weights and cache here.

        Declared errors: 400, 401, 404, 500.

        Example::

            answer = await client.sleep()
        """
        return await self._call(
            o.SLEEP,
            Arguments(
                query={"model": model, "level": level},
            ),
        )

    async def wake_up(self, *, model: str | None = None) -> m.Done:
        """POST /wake_up: End the sleep of models, and start those that ran before

        Keyword arguments:
            model: The model's name, as `GET /models` lists it. Absent, all models are meant.

        Declared errors: 400, 401, 404, 500, 503.

        Example::

            answer = await client.wake_up()
        """
        return await self._call(
            o.WAKE_UP,
            Arguments(
                query={"model": model},
            ),
        )

    async def wake(self, *, model: str | None = None) -> m.Done:
        """POST /wake: The same as `wake_up`

        Keyword arguments:
            model: The model's name, as `GET /models` lists it. Absent, all models are meant.

        Declared errors: 400, 401, 404, 500, 503.

        Example::

            answer = await client.wake()
        """
        return await self._call(
            o.WAKE,
            Arguments(
                query={"model": model},
            ),
        )

    async def is_sleeping(self, *, model: str | None = None) -> m.Sleep:
        """GET /is_sleeping: Tell whether models sleep

        Keyword arguments:
            model: The model's name, as `GET /models` lists it. Absent, all models are meant.

        Declared errors: 400, 401, 404, 500.

        Example::

            answer = await client.is_sleeping()
        """
        return await self._call(
            o.IS_SLEEPING,
            Arguments(
                query={"model": model},
            ),
        )
