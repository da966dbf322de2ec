# Generated from specs/triton: mend the document or its overlay, never this file.
"""Triton Inference Server, HTTP protocol with the generate extension 2.73.0: its synchronous client's answers as they come."""

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

    def server_metadata(self) -> APIResponse[m.ServerMetadata]:
        """The raw answer of `Client.server_metadata`."""
        return self._client._respond(o.SERVER_METADATA, Arguments())

    def server_live(self) -> APIResponse[None]:
        """The raw answer of `Client.server_live`."""
        return self._client._respond(o.SERVER_LIVE, Arguments())

    def server_ready(self) -> APIResponse[None]:
        """The raw answer of `Client.server_ready`."""
        return self._client._respond(o.SERVER_READY, Arguments())

    def repository_index(
        self, **body: Unpack[r.RepositoryIndexRequest]
    ) -> APIResponse[list[m.RepositoryModel]]:
        """The raw answer of `Client.repository_index`."""
        return self._client._respond(o.REPOSITORY_INDEX, Arguments(body=body or None))

    def statistics(self) -> APIResponse[m.Statistics]:
        """The raw answer of `Client.statistics`."""
        return self._client._respond(o.STATISTICS, Arguments())

    def generate_version(
        self, model_name: str, model_version: str, **body: Unpack[r.GenerateRequest]
    ) -> APIResponse[m.GenerateResponse]:
        """The raw answer of `Client.generate_version`."""
        return self._client._respond(
            o.GENERATE_VERSION,
            Arguments(path={"model_name": model_name, "model_version": model_version}, body=body),
        )

    def model_version_ready(self, model_name: str, model_version: str) -> APIResponse[None]:
        """The raw answer of `Client.model_version_ready`."""
        return self._client._respond(
            o.MODEL_VERSION_READY,
            Arguments(
                path={"model_name": model_name, "model_version": model_version},
            ),
        )

    def model_version_config(self, model_name: str, model_version: str) -> APIResponse[m.ModelConfig]:
        """The raw answer of `Client.model_version_config`."""
        return self._client._respond(
            o.MODEL_VERSION_CONFIG,
            Arguments(
                path={"model_name": model_name, "model_version": model_version},
            ),
        )

    def model_version_statistics(self, model_name: str, model_version: str) -> APIResponse[m.Statistics]:
        """The raw answer of `Client.model_version_statistics`."""
        return self._client._respond(
            o.MODEL_VERSION_STATISTICS,
            Arguments(
                path={"model_name": model_name, "model_version": model_version},
            ),
        )

    def model_version_metadata(self, model_name: str, model_version: str) -> APIResponse[m.ModelMetadata]:
        """The raw answer of `Client.model_version_metadata`."""
        return self._client._respond(
            o.MODEL_VERSION_METADATA,
            Arguments(
                path={"model_name": model_name, "model_version": model_version},
            ),
        )

    def generate(self, model_name: str, **body: Unpack[r.GenerateRequest]) -> APIResponse[m.GenerateResponse]:
        """The raw answer of `Client.generate`."""
        return self._client._respond(o.GENERATE, Arguments(path={"model_name": model_name}, body=body))

    def model_ready(self, model_name: str) -> APIResponse[None]:
        """The raw answer of `Client.model_ready`."""
        return self._client._respond(
            o.MODEL_READY,
            Arguments(
                path={"model_name": model_name},
            ),
        )

    def model_config(self, model_name: str) -> APIResponse[m.ModelConfig]:
        """The raw answer of `Client.model_config`."""
        return self._client._respond(
            o.MODEL_CONFIG,
            Arguments(
                path={"model_name": model_name},
            ),
        )

    def model_statistics(self, model_name: str) -> APIResponse[m.Statistics]:
        """The raw answer of `Client.model_statistics`."""
        return self._client._respond(
            o.MODEL_STATISTICS,
            Arguments(
                path={"model_name": model_name},
            ),
        )

    def model_metadata(self, model_name: str) -> APIResponse[m.ModelMetadata]:
        """The raw answer of `Client.model_metadata`."""
        return self._client._respond(
            o.MODEL_METADATA,
            Arguments(
                path={"model_name": model_name},
            ),
        )
