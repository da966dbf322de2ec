"""Records: what is stored."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple


class Record(NamedTuple):
    """A record, which is written whole.

    id: unique, with a prefix that tells its kind. owner: the name of the key that it belongs to; empty where
    no key is asked for. content: JSON. parent: the id of the record that it goes on from, of the same owner.
    parts: the ids of what can be found in it. extends: what is added to another record with it.
    """

    id: str
    owner: str
    content: bytes
    parent: str | None = None
    parts: tuple[str, ...] = ()
    extends: "Extension | None" = None


class Extension(NamedTuple):
    """Entries that are added to a record, if it is there. entries: their ids and contents."""

    id: str
    entries: tuple[tuple[str, bytes], ...]


class Entry(NamedTuple):
    """A part of a record that was added to it. number: grows. id: empty where it has none."""

    record: str
    number: int
    content: bytes
    id: str = ""


class Change(NamedTuple):
    """A new state of a record that is being worked on.

    content: in place of the old one. parts: in addition to those that it has. entries: those to be added.
    extends: what is added to another record with it.
    """

    content: bytes
    parts: tuple[str, ...] = ()
    entries: tuple[bytes, ...] = ()
    extends: Extension | None = None


class StoreError(Exception):
    """The store cannot be read or written now, such as on a full disk."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The store cannot be used: {reason}")
        self.reason = reason


class NoRoom(StoreError):
    """There is no room for a file or an answer within the bounds."""


@contextmanager
def explained() -> Iterator[None]:
    """Raise StoreError in place of SQLite's errors within the block."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(str(error)) from error


@contextmanager
def writing(connection: sqlite3.Connection) -> Iterator[None]:
    """Write all that the block does, or nothing; other processes wait. Raises StoreError as `explained`."""
    with explained(), connection:
        connection.execute("BEGIN IMMEDIATE")
        yield


class CannotOpenStore(Exception):
    """The file of the store cannot be opened; the message names it and says why."""
