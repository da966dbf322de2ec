"""Stored responses: what requests go on from, and what is stored of an answer."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from secrets import token_hex
from typing import Any, Final, NamedTuple

import orjson
from pydantic import TypeAdapter

from generated.openai import models as m
from handlers.access.visits.visit import current_key_name
from handlers.concurrency.workers import Workers
from handlers.contracts.openai.responses.request.items import InputItem
from handlers.operations.missing import given
from handlers.store.record import Record, StoreError
from handlers.store.store import Store
from verbatim_kit.errors import Refused, Violation
from verbatim_kit.runtime.problem import Problem

_ITEMS: Final = TypeAdapter[m.ResponseInputItems](m.ResponseInputItems)
UNFINISHED: Final = ("queued", "in_progress")
_PREFIXES: Final = {
    "message": "msg",
    "reasoning": "rs",
    "function_call": "fc",
    "function_call_output": "fco",
    "custom_tool_call": "ctc",
    "custom_tool_call_output": "ctco",
}


class Recalled(NamedTuple):
    """A request together with what it goes on from.

    body: the first `num_earlier` items of its `input` come from stored responses, and it refers to no item.
    """

    body: m.CreateResponseRequest
    num_earlier: int = 0


class Memory:
    """The stored responses of each key. Methods raise StoreError where the store cannot be used."""

    def __init__(self, store: Store | None, workers: Workers) -> None:
        """Remember responses. store: None for a server that stores nothing."""
        self._store = store
        self._workers = workers

    async def recall(self, body: m.CreateResponseRequest) -> Recalled:
        """Return a request with all items that it names.

        Raises a Problem for a response that is not stored, and Refused for such an item.
        """
        id = body.previous_response_id
        records = [] if id is None or self._store is None else await self._store.line(id, current_key_name())
        if id is not None and not records:
            raise _no_previous(id, is_stateless=self._store is None)
        references = _references(body)
        if not records and not references:
            return Recalled(body)
        holding = await self._holding(references)
        return await self._workers.tokenize(
            _size([*records, *holding.values()]), _recalled, body, records, holding
        )

    def stores(self, body: m.CreateResponseRequest) -> bool:
        """Return whether the response to a request is to be stored."""
        return self._store is not None and body.store is not False

    async def keep(self, recalled: Recalled, response: m.Response) -> m.Response:
        """Store a response if it is to be stored, and return it as it is then.

        Raises StoreError only if the request asks by itself that the response be stored.
        """
        if self._store is None or not response.store:
            return response
        try:
            await self._store.put(partial(record_of, *recalled, response, current_key_name()))
        except StoreError:
            if recalled.body.store and "store" in recalled.body.model_fields_set:
                raise
            return response.model_copy(update={"store": False})
        return response

    async def delete(self, id: str) -> m.DeletedResponse:
        """Delete a stored response. Raises a Problem if there is none."""
        if self._store is None or not await self._store.delete(id, current_key_name()):
            raise not_found(id)
        return m.DeletedResponse(id=id, object="response", deleted=True)

    async def input_items(self, arguments: m.ListInputItemsArguments) -> m.ResponseItemList:
        """Return a page of the items that a stored response answers.

        Raises a Problem if there is no such response, and Refused for an item to go on after that is none.
        """
        id = arguments.response_id
        records = [] if self._store is None else await self._store.line(id, current_key_name())
        if not records:
            raise not_found(id)
        return await self._workers.tokenize(_size(records), _page, records, arguments)

    async def _holding(self, references: Mapping[str, str]) -> Mapping[str, Record]:
        """Return the records that have the items that are referred to, by these. Raises Refused."""
        if not references:
            return {}
        if self._store is None:
            field = next(iter(references.values()))
            reason = "No item is stored here, so none can be referred to; send the item itself."
            raise Refused(reason, f"{field}.type", Violation.UNSUPPORTED_VALUE)
        holding = await self._store.holding([*references], current_key_name())
        for id, field in references.items():
            if id not in holding:
                raise Refused(f"Item with id '{id[:200]}' not found.", f"{field}.id")
        return holding


def _references(body: m.CreateResponseRequest) -> dict[str, str]:
    """Return the place of the first reference to each item that a request refers to, by the item's id."""
    found: dict[str, str] = {}
    if not isinstance(body.input, str):
        for at, item in enumerate(body.input):
            if isinstance(item, m.ResponseItemReference):
                found.setdefault(item.id, f"input[{at}]")
    return found


def _no_previous(id: str, *, is_stateless: bool) -> Problem:
    """Clients know the code, and send all items instead."""
    hint = (
        " No response is stored here; send the items of the conversation in 'input'." if is_stateless else ""
    )
    return Problem(
        400,
        f"Previous response with id '{id[:200]}' not found.{hint}",
        "previous_response_not_found",
        field="previous_response_id",
    )


def not_found(id: str) -> Problem:
    return Problem(404, f"Response with id '{id[:200]}' not found.", field="response_id")


def _user_message(text: str) -> m.ResponseInputMessage:
    return m.ResponseInputMessage(type="message", role="user", content=text)


def _size(records: Sequence[Record]) -> int:
    return sum(len(record.content) for record in records)


def _recalled(
    body: m.CreateResponseRequest, records: Sequence[Record], holding: Mapping[str, Record]
) -> Recalled:
    """Return a request with the items of responses before its own, and with those that it refers to."""
    earlier = _parsed(_stored_items(records))
    in_records = {record.id: _by_id(record) for record in set(holding.values())}
    stored = [in_records[record.id][id] for id, record in holding.items()]
    found = dict(zip(holding, _parsed(stored), strict=True))
    own: Sequence[InputItem] = [_user_message(body.input)] if isinstance(body.input, str) else body.input
    own = [found[item.id] if isinstance(item, m.ResponseItemReference) else item for item in own]
    return Recalled(body.model_copy(update={"input": [*earlier, *own]}), len(earlier))


def _by_id(record: Record) -> dict[str, dict[str, Any]]:
    """Return a record's items by their ids; the first, where several have one."""
    return {item["id"]: item for item in reversed([*_stored_items([record])])}


def _parsed(items: Iterable[dict[str, Any]]) -> Sequence[InputItem]:
    values = list(items)
    return _ITEMS.validate_python(values) if values else ()


def _stored_items(records: Sequence[Record], *, with_last_output: bool = True) -> Iterator[dict[str, Any]]:
    """Yield the items of responses that go on from each other, as JSON values.

    Raises Refused for a response without its output, if that is wanted.
    """
    for record in records:
        content = orjson.loads(record.content)
        yield from content["input"]
        if with_last_output or record is not records[-1]:
            if content["response"]["status"] in UNFINISHED:
                reason = f"Response with id '{record.id}' is not finished yet; try again when it is."
                raise Refused(reason, "previous_response_id")
            yield from content["response"]["output"]


def _page(records: Sequence[Record], arguments: m.ListInputItemsArguments) -> m.ResponseItemList:
    items = list(_stored_items(records, with_last_output=False))
    if arguments.order == "desc":
        items.reverse()
    after = given(arguments.after)
    if after is not None:
        ids = [item["id"] for item in items]
        if after not in ids:
            raise Refused(f"The response has no input item with the id '{after[:200]}'.", "after")
        del items[: ids.index(after) + 1]
    page = [m.ResponseStoredItem.model_validate(item) for item in items[: arguments.limit]]
    return m.ResponseItemList(
        object="list",
        data=page,
        first_id=page[0].id if page else None,
        last_id=page[-1].id if page else None,
        has_more=len(items) > len(page),
    )


def record_of(body: m.CreateResponseRequest, num_earlier: int, response: m.Response, owner: str) -> Record:
    """Return what is stored: the request's own items, with ids, and the response."""
    own = [_user_message(body.input)] if isinstance(body.input, str) else body.input[num_earlier:]
    items = [_with_id(item) for item in own]
    content = {"input": items, "response": orjson.Fragment(response.model_dump_json(by_alias=True))}
    return Record(
        id=response.id,
        owner=owner,
        content=orjson.dumps(content),
        parent=body.previous_response_id,
        parts=tuple(item["id"] for item in items) + tuple(item.id for item in response.output),
    )


def _with_id(item: InputItem) -> dict[str, Any]:
    """Return the item as JSON, with an id, and the content of a message as parts."""
    fields = item.model_dump(mode="json", by_alias=True, exclude_unset=True)
    kind = fields.setdefault("type", "message")
    if not fields.get("id"):
        fields["id"] = f"{_PREFIXES.get(kind, 'item')}_{token_hex(16)}"
    if kind == "message":
        part = "output_text" if fields["role"] == "assistant" else "input_text"
        if isinstance(fields["content"], str):
            fields["content"] = [{"type": part, "text": fields["content"]}]
        fields.setdefault("status", "completed")
    return fields
