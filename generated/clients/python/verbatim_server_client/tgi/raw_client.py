# Generated from specs/tgi: mend the document or its overlay, never this file.
"""Text Generation Inference 2.3.2-dev0: its synchronous client's answers as they come."""

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

    def compat_generate(
        self, **body: Unpack[r.CompatGenerateRequest]
    ) -> APIResponse[m.CompatGenerateResponse]:
        """The raw answer of `Client.compat_generate`.

        Declared headers: x-compute-type, x-compute-characters, x-accel-buffering, x-total-time,
        x-validation-time, x-queue-time, x-inference-time, x-time-per-token, x-prompt-tokens,
        x-generated-tokens, x-compute-time.
        """
        return self._client._respond(o.COMPAT_GENERATE, Arguments(body=body))

    def generate(self, **body: Unpack[r.GenerateRequest]) -> APIResponse[m.GenerateResponse]:
        """The raw answer of `Client.generate`.

        Declared headers: x-compute-type, x-compute-characters, x-total-time, x-validation-time,
        x-queue-time, x-inference-time, x-time-per-token, x-prompt-tokens, x-generated-tokens,
        x-compute-time.
        """
        return self._client._respond(o.GENERATE, Arguments(body=body))

    def health(self) -> APIResponse[None]:
        """The raw answer of `Client.health`."""
        return self._client._respond(o.HEALTH, Arguments())

    def get_model_info(self) -> APIResponse[m.Info]:
        """The raw answer of `Client.get_model_info`."""
        return self._client._respond(o.GET_MODEL_INFO, Arguments())

    def metrics(self) -> APIResponse[str]:
        """The raw answer of `Client.metrics`."""
        return self._client._respond(o.METRICS, Arguments())

    def tokenize(self, **body: Unpack[r.GenerateRequest]) -> APIResponse[m.TokenizeResponse]:
        """The raw answer of `Client.tokenize`."""
        return self._client._respond(o.TOKENIZE, Arguments(body=body))

    def chat_completions(self, **body: Unpack[r.ChatRequest]) -> APIResponse[m.ChatCompletion]:
        """The raw answer of `Client.chat_completions`.

        Declared headers: x-compute-type, x-compute-characters, x-accel-buffering, x-total-time,
        x-validation-time, x-queue-time, x-inference-time, x-time-per-token, x-prompt-tokens,
        x-generated-tokens, x-compute-time.
        """
        return self._client._respond(o.CHAT_COMPLETIONS, Arguments(body=body))

    def completions(self, **body: Unpack[r.CompletionRequest]) -> APIResponse[m.CompletionFinal]:
        """The raw answer of `Client.completions`.

        Declared headers: x-compute-type, x-compute-characters, x-accel-buffering, x-total-time,
        x-validation-time, x-queue-time, x-inference-time, x-time-per-token, x-prompt-tokens,
        x-generated-tokens.
        """
        return self._client._respond(o.COMPLETIONS, Arguments(body=body))

    def openai_get_model_info(self) -> APIResponse[m.ModelList]:
        """The raw answer of `Client.openai_get_model_info`."""
        return self._client._respond(o.OPENAI_GET_MODEL_INFO, Arguments())
