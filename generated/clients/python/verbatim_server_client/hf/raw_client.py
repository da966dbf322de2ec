# Generated from specs/hf: mend the document or its overlay, never this file.
"""Hugging Face Text Generation Inference API 1.0.0: its synchronous client's answers as they come."""

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

    def generate(self, **body: Unpack[r.GenerateRequest]) -> APIResponse[m.GenerateResponse]:
        """The raw answer of `Client.generate`.

        Declared headers: x-compute-type, x-compute-characters, x-total-time, x-validation-time,
        x-queue-time, x-inference-time, x-time-per-token, x-prompt-tokens, x-generated-tokens.
        """
        return self._client._respond(o.GENERATE, Arguments(body=body))

    def chat_completions(
        self, **body: Unpack[r.ChatCompletionRequest]
    ) -> APIResponse[m.ChatCompletionResponse]:
        """The raw answer of `Client.chat_completions`.

        Declared headers: x-compute-type, x-compute-characters, x-total-time, x-validation-time,
        x-queue-time, x-inference-time, x-time-per-token, x-prompt-tokens, x-generated-tokens.
        """
        return self._client._respond(o.CHAT_COMPLETIONS, Arguments(body=body))

    def completions(self, **body: Unpack[r.CompletionRequest]) -> APIResponse[m.CompletionResponse]:
        """The raw answer of `Client.completions`.

        Declared headers: x-compute-type, x-compute-characters, x-total-time, x-validation-time,
        x-queue-time, x-inference-time, x-time-per-token, x-prompt-tokens, x-generated-tokens.
        """
        return self._client._respond(o.COMPLETIONS, Arguments(body=body))

    def list_models(self) -> APIResponse[m.ModelList]:
        """The raw answer of `Client.list_models`."""
        return self._client._respond(o.LIST_MODELS, Arguments())

    def get_info(self) -> APIResponse[m.Info]:
        """The raw answer of `Client.get_info`."""
        return self._client._respond(o.GET_INFO, Arguments())

    def health_check(self) -> APIResponse[None]:
        """The raw answer of `Client.health_check`."""
        return self._client._respond(o.HEALTH_CHECK, Arguments())

    def get_metrics(self) -> APIResponse[str]:
        """The raw answer of `Client.get_metrics`."""
        return self._client._respond(o.GET_METRICS, Arguments())

    def tokenize(self, **body: Unpack[r.TokenizeRequest]) -> APIResponse[m.TokenizeResponse]:
        """The raw answer of `Client.tokenize`."""
        return self._client._respond(o.TOKENIZE, Arguments(body=body))
