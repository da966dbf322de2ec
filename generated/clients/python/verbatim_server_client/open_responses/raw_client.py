# Generated from specs/open_responses: mend the document or its overlay, never this file.
"""Open Responses 2026-04-24: its synchronous client's answers as they come."""

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

    def create_response(self, **body: Unpack[r.CreateResponseBody]) -> APIResponse[m.ResponseResource]:
        """The raw answer of `Client.create_response`.

        Declared headers: x-request-id, x-ratelimit-limit-requests, x-ratelimit-remaining-requests,
        x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens,
        x-ratelimit-reset-tokens.
        """
        return self._client._respond(o.CREATE_RESPONSE, Arguments(body=body))
