# Generated from specs/tokens: mend the document or its overlay, never this file.
"""Token API 0.33.0: its synchronous client's answers as they come."""

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

    def generate(self, **body: Unpack[r.GenerateRequest]) -> APIResponse[m.GenerateResponse]:
        """The raw answer of `Client.generate`."""
        return self._client._respond(o.GENERATE, Arguments(body=body))

    def abort_requests(self, **body: Unpack[r.AbortRequest]) -> APIResponse[None]:
        """The raw answer of `Client.abort_requests`."""
        return self._client._respond(o.ABORT_REQUESTS, Arguments(body=body))

    def list_models(self) -> APIResponse[m.ModelList]:
        """The raw answer of `Client.list_models`."""
        return self._client._respond(o.LIST_MODELS, Arguments())

    def health(self) -> APIResponse[None]:
        """The raw answer of `Client.health`."""
        return self._client._respond(o.HEALTH, Arguments())
