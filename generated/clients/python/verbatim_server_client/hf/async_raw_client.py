# Generated from specs/hf: mend the document or its overlay, never this file.
"""Hugging Face Text Generation Inference API 1.0.0: its asynchronous client's answers as they come."""

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

    async def generate(self, **body: Unpack[r.GenerateRequest]) -> APIResponse[m.GenerateResponse]:
        """The raw answer of `AsyncClient.generate`.

        Declared headers: x-compute-type, x-compute-characters, x-total-time, x-validation-time,
        x-queue-time, x-inference-time, x-time-per-token, x-prompt-tokens, x-generated-tokens.
        """
        return await self._client._respond(o.GENERATE, Arguments(body=body))

    async def chat_completions(
        self, **body: Unpack[r.ChatCompletionRequest]
    ) -> APIResponse[m.ChatCompletionResponse]:
        """The raw answer of `AsyncClient.chat_completions`.

        Declared headers: x-compute-type, x-compute-characters, x-total-time, x-validation-time,
        x-queue-time, x-inference-time, x-time-per-token, x-prompt-tokens, x-generated-tokens.
        """
        return await self._client._respond(o.CHAT_COMPLETIONS, Arguments(body=body))

    async def completions(self, **body: Unpack[r.CompletionRequest]) -> APIResponse[m.CompletionResponse]:
        """The raw answer of `AsyncClient.completions`.

        Declared headers: x-compute-type, x-compute-characters, x-total-time, x-validation-time,
        x-queue-time, x-inference-time, x-time-per-token, x-prompt-tokens, x-generated-tokens.
        """
        return await self._client._respond(o.COMPLETIONS, Arguments(body=body))

    async def list_models(self) -> APIResponse[m.ModelList]:
        """The raw answer of `AsyncClient.list_models`."""
        return await self._client._respond(o.LIST_MODELS, Arguments())

    async def get_info(self) -> APIResponse[m.Info]:
        """The raw answer of `AsyncClient.get_info`."""
        return await self._client._respond(o.GET_INFO, Arguments())

    async def health_check(self) -> APIResponse[None]:
        """The raw answer of `AsyncClient.health_check`."""
        return await self._client._respond(o.HEALTH_CHECK, Arguments())

    async def get_metrics(self) -> APIResponse[str]:
        """The raw answer of `AsyncClient.get_metrics`."""
        return await self._client._respond(o.GET_METRICS, Arguments())

    async def tokenize(self, **body: Unpack[r.TokenizeRequest]) -> APIResponse[m.TokenizeResponse]:
        """The raw answer of `AsyncClient.tokenize`."""
        return await self._client._respond(o.TOKENIZE, Arguments(body=body))
