"""The file of API keys, in TOML: a table `[[key]]` for each, with the fields of `KeyEntry`."""

import tomllib
from collections.abc import Collection, Iterable
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from handlers.access.key import KeyEntry

_MAX_BYTES: Final = 1_000_000  # some thousand keys; more would take seconds to read
_HASH_OF_NOTHING: Final = sha256(b"").hexdigest()


class InvalidKeyFile(ValueError):
    """The file of keys cannot be read, or is not valid."""


class _KeyFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    key: tuple[KeyEntry, ...] = ()


def read_key_file(path: Path, contracts: Collection[str]) -> tuple[KeyEntry, ...]:
    """Return the entries in their order. Raises InvalidKeyFile, with the fault and its place.

    contracts: the names of all.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise InvalidKeyFile(f"{path}: {error.strerror}") from error
    if len(content) > _MAX_BYTES:
        raise InvalidKeyFile(f"{path}: the file is longer than {_MAX_BYTES:,} bytes")
    try:
        entries = msgspec.convert(tomllib.loads(content.decode()), _KeyFile).key
        _check(entries, contracts)
    except (ValueError, RecursionError) as error:  # msgspec.ValidationError is a ValueError
        raise InvalidKeyFile(f"{path}: {error}") from error
    return entries


def _check(entries: Iterable[KeyEntry], contracts: Collection[str]) -> None:
    """Raise ValueError for faults that a schema cannot express."""
    names: set[str] = set()
    hashes: set[str] = set()
    for entry in entries:
        digest = entry.sha256.lower()
        if entry.name in names:
            raise ValueError(f"there are two keys named {entry.name!r}")
        if digest in hashes:
            raise ValueError(f"the sha256 of {entry.name!r} is another key's too")
        if digest == _HASH_OF_NOTHING:
            raise ValueError(f"the sha256 of {entry.name!r} is that of an empty key")
        for contract in entry.contracts or ():
            if contract not in contracts:
                known = ", ".join(sorted(contracts))
                raise ValueError(f"{entry.name!r} names the contract {contract!r}; there are: {known}")
        names.add(entry.name)
        hashes.add(digest)
