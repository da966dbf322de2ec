# Generated from specs/systemone: mend the document or its overlay, never this file.
"""System One API 0.2.0: its asynchronous client."""

from typing_extensions import Unpack

from ..runtime.async_client import BaseAsyncClient
from ..runtime.operation import Arguments
from . import models as m
from . import operations as o
from . import requests as r
from .async_raw_client import AsyncRawClient


class AsyncClient(BaseAsyncClient):
    """System One API 0.2.0, one method an operation; its own base URL ends in /systemone.

    Answers are parts of `models`, requests are made of `requests`.
    """

    contract = o.CONTRACT

    @property
    def with_raw_response(self) -> AsyncRawClient:
        """The methods that answer whole, whose answers come with their status and headers."""
        return AsyncRawClient(self)

    async def system_one(self, **body: Unpack[r.SystemOneRequest]) -> m.SystemOneResponse:
        """POST /v1/systemone: Answer questions about a state

        No answer depends on another question of the request.

        Keyword arguments are the members of `requests.SystemOneRequest`.

        Declared errors: 401, 404, 413, 415, 422, 429, 500, 503.

        Example::

            answer = await client.system_one(
                model="verbatim-demo",
                state="The gate was left open at night.",
                questions={"alarm": {"type": "noul", "instructions": "Should someone be called?"}},
            )
        """
        return await self._call(o.SYSTEM_ONE, Arguments(body=body))

    async def list_models(self) -> m.ModelList:
        """GET /v1/models: Name the models that are served

        The served model, its aliases and the adapters that are loaded.

        Declared errors: 401, 429, 500.

        Example::

            answer = await client.list_models()
        """
        return await self._call(o.LIST_MODELS, Arguments())
