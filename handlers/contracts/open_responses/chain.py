"""The last response of a WebSocket, which its next message may continue though it is not stored."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from pydantic_core import to_json

from generated.openai import models as openai
from handlers.contracts.open_responses.request import as_items
from verbatim_kit.runtime.problem import Problem

_MAX_BYTES: Final = 16 * 2**20  # of the items that a connection keeps, as JSON
_INPUT: Final = re.compile(r"input\[(\d+)\]")
_NAME: Final = "chain"


class Chain:
    """The items of the last response of a connection, with those that it answers; none if that is stored."""

    def __init__(self) -> None:
        self._id: str | None = None
        self._items: Sequence[dict[str, Any]] = ()

    @classmethod
    def of(cls, connection: dict[str, Any]) -> "Chain":
        """Return a connection's."""
        chain: Chain = connection.setdefault(_NAME, cls())
        return chain

    @contextmanager
    def continued(self, previous_response_id: str | None) -> Iterator[Sequence[dict[str, Any]]]:
        """Give the block the items that come before a request's own; none unless it continues this response.

        If such a request fails, the response is forgotten, and the field at fault is named as it was sent.
        """
        earlier = self._items if self._id is not None and previous_response_id == self._id else ()
        try:
            yield earlier
        except Problem as problem:
            if earlier:
                self.clear()
                problem.field = _as_sent(problem.field, len(earlier))
            raise

    def extend(self, request: openai.CreateResponseRequest, response: openai.Response) -> None:
        """Keep a response in place of the one before, unless it is stored or too large."""
        self.clear()
        if response.store:
            return
        sent = request.model_dump(by_alias=True, exclude_unset=True)["input"]
        items = [*as_items(sent), *(item.model_dump(by_alias=True) for item in response.output)]
        if len(to_json(items)) <= _MAX_BYTES:
            self._id, self._items = response.id, items

    def clear(self) -> None:
        """Forget the response."""
        self._id, self._items = None, ()


def _as_sent(field: str, num_earlier: int) -> str:
    """Return the client's name for a field of the request. num_earlier: so many items come from the chain."""
    found = _INPUT.match(field)
    if found is None:
        return field
    at = int(found[1]) - num_earlier
    return f"input[{at}]{field[found.end() :]}" if at >= 0 else "previous_response_id"
