# Generated from specs/systemone: mend the document or its overlay, never this file.
"""System One API 0.2.0: its synchronous client's answers as they come."""

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

    def system_one(self, **body: Unpack[r.SystemOneRequest]) -> APIResponse[m.SystemOneResponse]:
        """The raw answer of `Client.system_one`.

        Declared headers: x-typesafe-request-id.
        """
        return self._client._respond(o.SYSTEM_ONE, Arguments(body=body))

    def list_models(self) -> APIResponse[m.ModelList]:
        """The raw answer of `Client.list_models`.

        Declared headers: x-typesafe-request-id.
        """
        return self._client._respond(o.LIST_MODELS, Arguments())
