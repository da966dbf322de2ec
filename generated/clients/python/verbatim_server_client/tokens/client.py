# Generated from specs/tokens: mend the document or its overlay, never this file.
"""Token API 0.33.0: its synchronous client."""

from typing_extensions import Unpack

from ..runtime.client import BaseClient
from ..runtime.operation import Arguments
from ..runtime.stream import EventStream
from . import models as m
from . import operations as o
from . import requests as r
from .raw_client import RawClient


class Client(BaseClient):
    """Token API 0.33.0, one method an operation; its own base URL ends in /tokens.

    Answers are parts of `models`, requests are made of `requests`.
    """

    contract = o.CONTRACT

    @property
    def with_raw_response(self) -> RawClient:
        """The methods that answer whole, whose answers come with their status and headers."""
        return RawClient(self)

    def generate(self, **body: Unpack[r.GenerateRequest]) -> m.GenerateResponse:
        """POST /inference/v1/generate: Continue token ids; `stream` chooses one JSON answer or server-sent events

        Keyword arguments are the members of `requests.GenerateRequest`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            answer = client.generate(
                token_ids=[72, 101, 108, 108, 111], sampling_params={"temperature": 0, "max_tokens": 8}
            )
        """
        return self._call(o.GENERATE, Arguments(body=body))

    def stream_generate(self, **body: Unpack[r.GenerateRequest]) -> EventStream[m.GenerateStreamResponse]:
        """POST /inference/v1/generate: Continue token ids; `stream` chooses one JSON answer or server-sent events

        Keyword arguments are the members of `requests.GenerateRequest`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            with client.stream_generate(
                token_ids=[72, 101, 108, 108, 111], sampling_params={"temperature": 0, "max_tokens": 8}
            ) as events:
                for event in events:
                    print(event)
        """
        return self._stream(o.GENERATE, Arguments(body={**body, "stream": True}))

    def abort_requests(self, **body: Unpack[r.AbortRequest]) -> None:
        """POST /inference/v1/abort_requests: End requests by the names that they were sent with

        Requests of the same key that run under one of the names end with an error. Names of no running
        request have no effect. With several API workers, requests of the worker that answers.

        Keyword arguments are the members of `requests.AbortRequest`.

        Declared errors: 400, 401, 413, 415, 500, 503.

        Example::

            client.abort_requests(request_ids=["5b0f1c2d"])
        """
        return self._call(o.ABORT_REQUESTS, Arguments(body=body))

    def list_models(self) -> m.ModelList:
        """GET /v1/models: List what is served

        Declared errors: 401, 500.

        Example::

            answer = client.list_models()
        """
        return self._call(o.LIST_MODELS, Arguments())

    def health(self) -> None:
        """GET /health: Tell whether requests are taken

        Declared errors: 500, 503.

        Example::

            client.health()
        """
        return self._call(o.HEALTH, Arguments())
