# Generated from specs/aleph_alpha: mend the document or its overlay, never this file.
"""Aleph Alpha inference API 1.19.0: its synchronous client's answers as they come."""

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

    def chat_completions(
        self, *, nice: bool | None = None, **body: Unpack[r.ChatRequest]
    ) -> APIResponse[m.ChatCompletion]:
        """The raw answer of `Client.chat_completions`."""
        return self._client._respond(o.CHAT_COMPLETIONS, Arguments(query={"nice": nice}, body=body))

    def complete(
        self, *, nice: bool | None = None, **body: Unpack[r.CompletionRequest]
    ) -> APIResponse[m.CompletionResponse]:
        """The raw answer of `Client.complete`."""
        return self._client._respond(o.COMPLETE, Arguments(query={"nice": nice}, body=body))

    def evaluate(
        self, *, nice: bool | None = None, **body: Unpack[r.EvaluationRequest]
    ) -> APIResponse[m.EvaluationResponse]:
        """The raw answer of `Client.evaluate`."""
        return self._client._respond(o.EVALUATE, Arguments(query={"nice": nice}, body=body))

    def tokenize(self, **body: Unpack[r.TokenizationRequest]) -> APIResponse[m.TokenizationResponse]:
        """The raw answer of `Client.tokenize`."""
        return self._client._respond(o.TOKENIZE, Arguments(body=body))

    def detokenize(self, **body: Unpack[r.DetokenizationRequest]) -> APIResponse[m.DetokenizationResponse]:
        """The raw answer of `Client.detokenize`."""
        return self._client._respond(o.DETOKENIZE, Arguments(body=body))

    def models_available(self) -> APIResponse[m.AvailableModels]:
        """The raw answer of `Client.models_available`."""
        return self._client._respond(o.MODELS_AVAILABLE, Arguments())

    def model_settings(self) -> APIResponse[m.ModelSettingsList]:
        """The raw answer of `Client.model_settings`."""
        return self._client._respond(o.MODEL_SETTINGS, Arguments())

    def version(self) -> APIResponse[str]:
        """The raw answer of `Client.version`."""
        return self._client._respond(o.VERSION, Arguments())
