"""The operations on `/v1/conversations`."""

import time
from collections.abc import Sequence
from secrets import token_hex
from typing import Any

from pydantic_core import from_json, to_json

from generated.openai import models as m
from handlers.access.visits.visit import current_key_name
from handlers.concurrency.workers import Workers
from handlers.contracts.openai.responses.request.items import InputItem, own_id
from handlers.contracts.openai.responses.request.memory import (
    Memory,
    check_new,
    is_conversation,
    page_of_items,
    references_in,
    resolved,
    with_id,
)
from handlers.operations.missing import given
from handlers.store.record import Entry, Extension, Record
from handlers.store.store import Store
from verbatim_kit.errors import Refused, Violation
from verbatim_kit.runtime.problem import Problem


class Conversations:
    """The conversations of each key. Methods raise StoreError where the store cannot be used.

    They raise a Problem for a conversation, or an item, that there is not.
    """

    def __init__(self, store: Store | None, workers: Workers, memory: Memory) -> None:
        """Keep conversations. store: None for a server that stores nothing."""
        self._store = store
        self._workers = workers
        self._memory = memory

    async def create(self, body: m.CreateConversationRequest) -> m.Conversation:
        """Begin a conversation. Raises Refused where nothing is stored, and for an item as `add` does."""
        if self._store is None:
            raise Refused("No conversation is stored here.", violation=Violation.UNSUPPORTED_VALUE)
        items = await self._entries(body.items or (), ())
        conversation = m.Conversation(
            id=f"conv_{token_hex(16)}",
            object="conversation",
            created_at=int(time.time()),
            metadata=body.metadata or {},
        )
        content, owner = conversation.model_dump_json().encode(), current_key_name()
        await self._store.put(lambda: Record(conversation.id, owner, content), items)
        return conversation

    async def get(self, id: str) -> m.Conversation:
        """Return a conversation."""
        _, conversation = await self._found(id)
        return conversation

    async def update(self, id: str, body: m.UpdateConversationRequest) -> m.Conversation:
        """Give a conversation other notes."""
        store, conversation = await self._found(id)
        conversation = conversation.model_copy(update={"metadata": body.metadata or {}})
        if not await store.rewrite(id, current_key_name(), conversation.model_dump_json().encode()):
            raise _not_found(id)
        return conversation

    async def delete(self, id: str) -> m.DeletedConversation:
        """Delete a conversation with its items."""
        store, _ = await self._found(id)
        if not await store.delete(id, current_key_name()):
            raise _not_found(id)
        return m.DeletedConversation(id=id, object="conversation.deleted", deleted=True)

    async def items(self, arguments: m.ListConversationItemsArguments) -> m.ResponseItemList:
        """Return a page of a conversation's items. Raises Refused for one to go on after that is none."""
        id, after = arguments.conversation_id, given(arguments.after)
        store, _ = await self._found(id)
        last = None
        if after is not None:
            last = await self._entry(store, id, after)
            if last is None:
                raise Refused(f"The conversation has no item with the id '{after[:200]}'.", "after")
        entries = await store.entries(
            id,
            current_key_name(),
            None if last is None else last.number,
            arguments.limit + 1,
            descends=arguments.order == "desc",
        )
        return await self._page([entry.content for entry in entries], arguments.limit)

    async def add(self, id: str, body: m.CreateConversationItemsRequest) -> m.ResponseItemList:
        """Add items to a conversation, and return them.

        Raises Refused for an id that the conversation has already, and for a reference to no item.
        """
        store, _ = await self._found(id)
        owner = current_key_name()
        sent = [own for item in body.items if (own := own_id(item)) is not None]
        taken = [entry.id for entry in await store.entries_with(sent, owner) if entry.record == id]
        entries = await self._entries(body.items, taken)
        if not await store.extend(owner, Extension(id, tuple(entries))):
            raise _not_found(id)
        return await self._page([content for _, content in entries], len(entries))

    async def item(self, id: str, item_id: str) -> m.ResponseStoredItem:
        """Return an item of a conversation."""
        store, _ = await self._found(id)
        entry = await self._entry(store, id, item_id)
        if entry is None:
            raise _no_item(item_id)
        return (await self._page([entry.content], 1)).data[0]

    async def remove(self, id: str, item_id: str) -> m.Conversation:
        """Delete an item of a conversation, and return the conversation."""
        store, conversation = await self._found(id)
        entry = await self._entry(store, id, item_id)
        if entry is None:
            raise _no_item(item_id)
        await store.remove(entry)
        return conversation

    async def _found(self, id: str) -> tuple[Store, m.Conversation]:
        record = None
        if self._store is not None and is_conversation(id):
            record = await self._store.get(id, current_key_name())
        if self._store is None or record is None:
            raise _not_found(id)
        return self._store, m.Conversation.model_validate_json(record.content)

    async def _entry(self, store: Store, id: str, item_id: str) -> Entry | None:
        found = await store.entries_with([item_id], current_key_name())
        return next((entry for entry in found if entry.record == id), None)

    async def _entries(self, items: Sequence[InputItem], taken: Sequence[str]) -> list[tuple[str, bytes]]:
        """Return items as they are stored, by their ids. taken: those that the conversation has."""
        held = await self._memory.held(references_in(items, "items"))

        def entries() -> list[tuple[str, bytes]]:
            whole = resolved(items, held)
            check_new(whole, taken, "items")
            stored = [with_id(item) for item in whole]
            return [(item["id"], to_json(item)) for item in stored]

        return await self._workers.tokenize(_LONG if items else 0, entries)

    async def _page(self, contents: Sequence[bytes], limit: int) -> m.ResponseItemList:
        def page() -> m.ResponseItemList:
            items: list[dict[str, Any]] = [from_json(content) for content in contents]
            return page_of_items(items, limit)

        return await self._workers.tokenize(sum(map(len, contents)), page)


def _no_item(id: str) -> Problem:
    return Problem(404, f"Item with id '{id[:200]}' not found.", field="item_id")


_LONG = 4096  # characters: items may be of any length, and are made ready in a thread


def _not_found(id: str) -> Problem:
    return Problem(404, f"Conversation with id '{id[:200]}' not found.", field="conversation_id")
