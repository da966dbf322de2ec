"""The API keys that a server accepts, reloaded when the key file changes."""

import asyncio
import hmac
import logging
import os
import time
from collections.abc import Callable, Collection, Iterable
from hashlib import sha256
from pathlib import Path
from typing import Final

from handlers.access.key import Key, KeyEntry
from handlers.access.keys.key_file import InvalidKeyFile, read_key_file

logger = logging.getLogger(__name__)

SINGLE_KEY: Final = "api-key"  # the name of the key from --api-key in the audit log
_REFRESH_S: Final = 1.0
_NO_DIGEST: Final = bytes(sha256().digest_size)


class Keyring:
    """The keys of the key file and of `--api-key`, by hash.

    single: the key of `--api-key`; None without it. path: the key file; None without it.
    contracts: names of all contracts. clock: monotonic seconds. single_name: the name of `single` in the
    audit log. Raises InvalidKeyFile.
    """

    def __init__(
        self,
        single: str | None = None,
        path: Path | None = None,
        contracts: Collection[str] = (),
        clock: Callable[[], float] = time.monotonic,
        single_name: str = SINGLE_KEY,
    ) -> None:
        self._path = path
        self._contracts = contracts
        self._clock = clock
        self._single = (
            {} if single is None else _keys_of(single, single_name, clock, keeps_apart=path is not None)
        )
        self._stamp = self._read_stamp()
        self._keys = self._single | self._read_keys({})

    @property
    def has_file(self) -> bool:
        return self._path is not None

    def find(self, given: bytes) -> Key | None:
        """Return the key with this text; None if it is unknown.

        The lookup uses the key's hash, which an attacker cannot choose, so that its time reveals nothing. An
        unknown key takes as long as a known one.
        """
        digest = sha256(given).digest()
        found = self._keys.get(digest)
        is_same = hmac.compare_digest(digest, _NO_DIGEST if found is None else found.digest)
        return found if is_same else None

    def named(self, name: str) -> Key | None:
        """Return the key with this name; None if there is none."""
        return next((key for key in self._keys.values() if key.name == name), None)

    def refresh(self) -> None:
        """Reload the file if it has changed; if it is invalid, log an error and keep the current keys."""
        stamp = self._read_stamp()
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._keys = self._single | self._read_keys(self._keys)
        except InvalidKeyFile as error:
            logger.error("the API keys were not reloaded: %s", error)
        else:
            logger.info("reloaded %d API keys from %s", len(self._keys) - len(self._single), self._path)

    async def keep_fresh(self) -> None:
        """Call `refresh` once a second in a thread, until cancelled.

        Unexpected exceptions are logged and the loop goes on, since otherwise a key that is removed from the
        file would stay valid.
        """
        while True:
            await asyncio.sleep(_REFRESH_S)
            try:
                await asyncio.to_thread(self.refresh)
            except Exception:
                logger.exception("the API keys were not reloaded; retrying")

    def _read_keys(self, known: dict[bytes, Key]) -> dict[bytes, Key]:
        """Return the keys of the file; a key whose entry is unchanged keeps the state of its rate limits."""
        entries: Iterable[KeyEntry] = () if self._path is None else read_key_file(self._path, self._contracts)
        keys = (Key(entry, self._clock, keeps_apart=True) for entry in entries)
        pairs = ((key, known.get(key.digest, key)) for key in keys)
        return {key.digest: old if old.entry == key.entry else key for key, old in pairs}

    def _read_stamp(self) -> tuple[int, int, int] | None:
        """Return a value that changes when the file does; None if there is no file."""
        try:
            status = None if self._path is None else os.stat(self._path)
        except OSError:
            return None
        return None if status is None else (status.st_ino, status.st_mtime_ns, status.st_size)


def _keys_of(single: str, name: str, clock: Callable[[], float], *, keeps_apart: bool) -> dict[bytes, Key]:
    """Return the single key, by the hash of each encoding that clients may send."""
    hashes = (sha256(encoding).hexdigest() for encoding in _encodings(single))
    entries = (KeyEntry(name=name, sha256=digest) for digest in hashes)
    keys = (Key(entry, clock, keeps_apart=keeps_apart) for entry in entries)
    return {key.digest: key for key in keys}


def _encodings(key: str) -> tuple[bytes, ...]:
    """Return the encodings of a key that clients may send: UTF-8, and Latin-1 if possible."""
    utf8 = key.encode("utf-8", "surrogateescape")  # the bytes in the environment variable
    return (utf8,) if key.isascii() or not _is_latin1(key) else (utf8, key.encode("latin-1"))


def _is_latin1(text: str) -> bool:
    return all(ord(character) < 256 for character in text)
