# Generated from specs/anthropic: mend the document or its overlay, never this file.
"""Anthropic Messages API 2026-10-21: its asynchronous client."""

from typing import Literal

from typing_extensions import Unpack

from ..runtime.async_client import BaseAsyncClient
from ..runtime.operation import Arguments
from ..runtime.stream import AsyncEventStream
from . import models as m
from . import operations as o
from . import requests as r
from .async_raw_client import AsyncRawClient


class AsyncClient(BaseAsyncClient):
    """Anthropic Messages API 2026-10-21, one method an operation; its own base URL ends in /anthropic.

    Answers are parts of `models`, requests are made of `requests`.
    """

    contract = o.CONTRACT

    @property
    def with_raw_response(self) -> AsyncRawClient:
        """The methods that answer whole, whose answers come with their status and headers."""
        return AsyncRawClient(self)

    async def create_message(
        self,
        *,
        anthropic_version: str = "2026-10-21",
        anthropic_beta: str | None = None,
        **body: Unpack[r.MessageCreateParamsWithoutStream],
    ) -> m.Message:
        """POST /v1/messages: Answer a conversation; `stream` chooses one JSON answer or server-sent events

        Keyword arguments are the members of `requests.MessageCreateParamsWithoutStream`, and:
            anthropic_version: Any version; all are answered alike.
            anthropic_beta: No effect: what is in this document needs no such name.

        Declared errors: 400, 401, 404, 413, 429, 500, 529.

        Example::

            answer = await client.create_message(
                model="verbatim-demo", max_tokens=20, messages=[{"role": "user", "content": "Hello!"}]
            )
        """
        return await self._call(
            o.CREATE_MESSAGE,
            Arguments(
                headers={"anthropic-version": anthropic_version, "anthropic-beta": anthropic_beta}, body=body
            ),
        )

    def stream_create_message(
        self,
        *,
        anthropic_version: str = "2026-10-21",
        anthropic_beta: str | None = None,
        **body: Unpack[r.MessageCreateParamsWithoutStream],
    ) -> AsyncEventStream[
        m.MessageStartEvent
        | m.ContentBlockStartEvent
        | m.ContentBlockDeltaEvent
        | m.ContentBlockStopEvent
        | m.MessageDeltaEvent
        | m.MessageStopEvent
        | m.PingEvent
    ]:
        """POST /v1/messages: Answer a conversation; `stream` chooses one JSON answer or server-sent events

        Keyword arguments are the members of `requests.MessageCreateParamsWithoutStream`, and:
            anthropic_version: Any version; all are answered alike.
            anthropic_beta: No effect: what is in this document needs no such name.

        Declared errors: 400, 401, 404, 413, 429, 500, 529.

        Example::

            async with client.stream_create_message(
                model="verbatim-demo", max_tokens=20, messages=[{"role": "user", "content": "Hello!"}]
            ) as events:
                async for event in events:
                    print(event)
        """
        return self._stream(
            o.CREATE_MESSAGE,
            Arguments(
                headers={"anthropic-version": anthropic_version, "anthropic-beta": anthropic_beta},
                body={**body, "stream": True},
            ),
        )

    async def count_message_tokens(
        self,
        *,
        anthropic_version: str = "2026-10-21",
        anthropic_beta: str | None = None,
        **body: Unpack[r.MessageCountTokensParams],
    ) -> m.MessageTokensCount:
        """POST /v1/messages/count_tokens: Count the tokens that a conversation would come to

        Keyword arguments are the members of `requests.MessageCountTokensParams`, and:
            anthropic_version: Any version; all are answered alike.
            anthropic_beta: No effect: what is in this document needs no such name.

        Declared errors: 400, 401, 404, 413, 429, 500, 529.

        Example::

            answer = await client.count_message_tokens(
                model="verbatim-demo", messages=[{"role": "user", "content": "Hello!"}]
            )
        """
        return await self._call(
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
    ) -> m.ModelPage:
        """GET /v1/models: List the models, page by page

        Keyword arguments:
            anthropic_version: Any version; all are answered alike.
            anthropic_beta: No effect: what is in this document needs no such name.
            after_id: The page begins after the model of this id.
            before_id: The page ends before the model of this id.
            lifecycle: Tell only of models in one of these stages of their life. Absent, of those that are
            active or deprecated.
            limit: Most models of a page.

        Declared errors: 400, 401, 404, 500.

        Example::

            answer = await client.list_models()
        """
        return await self._call(
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
    ) -> m.ModelInfo:
        """GET /v1/models/{model_id}: Tell of one model

        Keyword arguments:
            anthropic_version: Any version; all are answered alike.
            anthropic_beta: No effect: what is in this document needs no such name.

        Declared errors: 400, 401, 404, 500.

        Example::

            answer = await client.get_model("verbatim-demo")
        """
        return await self._call(
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
    ) -> m.RenderedRequest:
        """POST /v1/messages/render: Write a conversation as the tokens that the model reads, and answer nothing

        The answer is a request to the token API of vLLM, and of this server under `/tokens`. No tokens are
        generated.

        Keyword arguments are the members of `requests.MessageCreateParams`, and:
            anthropic_version: Any version; all are answered alike.
            anthropic_beta: No effect: what is in this document needs no such name.

        Declared errors: 400, 401, 404, 413, 429, 500, 529.

        Example::

            answer = await client.render_message(
                model="verbatim-demo", max_tokens=20, messages=[{"role": "user", "content": "Hello!"}]
            )
        """
        return await self._call(
            o.RENDER_MESSAGE,
            Arguments(
                headers={"anthropic-version": anthropic_version, "anthropic-beta": anthropic_beta}, body=body
            ),
        )
