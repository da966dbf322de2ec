# Generated from specs/tgi: mend the document or its overlay, never this file.
"""Text Generation Inference 2.3.2-dev0: its asynchronous client's answers as they come."""

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

    async def compat_generate(
        self, **body: Unpack[r.CompatGenerateRequest]
    ) -> APIResponse[m.CompatGenerateResponse]:
        """The raw answer of `AsyncClient.compat_generate`.

        Declared headers: x-compute-type, x-compute-characters, x-accel-buffering, x-total-time,
        x-validation-time, x-queue-time, x-inference-time, x-time-per-token, x-prompt-tokens,
        x-generated-tokens, x-compute-time.
        """
        return await self._client._respond(o.COMPAT_GENERATE, Arguments(body=body))

    async def generate(self, **body: Unpack[r.GenerateRequest]) -> APIResponse[m.GenerateResponse]:
        """The raw answer of `AsyncClient.generate`.

        Declared headers: x-compute-type, x-compute-characters, x-total-time, x-validation-time,
        x-queue-time, x-inference-time, x-time-per-token, x-prompt-tokens, x-generated-tokens,
        x-compute-time.
        """
        return await self._client._respond(o.GENERATE, Arguments(body=body))

    async def health(self) -> APIResponse[None]:
        """The raw answer of `AsyncClient.health`."""
        return await self._client._respond(o.HEALTH, Arguments())

    async def get_model_info(self) -> APIResponse[m.Info]:
        """The raw answer of `AsyncClient.get_model_info`."""
        return await self._client._respond(o.GET_MODEL_INFO, Arguments())

    async def metrics(self) -> APIResponse[str]:
        """The raw answer of `AsyncClient.metrics`."""
        return await self._client._respond(o.METRICS, Arguments())

    async def tokenize(self, **body: Unpack[r.GenerateRequest]) -> APIResponse[m.TokenizeResponse]:
        """The raw answer of `AsyncClient.tokenize`."""
        return await self._client._respond(o.TOKENIZE, Arguments(body=body))

    async def chat_completions(self, **body: Unpack[r.ChatRequest]) -> APIResponse[m.ChatCompletion]:
        """The raw answer of `AsyncClient.chat_completions`.

        Declared headers: x-compute-type, x-compute-characters, x-accel-buffering, x-total-time,
        x-validation-time, x-queue-time, x-inference-time, x-time-per-token, x-prompt-tokens,
        x-generated-tokens, x-compute-time.
        """
        return await self._client._respond(o.CHAT_COMPLETIONS, Arguments(body=body))

    async def completions(self, **body: Unpack[r.CompletionRequest]) -> APIResponse[m.CompletionFinal]:
        """The raw answer of `AsyncClient.completions`.

        Declared headers: x-compute-type, x-compute-characters, x-accel-buffering, x-total-time,
        x-validation-time, x-queue-time, x-inference-time, x-time-per-token, x-prompt-tokens,
        x-generated-tokens.
        """
        return await self._client._respond(o.COMPLETIONS, Arguments(body=body))

    async def openai_get_model_info(self) -> APIResponse[m.ModelList]:
        """The raw answer of `AsyncClient.openai_get_model_info`."""
        return await self._client._respond(o.OPENAI_GET_MODEL_INFO, Arguments())
