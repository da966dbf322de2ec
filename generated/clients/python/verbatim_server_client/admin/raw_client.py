# Generated from specs/admin: mend the document or its overlay, never this file.
"""Admin API 1.0.0: its synchronous client's answers as they come."""

from ..runtime.client import BaseClient
from ..runtime.operation import Arguments
from ..runtime.response import APIResponse
from . import models as m
from . import operations as o


class RawClient:
    """`Client.with_raw_response`: a method for each operation that answers whole."""

    def __init__(self, client: BaseClient) -> None:
        self._client = client

    def list_models(self) -> APIResponse[m.ModelList]:
        """The raw answer of `Client.list_models`."""
        return self._client._respond(o.LIST_MODELS, Arguments())

    def load(self, *, model: str) -> APIResponse[m.Done]:
        """The raw answer of `Client.load`."""
        return self._client._respond(
            o.LOAD,
            Arguments(
                query={"model": model},
            ),
        )

    def unload(self, *, model: str) -> APIResponse[m.Done]:
        """The raw answer of `Client.unload`."""
        return self._client._respond(
            o.UNLOAD,
            Arguments(
                query={"model": model},
            ),
        )

    def sleep(self, *, model: str | None = None, level: int | None = None) -> APIResponse[m.Done]:
        """The raw answer of `Client.sleep`."""
        return self._client._respond(
            o.SLEEP,
            Arguments(
                query={"model": model, "level": level},
            ),
        )

    def wake_up(self, *, model: str | None = None) -> APIResponse[m.Done]:
        """The raw answer of `Client.wake_up`."""
        return self._client._respond(
            o.WAKE_UP,
            Arguments(
                query={"model": model},
            ),
        )

    def wake(self, *, model: str | None = None) -> APIResponse[m.Done]:
        """The raw answer of `Client.wake`."""
        return self._client._respond(
            o.WAKE,
            Arguments(
                query={"model": model},
            ),
        )

    def is_sleeping(self, *, model: str | None = None) -> APIResponse[m.Sleep]:
        """The raw answer of `Client.is_sleeping`."""
        return self._client._respond(
            o.IS_SLEEPING,
            Arguments(
                query={"model": model},
            ),
        )
