"""Records: what is stored."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple


class Record(NamedTuple):
    """A record, which is written whole and never changed.

    id: unique, with a prefix that tells its kind. owner: the name of the key that it belongs to; empty where
    no key is asked for. content: JSON. parent: the id of the record that it goes on from, of the same owner.
    parts: the ids of what can be found in it.
    """

    id: str
    owner: str
    content: bytes
    parent: str | None = None
    parts: tuple[str, ...] = ()


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


class CannotOpenStore(Exception):
    """The file of the store cannot be opened; the message names it and says why."""
