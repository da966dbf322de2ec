# Generated from specs/hf: mend the document or its overlay, never this file.
"""Hugging Face Text Generation Inference API 1.0.0: its asynchronous client."""

from typing_extensions import Unpack

from ..runtime.async_client import BaseAsyncClient
from ..runtime.operation import Arguments
from ..runtime.stream import AsyncEventStream
from . import models as m
from . import operations as o
from . import requests as r
from .async_raw_client import AsyncRawClient


class AsyncClient(BaseAsyncClient):
    """Hugging Face Text Generation Inference API 1.0.0, one method an operation; its own base URL ends in /hf.

    Answers are parts of `models`, requests are made of `requests`.
    """

    contract = o.CONTRACT

    @property
    def with_raw_response(self) -> AsyncRawClient:
        """The methods that answer whole, whose answers come with their status and headers."""
        return AsyncRawClient(self)

    async def generate(self, **body: Unpack[r.GenerateRequest]) -> m.GenerateResponse:
        """POST /generate: Continue a prompt

        Continues a prompt with the served model and answers with the whole text at once.

        Keyword arguments are the members of `requests.GenerateRequest`.

        Declared errors: 400, 401, 413, 415, 422, 429, 500, 503.

        Example::

            answer = await client.generate(inputs="What is deep learning?", parameters={"max_new_tokens": 20})
        """
        return await self._call(o.GENERATE, Arguments(body=body))

    def generate_stream(self, **body: Unpack[r.GenerateRequest]) -> AsyncEventStream[m.StreamResponse]:
        """POST /generate_stream: Continue a prompt token by token

        Continues a prompt; each token comes in a server-sent event as soon as it is there.

        Keyword arguments are the members of `requests.GenerateRequest`.

        Declared errors: 400, 401, 413, 415, 422, 429, 500, 503.

        Example::

            async with client.generate_stream(inputs="What is deep learning?") as events:
                async for event in events:
                    print(event)
        """
        return self._stream(o.GENERATE_STREAM, Arguments(body=body))

    async def chat_completions(self, **body: Unpack[r.ChatCompletionRequest]) -> m.ChatCompletionResponse:
        """POST /v1/chat/completions: Answer a conversation

        Answers a conversation in the shape of OpenAI's API: texts and images in, text, calls of tools or
        JSON that follows a schema out.

        Keyword arguments are the members of `requests.ChatCompletionRequest`.

        Declared errors: 400, 401, 413, 415, 422, 429, 500, 503.

        Example::

            answer = await client.chat_completions(
                model="tgi", messages=[{"role": "user", "content": "Hello, who are you?"}], max_tokens=40
            )
        """
        return await self._call(o.CHAT_COMPLETIONS, Arguments(body=body))

    def stream_chat_completions(
        self, **body: Unpack[r.ChatCompletionRequest]
    ) -> AsyncEventStream[m.ChatCompletionStreamResponse]:
        """POST /v1/chat/completions: Answer a conversation

        Answers a conversation in the shape of OpenAI's API: texts and images in, text, calls of tools or
        JSON that follows a schema out.

        Keyword arguments are the members of `requests.ChatCompletionRequest`.

        Declared errors: 400, 401, 413, 415, 422, 429, 500, 503.

        Example::

            async with client.stream_chat_completions(
                model="tgi", messages=[{"role": "user", "content": "Hello, who are you?"}], max_tokens=40
            ) as events:
                async for event in events:
                    print(event)
        """
        return self._stream(o.CHAT_COMPLETIONS, Arguments(body={**body, "stream": True}))

    async def completions(self, **body: Unpack[r.CompletionRequest]) -> m.CompletionResponse:
        """POST /v1/completions: Continue prompts

        Continues prompts in the shape of OpenAI's older API.

        Keyword arguments are the members of `requests.CompletionRequest`.

        Declared errors: 400, 401, 413, 415, 422, 429, 500, 503.

        Example::

            answer = await client.completions(
                model="tgi", prompt="Hello, how are", max_tokens=12, temperature=0
            )
        """
        return await self._call(o.COMPLETIONS, Arguments(body=body))

    def stream_completions(
        self, **body: Unpack[r.CompletionRequest]
    ) -> AsyncEventStream[m.CompletionStreamResponse]:
        """POST /v1/completions: Continue prompts

        Continues prompts in the shape of OpenAI's older API.

        Keyword arguments are the members of `requests.CompletionRequest`.

        Declared errors: 400, 401, 413, 415, 422, 429, 500, 503.

        Example::

            async with client.stream_completions(
                model="tgi", prompt="Hello, how are", max_tokens=12, temperature=0
            ) as events:
                async for event in events:
                    print(event)
        """
        return self._stream(o.COMPLETIONS, Arguments(body={**body, "stream": True}))

    async def list_models(self) -> m.ModelList:
        """GET /v1/models: The served model

        Lists the one model that the server has.

        Declared errors: 500.

        Example::

            answer = await client.list_models()
        """
        return await self._call(o.LIST_MODELS, Arguments())

    async def get_info(self) -> m.Info:
        """GET /info: What is served, and its limits

        Tells the model, the server's version and build, and what bounds requests.

        Declared errors: 500.

        Example::

            answer = await client.get_info()
        """
        return await self._call(o.GET_INFO, Arguments())

    async def health_check(self) -> None:
        """GET /health: Health

        Whether the model is loaded and takes requests; the status says it, the body is empty.

        Declared errors: 500, 503.

        Example::

            await client.health_check()
        """
        return await self._call(o.HEALTH_CHECK, Arguments())

    async def get_metrics(self) -> str:
        """GET /metrics: Metrics of the server

        Counts and times of requests, the queue and the batches, in the text format of Prometheus.

        Declared errors: 500.

        Example::

            answer = await client.get_metrics()
        """
        return await self._call(o.GET_METRICS, Arguments())

    async def tokenize(self, **body: Unpack[r.TokenizeRequest]) -> m.TokenizeResponse:
        """POST /tokenize: The tokens of a text

        Tells the tokens that the served model's tokenizer makes of a text.

        Keyword arguments are the members of `requests.TokenizeRequest`.

        Declared errors: 400, 401, 413, 415, 429, 500.

        Example::

            answer = await client.tokenize(inputs="Hello, how are you?", add_special_tokens=False)
        """
        return await self._call(o.TOKENIZE, Arguments(body=body))
