# Generated from specs/aleph_alpha: mend the document or its overlay, never this file.
"""Aleph Alpha inference API 1.19.0: its asynchronous client."""

from typing_extensions import Unpack

from ..runtime.async_client import BaseAsyncClient
from ..runtime.operation import Arguments
from ..runtime.stream import AsyncEventStream
from . import models as m
from . import operations as o
from . import requests as r
from .async_raw_client import AsyncRawClient


class AsyncClient(BaseAsyncClient):
    """Aleph Alpha inference API 1.19.0, one method an operation; its own base URL ends in /aleph_alpha.

    Answers are parts of `models`, requests are made of `requests`.
    """

    contract = o.CONTRACT

    @property
    def with_raw_response(self) -> AsyncRawClient:
        """The methods that answer whole, whose answers come with their status and headers."""
        return AsyncRawClient(self)

    async def chat_completions(
        self, *, nice: bool | None = None, **body: Unpack[r.ChatRequest]
    ) -> m.ChatCompletion:
        """POST /chat/completions: Answer a conversation

        Keyword arguments are the members of `requests.ChatRequest`, and:
            nice: Let requests that are not nice go first. The answer is the same.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            answer = await client.chat_completions(
                model="verbatim-demo", messages=[{"role": "user", "content": "Hello!"}], max_tokens=20
            )
        """
        return await self._call(o.CHAT_COMPLETIONS, Arguments(query={"nice": nice}, body=body))

    def stream_chat_completions(
        self, *, nice: bool | None = None, **body: Unpack[r.ChatRequest]
    ) -> AsyncEventStream[m.ChatCompletionChunk]:
        """POST /chat/completions: Answer a conversation

        Keyword arguments are the members of `requests.ChatRequest`, and:
            nice: Let requests that are not nice go first. The answer is the same.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            async with client.stream_chat_completions(
                model="verbatim-demo", messages=[{"role": "user", "content": "Hello!"}], max_tokens=20
            ) as events:
                async for event in events:
                    print(event)
        """
        return self._stream(
            o.CHAT_COMPLETIONS, Arguments(query={"nice": nice}, body={**body, "stream": True})
        )

    async def complete(
        self, *, nice: bool | None = None, **body: Unpack[r.CompletionRequest]
    ) -> m.CompletionResponse:
        """POST /complete: Continue a prompt

        Keyword arguments are the members of `requests.CompletionRequest`, and:
            nice: Let requests that are not nice go first. The answer is the same.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            answer = await client.complete(
                model="verbatim-demo", prompt="Once upon a time", maximum_tokens=10
            )
        """
        return await self._call(o.COMPLETE, Arguments(query={"nice": nice}, body=body))

    def stream_complete(
        self, *, nice: bool | None = None, **body: Unpack[r.CompletionRequest]
    ) -> AsyncEventStream[m.StreamChunk | m.StreamSummary | m.CompletionSummary]:
        """POST /complete: Continue a prompt

        Keyword arguments are the members of `requests.CompletionRequest`, and:
            nice: Let requests that are not nice go first. The answer is the same.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            async with client.stream_complete(
                model="verbatim-demo", prompt="Once upon a time", maximum_tokens=10
            ) as events:
                async for event in events:
                    print(event)
        """
        return self._stream(o.COMPLETE, Arguments(query={"nice": nice}, body={**body, "stream": True}))

    async def evaluate(
        self, *, nice: bool | None = None, **body: Unpack[r.EvaluationRequest]
    ) -> m.EvaluationResponse:
        """POST /evaluate: Tell how likely a completion is after a prompt

        Keyword arguments are the members of `requests.EvaluationRequest`, and:
            nice: Let requests that are not nice go first. The answer is the same.

        Declared errors: 400, 401, 404, 413, 415, 429, 500, 503.

        Example::

            answer = await client.evaluate(
                model="verbatim-demo", prompt="Hello", completion_expected=" world"
            )
        """
        return await self._call(o.EVALUATE, Arguments(query={"nice": nice}, body=body))

    async def tokenize(self, **body: Unpack[r.TokenizationRequest]) -> m.TokenizationResponse:
        """POST /tokenize: Turn a text into tokens

        Keyword arguments are the members of `requests.TokenizationRequest`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500.

        Example::

            answer = await client.tokenize(
                model="verbatim-demo", prompt="Hello world", tokens=True, token_ids=True
            )
        """
        return await self._call(o.TOKENIZE, Arguments(body=body))

    async def detokenize(self, **body: Unpack[r.DetokenizationRequest]) -> m.DetokenizationResponse:
        """POST /detokenize: Turn token ids into a text

        Keyword arguments are the members of `requests.DetokenizationRequest`.

        Declared errors: 400, 401, 404, 413, 415, 429, 500.

        Example::

            answer = await client.detokenize(model="verbatim-demo", token_ids=[312, 845])
        """
        return await self._call(o.DETOKENIZE, Arguments(body=body))

    async def models_available(self) -> m.AvailableModels:
        """GET /models_available: List the models, in the older form

        Declared errors: 401, 500.

        Example::

            answer = await client.models_available()
        """
        return await self._call(o.MODELS_AVAILABLE, Arguments())

    async def model_settings(self) -> m.ModelSettingsList:
        """GET /model-settings: List the models and what each can do

        Declared errors: 401, 500.

        Example::

            answer = await client.model_settings()
        """
        return await self._call(o.MODEL_SETTINGS, Arguments())

    async def version(self) -> str:
        """GET /version: Tell the version of the API

        Declared errors: 401, 500.

        Example::

            answer = await client.version()
        """
        return await self._call(o.VERSION, Arguments())
