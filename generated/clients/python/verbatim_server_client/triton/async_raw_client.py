# Generated from specs/triton: mend the document or its overlay, never this file.
"""Triton Inference Server, HTTP protocol with the generate extension 2.73.0: its asynchronous client's answers as they come."""

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

    async def server_metadata(self) -> APIResponse[m.ServerMetadata]:
        """The raw answer of `AsyncClient.server_metadata`."""
        return await self._client._respond(o.SERVER_METADATA, Arguments())

    async def server_live(self) -> APIResponse[None]:
        """The raw answer of `AsyncClient.server_live`."""
        return await self._client._respond(o.SERVER_LIVE, Arguments())

    async def server_ready(self) -> APIResponse[None]:
        """The raw answer of `AsyncClient.server_ready`."""
        return await self._client._respond(o.SERVER_READY, Arguments())

    async def repository_index(
        self, **body: Unpack[r.RepositoryIndexRequest]
    ) -> APIResponse[list[m.RepositoryModel]]:
        """The raw answer of `AsyncClient.repository_index`."""
        return await self._client._respond(o.REPOSITORY_INDEX, Arguments(body=body or None))

    async def statistics(self) -> APIResponse[m.Statistics]:
        """The raw answer of `AsyncClient.statistics`."""
        return await self._client._respond(o.STATISTICS, Arguments())

    async def generate_version(
        self, model_name: str, model_version: str, **body: Unpack[r.GenerateRequest]
    ) -> APIResponse[m.GenerateResponse]:
        """The raw answer of `AsyncClient.generate_version`."""
        return await self._client._respond(
            o.GENERATE_VERSION,
            Arguments(path={"model_name": model_name, "model_version": model_version}, body=body),
        )

    async def model_version_ready(self, model_name: str, model_version: str) -> APIResponse[None]:
        """The raw answer of `AsyncClient.model_version_ready`."""
        return await self._client._respond(
            o.MODEL_VERSION_READY,
            Arguments(
                path={"model_name": model_name, "model_version": model_version},
            ),
        )

    async def model_version_config(self, model_name: str, model_version: str) -> APIResponse[m.ModelConfig]:
        """The raw answer of `AsyncClient.model_version_config`."""
        return await self._client._respond(
            o.MODEL_VERSION_CONFIG,
            Arguments(
                path={"model_name": model_name, "model_version": model_version},
            ),
        )

    async def model_version_statistics(
        self, model_name: str, model_version: str
    ) -> APIResponse[m.Statistics]:
        """The raw answer of `AsyncClient.model_version_statistics`."""
        return await self._client._respond(
            o.MODEL_VERSION_STATISTICS,
            Arguments(
                path={"model_name": model_name, "model_version": model_version},
            ),
        )

    async def model_version_metadata(
        self, model_name: str, model_version: str
    ) -> APIResponse[m.ModelMetadata]:
        """The raw answer of `AsyncClient.model_version_metadata`."""
        return await self._client._respond(
            o.MODEL_VERSION_METADATA,
            Arguments(
                path={"model_name": model_name, "model_version": model_version},
            ),
        )

    async def generate(
        self, model_name: str, **body: Unpack[r.GenerateRequest]
    ) -> APIResponse[m.GenerateResponse]:
        """The raw answer of `AsyncClient.generate`."""
        return await self._client._respond(o.GENERATE, Arguments(path={"model_name": model_name}, body=body))

    async def model_ready(self, model_name: str) -> APIResponse[None]:
        """The raw answer of `AsyncClient.model_ready`."""
        return await self._client._respond(
            o.MODEL_READY,
            Arguments(
                path={"model_name": model_name},
            ),
        )

    async def model_config(self, model_name: str) -> APIResponse[m.ModelConfig]:
        """The raw answer of `AsyncClient.model_config`."""
        return await self._client._respond(
            o.MODEL_CONFIG,
            Arguments(
                path={"model_name": model_name},
            ),
        )

    async def model_statistics(self, model_name: str) -> APIResponse[m.Statistics]:
        """The raw answer of `AsyncClient.model_statistics`."""
        return await self._client._respond(
            o.MODEL_STATISTICS,
            Arguments(
                path={"model_name": model_name},
            ),
        )

    async def model_metadata(self, model_name: str) -> APIResponse[m.ModelMetadata]:
        """The raw answer of `AsyncClient.model_metadata`."""
        return await self._client._respond(
            o.MODEL_METADATA,
            Arguments(
                path={"model_name": model_name},
            ),
        )
