"""Stored responses and conversations: what requests go on from, and what is stored of an answer."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from secrets import token_hex
from typing import Any, Final, NamedTuple

from pydantic import TypeAdapter
from pydantic_core import from_json, to_json

from generated.openai import models as m
from handlers.access.visits.visit import current_key_name
from handlers.concurrency.body_size import num_characters
from handlers.concurrency.workers import Workers
from handlers.contracts.openai.page import page_of
from handlers.contracts.openai.responses.request.items import NONE_EARLIER, Earlier, InputItem, own_id
from handlers.operations.missing import given
from handlers.store.record import Entry, Extension, Record, StoreError
from handlers.store.store import Store
from verbatim_kit.errors import Refused, Violation
from verbatim_kit.runtime.problem import Problem

_ITEMS: Final = TypeAdapter[m.ResponseInputItems](m.ResponseInputItems)
_ENOUGH: Final = 100_000
_EXCLUSIVE: Final = "Only one of 'previous_response_id' and 'conversation' can be given."
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
    """A request together with what it goes on from, which its `input` begins with; it refers to no item."""

    body: m.CreateResponseRequest
    earlier: Earlier = NONE_EARLIER


class RequestRecord:
    """The stored form of a request, and of the response to it at any time. For the store's thread."""

    def __init__(self, request: Recalled, owner: str) -> None:
        self._request = request
        self._owner = owner

    @cached_property
    def _items(self) -> list[dict[str, Any]]:
        """The request's own items, with ids."""
        body, earlier = self._request
        own = [_user_message(body.input)] if isinstance(body.input, str) else body.input[earlier.num_items :]
        return [with_id(item) for item in own]

    def of(self, response: m.Response) -> Record:
        body, items = self._request.body, self._items
        conversation = response.conversation
        content = b'{"input":%b,"response":%b,"last_entry":%b}' % (
            to_json(items),
            response.model_dump_json(by_alias=True).encode(),
            to_json(self._request.earlier.last_entry),
        )
        extends = None
        if conversation is not None and response.status in ("completed", "incomplete"):
            answer = [item.model_dump(mode="json", by_alias=True) for item in response.output]
            entries = tuple((item["id"], to_json(item)) for item in (*items, *answer))
            extends = Extension(conversation.id, entries)
        return Record(
            id=response.id,
            owner=self._owner,
            content=content,
            parent=body.previous_response_id,
            parts=tuple(item["id"] for item in items) + tuple(item.id for item in response.output),
            extends=extends,
        )


class Memory:
    """The stored responses of each key. Methods raise StoreError where the store cannot be used."""

    def __init__(self, store: Store | None, workers: Workers) -> None:
        """Remember responses. store: None for a server that stores nothing."""
        self._store = store
        self._workers = workers

    async def recall(self, body: m.CreateResponseRequest) -> Recalled:
        """Return a request with all items that it names.

        Raises a Problem for a response or a conversation that is not stored, and Refused for such an item.
        """
        owner, id, conversation = current_key_name(), body.previous_response_id, conversation_of(body)
        records: Sequence[Record] = ()
        entries: Sequence[Entry] = ()
        earlier = NONE_EARLIER
        if conversation is not None:
            if id is not None:
                raise Problem(400, _EXCLUSIVE, "mutually_exclusive_parameters", field="conversation")
            if not is_conversation(conversation) or self._store is None:
                raise no_conversation(conversation)
            if await self._store.get(conversation, owner) is None:
                raise no_conversation(conversation)
            entries = await self._store.entries(conversation, owner)
            last = entries[-1].number if entries else -1
            earlier = Earlier(field="conversation", last_entry=last)
        elif id is not None:
            records, entries = await self._line(id, owner)
            if not records:
                raise _no_previous(id, is_stateless=self._store is None)
            earlier = Earlier(field="previous_response_id")
        references = references_in(body.input, "input")
        if not records and not references and conversation is None:
            return Recalled(body)
        held = await self.held(references)
        size = _size([*records, *entries, *held.values()])
        return await self._workers.tokenize(size, _recalled, body, earlier, records, entries, held)

    async def _line(self, id: str, owner: str) -> tuple[Sequence[Record], Sequence[Entry]]:
        """Return a response and all that it goes on from; the items of a conversation come before these.

        Empty if any of it is not there any more.
        """
        if self._store is None or not is_response(id):
            return (), ()
        records = await self._store.line(id, owner)
        if not records:
            return (), ()
        oldest = records[0]
        conversation, last_entry = await self._workers.tokenize(
            len(oldest.content), _place_in_conversation, oldest
        )
        if conversation is None:
            return records, ()
        if await self._store.get(conversation, owner) is None:
            return (), ()
        entries = await self._store.entries(conversation, owner)
        return records, [entry for entry in entries if entry.number <= last_entry]

    def stores(self, body: m.CreateResponseRequest) -> bool:
        """Return whether the response to a request is to be stored."""
        return self._store is not None and body.store is not False

    async def keep(self, recalled: Recalled, response: m.Response) -> m.Response:
        """Store a response if it is to be stored, and return it as it is then.

        Raises StoreError only if the request asks by itself that the response be stored, or has a
        conversation that it is to be added to.
        """
        if self._store is None:
            return response
        owner = current_key_name()
        request = RequestRecord(recalled, owner)
        if not response.store:
            if response.conversation is not None:
                size = num_characters(response, _ENOUGH)
                record = await self._workers.tokenize(size, request.of, response)
                if record.extends is not None:
                    await self._store.extend(owner, record.extends)
            return response
        try:
            await self._store.put(partial(request.of, response))
        except StoreError:
            is_asked_for = recalled.body.store and "store" in recalled.body.model_fields_set
            if is_asked_for or response.conversation is not None:
                raise
            return response.model_copy(update={"store": False})
        return response

    async def delete(self, id: str) -> m.DeletedResponse:
        """Delete a stored response. Raises a Problem if there is none."""
        if self._store is None or not is_response(id):
            raise not_found(id)
        if not await self._store.delete(id, current_key_name()):
            raise not_found(id)
        return m.DeletedResponse(id=id, object="response", deleted=True)

    async def input_items(self, arguments: m.ListInputItemsArguments) -> m.ResponseItemList:
        """Return a page of the items that a stored response answers.

        Raises a Problem if there is no such response, and Refused for an item to go on after that is none.
        """
        id = arguments.response_id
        records, entries = await self._line(id, current_key_name())
        if not records:
            raise not_found(id)
        size = _size([*records, *entries])
        return await self._workers.tokenize(size, _input_items, records, entries, arguments)

    async def held(self, references: Mapping[str, str]) -> Mapping[str, Record | Entry]:
        """Return what has the items that are referred to, by these. Raises Refused."""
        if not references:
            return {}
        if self._store is None:
            field = next(iter(references.values()))
            reason = "No item is stored here, so none can be referred to; send the item itself."
            raise Refused(reason, f"{field}.type", Violation.UNSUPPORTED_VALUE)
        owner, ids = current_key_name(), [*references]
        entries = await self._store.entries_with(ids, owner)
        held: dict[str, Record | Entry] = {entry.id: entry for entry in entries}
        held |= await self._store.holding([id for id in ids if id not in held], owner)
        for id, field in references.items():
            if id not in held:
                raise Refused(f"Item with id '{id[:200]}' not found.", f"{field}.id")
        return held


def is_response(id: str) -> bool:
    """Return whether an id is a response's, and no other record's."""
    return id.startswith("resp_")


def is_conversation(id: str) -> bool:
    """Return whether an id is a conversation's, and no other record's."""
    return id.startswith("conv_")


def conversation_of(request: m.CreateResponseRequest) -> str | None:
    """Return the id of the conversation that a request goes on with."""
    named = request.conversation
    return named.id if isinstance(named, m.ResponseConversation) else named


def references_in(items: str | Sequence[InputItem], field: str) -> dict[str, str]:
    """Return the place of the first reference to each item that is referred to, by the item's id."""
    found: dict[str, str] = {}
    if not isinstance(items, str):
        for at, item in enumerate(items):
            if isinstance(item, m.ResponseItemReference):
                found.setdefault(item.id, f"{field}[{at}]")
    return found


def resolved(items: Sequence[InputItem], held: Mapping[str, Record | Entry]) -> list[InputItem]:
    """Return items with those that they refer to in place of the references. held: by the ids of these."""
    in_records = {each.id: _by_id(each) for each in held.values() if isinstance(each, Record)}
    stored = [
        in_records[each.id][id] if isinstance(each, Record) else from_json(each.content)
        for id, each in held.items()
    ]
    found = dict(zip(held, _parsed(stored), strict=True))
    return [found[item.id] if isinstance(item, m.ResponseItemReference) else item for item in items]


def check_new(items: Sequence[InputItem], taken: Container[str], field: str) -> None:
    """Raise Refused for an item with an id that a conversation has already, or an item before it."""
    seen: set[str | None] = set()
    for at, item in enumerate(items):
        id = own_id(item)
        if id is not None and (id in taken or id in seen):
            raise Refused(f"The conversation has an item with the id '{id[:200]}'.", f"{field}[{at}].id")
        seen |= {id} - {None}


def no_conversation(id: str) -> Refused:
    """Return the error of a request that would go on with a conversation that is not stored."""
    return Refused(f"Conversation with id '{id[:200]}' not found.", "conversation")


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


def _place_in_conversation(record: Record) -> tuple[str | None, int]:
    """Return the conversation of a response, None if it has none, and the last item that was before it."""
    content = from_json(record.content)
    conversation = content["response"].get("conversation")
    return (None, -1) if conversation is None else (conversation["id"], content["last_entry"])


def _size(stored: Sequence[Record | Entry]) -> int:
    return sum(len(each.content) for each in stored)


def _recalled(
    body: m.CreateResponseRequest,
    earlier: Earlier,
    records: Sequence[Record],
    entries: Sequence[Entry],
    held: Mapping[str, Record | Entry],
) -> Recalled:
    """Return a request with stored items before its own, and with those that it refers to."""
    stored = _parsed([*_entry_items(entries), *_stored_items(records)])
    own: Sequence[InputItem] = [_user_message(body.input)] if isinstance(body.input, str) else body.input
    own = resolved(own, held)
    if earlier.field == "conversation":
        check_new(own, {entry.id for entry in entries}, "input")
    whole = body.model_copy(update={"input": [*stored, *own]})
    return Recalled(whole, earlier._replace(num_items=len(stored)))


def _by_id(record: Record) -> dict[str, dict[str, Any]]:
    """Return a record's items by their ids; the first, where several have one."""
    return {item["id"]: item for item in reversed([*_stored_items([record])])}


def _parsed(items: Iterable[dict[str, Any]]) -> Sequence[InputItem]:
    values = list(items)
    return _ITEMS.validate_python(values) if values else ()


def _entry_items(entries: Sequence[Entry]) -> Iterator[dict[str, Any]]:
    for entry in entries:
        yield from_json(entry.content)


def _stored_items(records: Sequence[Record], *, with_last_output: bool = True) -> Iterator[dict[str, Any]]:
    """Yield the items of responses that go on from each other, as JSON values.

    Raises Refused for a response without its output, if that is wanted.
    """
    for record in records:
        content = from_json(record.content)
        yield from content["input"]
        if with_last_output or record is not records[-1]:
            if content["response"]["status"] in UNFINISHED:
                reason = f"Response with id '{record.id}' is not finished yet; try again when it is."
                raise Refused(reason, "previous_response_id")
            yield from content["response"]["output"]


def _input_items(
    records: Sequence[Record], entries: Sequence[Entry], arguments: m.ListInputItemsArguments
) -> m.ResponseItemList:
    items = [*_entry_items(entries), *_stored_items(records, with_last_output=False)]
    if arguments.order == "desc":
        items.reverse()
    after = given(arguments.after)
    if after is not None:
        ids = [item["id"] for item in items]
        if after not in ids:
            raise Refused(f"The response has no input item with the id '{after[:200]}'.", "after")
        del items[: ids.index(after) + 1]
    return page_of_items(items, arguments.limit)


def page_of_items(items: Sequence[dict[str, Any]], limit: int) -> m.ResponseItemList:
    """Return the first of some items."""
    read = [m.ResponseStoredItem.model_validate(item) for item in items[: limit + 1]]
    return page_of(m.ResponseItemList, read, limit)


def with_id(item: InputItem) -> dict[str, Any]:
    """Return the item as JSON, with an id and a status, and the content of a message as parts."""
    fields = item.model_dump(mode="json", by_alias=True, exclude_unset=True)
    kind = fields.setdefault("type", "message")
    if not fields.get("id"):
        fields["id"] = f"{_PREFIXES.get(kind, 'item')}_{token_hex(16)}"
    if kind in _PREFIXES and not fields.get("status"):
        fields["status"] = "completed"  # OpenAI's clients require it
    if kind == "message":
        part = "output_text" if fields["role"] == "assistant" else "input_text"
        if isinstance(fields["content"], str):
            fields["content"] = [{"type": part, "text": fields["content"]}]
    return fields
