# Generated from specs/mindie: mend the document or its overlay, never this file.
"""MindIE chat completions 2.3.0: its asynchronous client's answers as they come."""

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

    async def chat_completions(self, **body: Unpack[r.ChatRequest]) -> APIResponse[m.ChatCompletion]:
        """The raw answer of `AsyncClient.chat_completions`."""
        return await self._client._respond(o.CHAT_COMPLETIONS, Arguments(body=body))
