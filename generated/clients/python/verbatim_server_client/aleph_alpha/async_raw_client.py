# Generated from specs/aleph_alpha: mend the document or its overlay, never this file.
"""Aleph Alpha inference API 1.19.0: its asynchronous client's answers as they come."""

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

    async def chat_completions(
        self, *, nice: bool | None = None, **body: Unpack[r.ChatRequest]
    ) -> APIResponse[m.ChatCompletion]:
        """The raw answer of `AsyncClient.chat_completions`."""
        return await self._client._respond(o.CHAT_COMPLETIONS, Arguments(query={"nice": nice}, body=body))

    async def complete(
        self, *, nice: bool | None = None, **body: Unpack[r.CompletionRequest]
    ) -> APIResponse[m.CompletionResponse]:
        """The raw answer of `AsyncClient.complete`."""
        return await self._client._respond(o.COMPLETE, Arguments(query={"nice": nice}, body=body))

    async def evaluate(
        self, *, nice: bool | None = None, **body: Unpack[r.EvaluationRequest]
    ) -> APIResponse[m.EvaluationResponse]:
        """The raw answer of `AsyncClient.evaluate`."""
        return await self._client._respond(o.EVALUATE, Arguments(query={"nice": nice}, body=body))

    async def tokenize(self, **body: Unpack[r.TokenizationRequest]) -> APIResponse[m.TokenizationResponse]:
        """The raw answer of `AsyncClient.tokenize`."""
        return await self._client._respond(o.TOKENIZE, Arguments(body=body))

    async def detokenize(
        self, **body: Unpack[r.DetokenizationRequest]
    ) -> APIResponse[m.DetokenizationResponse]:
        """The raw answer of `AsyncClient.detokenize`."""
        return await self._client._respond(o.DETOKENIZE, Arguments(body=body))

    async def models_available(self) -> APIResponse[m.AvailableModels]:
        """The raw answer of `AsyncClient.models_available`."""
        return await self._client._respond(o.MODELS_AVAILABLE, Arguments())

    async def model_settings(self) -> APIResponse[m.ModelSettingsList]:
        """The raw answer of `AsyncClient.model_settings`."""
        return await self._client._respond(o.MODEL_SETTINGS, Arguments())

    async def version(self) -> APIResponse[str]:
        """The raw answer of `AsyncClient.version`."""
        return await self._client._respond(o.VERSION, Arguments())
