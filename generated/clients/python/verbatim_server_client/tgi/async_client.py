# Generated from specs/tgi: mend the document or its overlay, never this file.
"""Text Generation Inference 2.3.2-dev0: its asynchronous client."""

from typing_extensions import Unpack

from ..runtime.async_client import BaseAsyncClient
from ..runtime.operation import Arguments
from ..runtime.stream import AsyncEventStream
from . import models as m
from . import operations as o
from . import requests as r
from .async_raw_client import AsyncRawClient


class AsyncClient(BaseAsyncClient):
    """Text Generation Inference 2.3.2-dev0, one method an operation; its own base URL ends in /tgi.

    Answers are parts of `models`, requests are made of `requests`.
    """

    contract = o.CONTRACT

    @property
    def with_raw_response(self) -> AsyncRawClient:
        """The methods that answer whole, whose answers come with their status and headers."""
        return AsyncRawClient(self)

    async def compat_generate(self, **body: Unpack[r.CompatGenerateRequest]) -> m.CompatGenerateResponse:
        """POST /: Generate text; `stream` chooses one JSON answer or server-sent events

        Keyword arguments are the members of `requests.CompatGenerateRequest`.

        Declared errors: 401, 413, 415, 422, 424, 429, 500, 503.

        Example::

            answer = await client.compat_generate(
                inputs="Hello, how are you?", parameters={"max_new_tokens": 20}
            )
        """
        return await self._call(o.COMPAT_GENERATE, Arguments(body=body))

    def stream_compat_generate(
        self, **body: Unpack[r.CompatGenerateRequest]
    ) -> AsyncEventStream[m.StreamResponse]:
        """POST /: Generate text; `stream` chooses one JSON answer or server-sent events

        Keyword arguments are the members of `requests.CompatGenerateRequest`.

        Declared errors: 401, 413, 415, 422, 424, 429, 500, 503.

        Example::

            async with client.stream_compat_generate(
                inputs="Hello, how are you?", parameters={"max_new_tokens": 20}
            ) as events:
                async for event in events:
                    print(event)
        """
        return self._stream(o.COMPAT_GENERATE, Arguments(body={**body, "stream": True}))

    async def generate(self, **body: Unpack[r.GenerateRequest]) -> m.GenerateResponse:
        """POST /generate: Generate text and answer when it is complete

        Keyword arguments are the members of `requests.GenerateRequest`.

        Declared errors: 401, 413, 415, 422, 424, 429, 500, 503.

        Example::

            answer = await client.generate(inputs="Hello, how are you?", parameters={"max_new_tokens": 20})
        """
        return await self._call(o.GENERATE, Arguments(body=body))

    def generate_stream(self, **body: Unpack[r.GenerateRequest]) -> AsyncEventStream[m.StreamResponse]:
        """POST /generate_stream: Generate text and send one server-sent event a token

        Keyword arguments are the members of `requests.GenerateRequest`.

        Declared errors: 401, 413, 415, 422, 424, 429, 500, 503.

        Example::

            async with client.generate_stream(
                inputs="Hello, how are you?", parameters={"max_new_tokens": 12}
            ) as events:
                async for event in events:
                    print(event)
        """
        return self._stream(o.GENERATE_STREAM, Arguments(body=body))

    async def health(self) -> None:
        """GET /health: Tell whether the server can generate

        Declared errors: 500, 503.

        Example::

            await client.health()
        """
        return await self._call(o.HEALTH, Arguments())

    async def get_model_info(self) -> m.Info:
        """GET /info: Describe the served model and the limits of this server

        Declared errors: 500.

        Example::

            answer = await client.get_model_info()
        """
        return await self._call(o.GET_MODEL_INFO, Arguments())

    async def metrics(self) -> str:
        """GET /metrics: Counters and timings for Prometheus to scrape

        Declared errors: 500.

        Example::

            answer = await client.metrics()
        """
        return await self._call(o.METRICS, Arguments())

    async def tokenize(self, **body: Unpack[r.GenerateRequest]) -> m.TokenizeResponse:
        """POST /tokenize: Split a prompt into tokens without generating

        The tokens are those that generation would start from, special ones included. `parameters` have no
        effect. `start` and `stop` are byte offsets into the prompt in UTF-8.

        Keyword arguments are the members of `requests.GenerateRequest`.

        Declared errors: 401, 404, 413, 415, 422, 429, 500.

        Example::

            answer = await client.tokenize(inputs="Hello, how are you?")
        """
        return await self._call(o.TOKENIZE, Arguments(body=body))

    async def chat_completions(self, **body: Unpack[r.ChatRequest]) -> m.ChatCompletion:
        """POST /v1/chat/completions: Answer a conversation

        Keyword arguments are the members of `requests.ChatRequest`.

        Declared errors: 401, 413, 415, 422, 424, 429, 500, 503.

        Example::

            answer = await client.chat_completions(
                model="tgi", messages=[{"role": "user", "content": "Hello, who are you?"}], max_tokens=40
            )
        """
        return await self._call(o.CHAT_COMPLETIONS, Arguments(body=body))

    def stream_chat_completions(
        self, **body: Unpack[r.ChatRequest]
    ) -> AsyncEventStream[m.ChatCompletionChunk]:
        """POST /v1/chat/completions: Answer a conversation

        Keyword arguments are the members of `requests.ChatRequest`.

        Declared errors: 401, 413, 415, 422, 424, 429, 500, 503.

        Example::

            async with client.stream_chat_completions(
                model="tgi", messages=[{"role": "user", "content": "Hello, who are you?"}], max_tokens=40
            ) as events:
                async for event in events:
                    print(event)
        """
        return self._stream(o.CHAT_COMPLETIONS, Arguments(body={**body, "stream": True}))

    async def completions(self, **body: Unpack[r.CompletionRequest]) -> m.CompletionFinal:
        """POST /v1/completions: Continue one prompt or several

        Keyword arguments are the members of `requests.CompletionRequest`.

        Declared errors: 401, 413, 415, 422, 424, 429, 500, 503.

        Example::

            answer = await client.completions(
                model="tgi", prompt="Hello, how are", max_tokens=12, temperature=0
            )
        """
        return await self._call(o.COMPLETIONS, Arguments(body=body))

    def stream_completions(self, **body: Unpack[r.CompletionRequest]) -> AsyncEventStream[m.Chunk]:
        """POST /v1/completions: Continue one prompt or several

        Keyword arguments are the members of `requests.CompletionRequest`.

        Declared errors: 401, 413, 415, 422, 424, 429, 500, 503.

        Example::

            async with client.stream_completions(
                model="tgi", prompt="Hello, how are", max_tokens=12, temperature=0
            ) as events:
                async for event in events:
                    print(event)
        """
        return self._stream(o.COMPLETIONS, Arguments(body={**body, "stream": True}))

    async def openai_get_model_info(self) -> m.ModelList:
        """GET /v1/models: Describe the served model in the form that OpenAI clients read

        Declared errors: 404, 500.

        Example::

            answer = await client.openai_get_model_info()
        """
        return await self._call(o.OPENAI_GET_MODEL_INFO, Arguments())
