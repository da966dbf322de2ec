"""The operations `/v1/files`."""

from collections.abc import AsyncIterator, Sequence
from typing import Final, Literal, cast

from generated.openai import models as m
from handlers.access.visits.visit import current_key_name
from handlers.contracts.openai.page import page_of
from handlers.operations.missing import given
from handlers.store.files import PIECE_BYTES, FileTable, StoredFile
from handlers.store.record import StoreError
from handlers.store.store import Store
from verbatim_kit.errors import Refused
from verbatim_kit.runtime.operation import FileContent
from verbatim_kit.runtime.problem import Problem

MONTH_S: Final = 2_592_000
"""The seconds for which files of batches are kept if their clients do not say."""
_PURPOSES: Final = ("batch", "batch_output", "user_data")


class Files:
    """The stored files of each key. Methods raise StoreError where the store cannot be used."""

    def __init__(self, store: Store | None) -> None:
        """Keep files. store: None for a server that stores nothing."""
        self._store = store

    async def create(self, body: m.CreateFileRequest) -> m.StoredFile:
        """Store a file. Raises a Problem where nothing is stored, and NoRoom."""
        if self._store is None:
            raise nothing_stored()
        store, owner, content = self._store, current_key_name(), body.file.content
        expires_after = given(body.expires_after)
        default = MONTH_S if body.purpose == "batch" else None
        lasts_s = default if expires_after is None else expires_after.seconds
        name = body.file.filename or "file"
        begun = await store.files(FileTable.begin, owner, body.purpose, name, lasts_s, len(content))
        try:
            for start in range(0, len(content), PIECE_BYTES):
                await self._append(store, begun.id, content[start : start + PIECE_BYTES])
        except StoreError:
            await store.files(FileTable.give_up, begun.id)
            raise
        return _file(await store.files(FileTable.finish, begun.id))

    async def list(self, arguments: m.ListFilesArguments) -> m.ListFilesResponse:
        """Return a page of files. Raises Refused for a file to go on after that is none."""
        after, purpose = given(arguments.after), given(arguments.purpose)
        owner, is_newest_first = current_key_name(), arguments.order == "desc"
        found: Sequence[StoredFile] | None = None if after is not None else ()
        if self._store is not None:
            found = await self._store.files(
                FileTable.page, owner, purpose, after, arguments.limit + 1, is_newest_first=is_newest_first
            )
        if found is None:
            raise Refused(f"No such File object: {(after or '')[:200]}", "after")
        return page_of(m.ListFilesResponse, list(map(_file, found)), arguments.limit)

    async def retrieve(self, id: str) -> m.StoredFile:
        """Return a file without its content. Raises a Problem if there is none."""
        return _file(await self._get(id))

    async def content(self, id: str) -> FileContent:
        """Return the content of a file. Raises a Problem if there is none."""
        file = await self._get(id)
        assert self._store is not None, "a file has been found"
        return FileContent(file.num_bytes, pieces_of(self._store, id))

    async def delete(self, id: str) -> m.DeleteFileResponse:
        """Delete a file. Raises a Problem if there is none."""
        owner = current_key_name()
        if self._store is None or not await self._store.files(FileTable.delete, id, owner):
            raise _not_found(id)
        return m.DeleteFileResponse(id=id, object="file", deleted=True)

    async def _get(self, id: str) -> StoredFile:
        owner = current_key_name()
        store = self._store
        file = None if store is None else await store.files(FileTable.get, id, owner)
        if file is None:
            raise _not_found(id)
        return file

    async def _append(self, store: Store, id: str, piece: bytes) -> None:
        await store.files(FileTable.append, id, piece)


async def pieces_of(store: Store, id: str) -> AsyncIterator[bytes]:
    """Yield the content of a file."""
    number = 0
    while (piece := await _piece(store, id, number)) is not None:
        yield piece
        number += 1


def nothing_stored() -> Problem:
    """Return the problem of what needs a store, for a server that has none."""
    return Problem(400, "This server stores nothing, so it takes no files and batches.", "store_disabled")


async def _piece(store: Store, id: str, number: int) -> bytes | None:
    return await store.files(FileTable.piece, id, number)


def _not_found(id: str) -> Problem:
    return Problem(404, f"No such File object: {id[:200]}", field="file_id")


def _file(file: StoredFile) -> m.StoredFile:
    assert file.purpose in _PURPOSES, file.purpose
    return m.StoredFile(
        id=file.id,
        object="file",
        bytes=file.num_bytes,
        created_at=int(file.created),
        expires_at=None if file.expires is None else int(file.expires),
        filename=file.name,
        purpose=cast(Literal["batch", "batch_output", "user_data"], file.purpose),
        status="processed",
    )
