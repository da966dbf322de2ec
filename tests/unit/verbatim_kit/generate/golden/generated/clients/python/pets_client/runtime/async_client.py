"""The base of every contract's asynchronous client."""

import copy
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any, ClassVar, Self, TypeVar

import httpx
from httpx_retries import RetryTransport
from typing_extensions import Unpack

from .errors import IncompleteStreamError
from .items import read_items_async
from .operation import Arguments, Operation
from .response import APIResponse
from .settings import (
    DEFAULT_RETRIES,
    DEFAULT_SERVER,
    DEFAULT_TIMEOUT,
    Changes,
    Contract,
    Settings,
    transport_errors,
)
from .stream import AsyncEventStream, Head

AnswerT = TypeVar("AnswerT")
EventT = TypeVar("EventT")


class BaseAsyncClient:
    """Holds connections: close it, or use it as a context manager. Tasks may share it."""

    contract: ClassVar[Contract]

    def __init__(
        self,
        base_url: str | None = None,
        *,
        api_key: str | None = None,
        timeout: float | httpx.Timeout | None = DEFAULT_TIMEOUT,
        max_retries: int = DEFAULT_RETRIES,
        headers: Mapping[str, str] | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Makes a client; nothing is sent yet.

        base_url: what stands before the document's paths; absent, the contract's own on 127.0.0.1:8080.
        api_key: the key that the server asks for. headers: sent with every request.
        timeout: seconds to connect, to send, and between two pieces of an answer; None waits for ever.
        max_retries: how often an undelivered request, or one answered by 429, 503 or 529, is sent again.
        transport: in place of httpx's own, for a proxy or certificates:
        `httpx.AsyncHTTPTransport(proxy=...)`.
        """
        self._settings = Settings(
            base_url=base_url or DEFAULT_SERVER + self.contract.path,
            api_key=api_key,
            timeout=timeout,
            max_retries=max_retries,
            headers=headers or {},
        )
        self._http = httpx.AsyncClient(transport=RetryTransport(transport or httpx.AsyncHTTPTransport()))

    def with_options(self, **changes: Unpack[Changes]) -> Self:
        """A client with other options over the same connections, which closing either closes."""
        other = copy.copy(self)
        other._settings = replace(self._settings, **changes)
        return other

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def _call(self, operation: Operation[AnswerT, Any], arguments: Arguments) -> AnswerT:
        return (await self._respond(operation, arguments)).parse()

    async def _respond(
        self, operation: Operation[AnswerT, Any], arguments: Arguments
    ) -> APIResponse[AnswerT]:
        with transport_errors():
            return APIResponse(operation, await self._http.send(self._request(operation, arguments)))

    def _stream(self, operation: Operation[Any, EventT], arguments: Arguments) -> AsyncEventStream[EventT]:
        head = Head()
        return AsyncEventStream(self._events(operation, arguments, head), head)

    async def _events(
        self, operation: Operation[Any, EventT], arguments: Arguments, head: Head
    ) -> AsyncGenerator[EventT, None]:
        with transport_errors():
            response = await self._http.send(self._request(operation, arguments), stream=True)
            try:
                head.headers = response.headers
                if not response.is_success:
                    await response.aread()
                    raise operation.error(response)
                async with aclosing(read_items_async(response, operation.event_media_type)) as items:
                    async for item in items:
                        if item == operation.terminator:
                            return
                        yield operation.read_event(item)
            finally:
                await response.aclose()
        if operation.terminator is not None:
            raise IncompleteStreamError(f"the stream ended without {operation.terminator}")

    def _request(self, operation: Operation[Any, Any], arguments: Arguments) -> httpx.Request:
        return self._http.build_request(**self._settings.request(self.contract, operation, arguments))
