# Generated from specs/open_responses: mend the document or its overlay, never this file.
"""Open Responses 2026-04-24: its asynchronous client's answers as they come."""

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

    async def create_response(self, **body: Unpack[r.CreateResponseBody]) -> APIResponse[m.ResponseResource]:
        """The raw answer of `AsyncClient.create_response`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return await self._client._respond(o.CREATE_RESPONSE, Arguments(body=body))
