# Generated from specs/mindie: mend the document or its overlay, never this file.
"""MindIE chat completions 2.3.0: its synchronous client's answers as they come."""

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

    def chat_completions(self, **body: Unpack[r.ChatRequest]) -> APIResponse[m.ChatCompletion]:
        """The raw answer of `Client.chat_completions`."""
        return self._client._respond(o.CHAT_COMPLETIONS, Arguments(body=body))
