# Generated from specs/anthropic: mend the document or its overlay, never this file.
"""Anthropic Messages API 2026-10-21: its asynchronous client's answers as they come."""

from typing import Literal

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

    async def create_message(
        self,
        *,
        anthropic_version: str = "2026-10-21",
        anthropic_beta: str | None = None,
        **body: Unpack[r.MessageCreateParamsWithoutStream],
    ) -> APIResponse[m.Message]:
        """The raw answer of `AsyncClient.create_message`.

        Declared headers: request-id, anthropic-ratelimit-requests-limit,
        anthropic-ratelimit-requests-remaining, anthropic-ratelimit-requests-reset,
        anthropic-ratelimit-tokens-limit, anthropic-ratelimit-tokens-remaining,
        anthropic-ratelimit-tokens-reset.
        """
        return await self._client._respond(
            o.CREATE_MESSAGE,
            Arguments(
                headers={"anthropic-version": anthropic_version, "anthropic-beta": anthropic_beta}, body=body
            ),
        )

    async def count_message_tokens(
        self,
        *,
        anthropic_version: str = "2026-10-21",
        anthropic_beta: str | None = None,
        **body: Unpack[r.MessageCountTokensParams],
    ) -> APIResponse[m.MessageTokensCount]:
        """The raw answer of `AsyncClient.count_message_tokens`.

        Declared headers: request-id, anthropic-ratelimit-requests-limit,
        anthropic-ratelimit-requests-remaining, anthropic-ratelimit-requests-reset,
        anthropic-ratelimit-tokens-limit, anthropic-ratelimit-tokens-remaining,
        anthropic-ratelimit-tokens-reset.
        """
        return await self._client._respond(
            o.COUNT_MESSAGE_TOKENS,
            Arguments(
                headers={"anthropic-version": anthropic_version, "anthropic-beta": anthropic_beta}, body=body
            ),
        )

    async def list_models(
        self,
        *,
        anthropic_version: str = "2026-10-21",
        anthropic_beta: str | None = None,
        after_id: str | None = None,
        before_id: str | None = None,
        lifecycle: list[Literal["active", "deprecated", "retired"]] | None = None,
        limit: int | None = None,
    ) -> APIResponse[m.ModelPage]:
        """The raw answer of `AsyncClient.list_models`.

        Declared headers: request-id, anthropic-ratelimit-requests-limit,
        anthropic-ratelimit-requests-remaining, anthropic-ratelimit-requests-reset,
        anthropic-ratelimit-tokens-limit, anthropic-ratelimit-tokens-remaining,
        anthropic-ratelimit-tokens-reset.
        """
        return await self._client._respond(
            o.LIST_MODELS,
            Arguments(
                query={
                    "after_id": after_id,
                    "before_id": before_id,
                    "lifecycle[]": lifecycle,
                    "limit": limit,
                },
                headers={"anthropic-version": anthropic_version, "anthropic-beta": anthropic_beta},
            ),
        )

    async def get_model(
        self, model_id: str, *, anthropic_version: str = "2026-10-21", anthropic_beta: str | None = None
    ) -> APIResponse[m.ModelInfo]:
        """The raw answer of `AsyncClient.get_model`.

        Declared headers: request-id, anthropic-ratelimit-requests-limit,
        anthropic-ratelimit-requests-remaining, anthropic-ratelimit-requests-reset,
        anthropic-ratelimit-tokens-limit, anthropic-ratelimit-tokens-remaining,
        anthropic-ratelimit-tokens-reset.
        """
        return await self._client._respond(
            o.GET_MODEL,
            Arguments(
                path={"model_id": model_id},
                headers={"anthropic-version": anthropic_version, "anthropic-beta": anthropic_beta},
            ),
        )

    async def render_message(
        self,
        *,
        anthropic_version: str = "2026-10-21",
        anthropic_beta: str | None = None,
        **body: Unpack[r.MessageCreateParams],
    ) -> APIResponse[m.RenderedRequest]:
        """The raw answer of `AsyncClient.render_message`.

        Declared headers: request-id, anthropic-ratelimit-requests-limit,
        anthropic-ratelimit-requests-remaining, anthropic-ratelimit-requests-reset,
        anthropic-ratelimit-tokens-limit, anthropic-ratelimit-tokens-remaining,
        anthropic-ratelimit-tokens-reset.
        """
        return await self._client._respond(
            o.RENDER_MESSAGE,
            Arguments(
                headers={"anthropic-version": anthropic_version, "anthropic-beta": anthropic_beta}, body=body
            ),
        )
