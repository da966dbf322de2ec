"""The TOML file of API keys: a table `[[key]]` for each, with the fields of `KeyEntry`."""

import tomllib
from collections.abc import Collection, Iterable
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from engine.whole_file import read_whole
from handlers.access.key import KeyEntry

_MAX_BYTES: Final = 1_000_000  # some thousand keys; a larger file would take seconds to parse
_HASH_OF_NOTHING: Final = sha256(b"").hexdigest()


class InvalidKeyFile(ValueError):
    """The key file cannot be read or is invalid."""


class _KeyFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    key: tuple[KeyEntry, ...] = ()


def read_key_file(path: Path, contracts: Collection[str]) -> tuple[KeyEntry, ...]:
    """Return the entries of a key file, in order.

    contracts: names of all contracts. Raises InvalidKeyFile with a description of the error and its place.
    """
    try:
        content = read_whole(path, _MAX_BYTES)
    except OSError as error:
        raise InvalidKeyFile(f"{path}: {error.strerror}") from error
    try:
        entries = msgspec.convert(tomllib.loads(content.decode()), _KeyFile).key
        _check(entries, contracts)
    except (ValueError, RecursionError) as error:  # msgspec.ValidationError is a ValueError
        raise InvalidKeyFile(f"{path}: {error}") from error
    return entries


def _check(entries: Iterable[KeyEntry], contracts: Collection[str]) -> None:
    """Raise ValueError for errors that the schema cannot express."""
    names: set[str] = set()
    hashes: set[str] = set()
    for entry in entries:
        digest = entry.sha256.lower()
        if entry.name in names:
            raise ValueError(f"two keys are named {entry.name!r}")
        if digest in hashes:
            raise ValueError(f"the sha256 of {entry.name!r} is also that of another key")
        if digest == _HASH_OF_NOTHING:
            raise ValueError(f"the sha256 of {entry.name!r} is that of an empty key")
        for contract in entry.contracts or ():
            if contract not in contracts:
                known = ", ".join(sorted(contracts))
                raise ValueError(f"{entry.name!r} has the unknown contract {contract!r}; known are: {known}")
        names.add(entry.name)
        hashes.add(digest)
