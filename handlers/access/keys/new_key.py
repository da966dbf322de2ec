"""Creation of API keys and of their entries in the key file."""

from hashlib import sha256
from secrets import token_urlsafe
from typing import NamedTuple

import msgspec

from handlers.access.key import KeyEntry

_PREFIX = "vbm-"  # lets secret scanners recognize a key
_NUM_BYTES = 32


class NewKey(NamedTuple):
    """A new key and its entry. text: the key itself, which is not stored."""

    text: str
    entry: KeyEntry


def new_key(
    name: str,
    contracts: tuple[str, ...] | None = None,
    requests_per_minute: int | None = None,
    tokens_per_minute: int | None = None,
    expires: str | None = None,
) -> NewKey:
    """Return a key of 256 random bits. Raises ValueError for values that are invalid in the key file.

    expires: date and time with an offset (RFC 3339).
    """
    text = _PREFIX + token_urlsafe(_NUM_BYTES)
    fields = {
        "name": name,
        "sha256": sha256(text.encode()).hexdigest(),
        "contracts": contracts,
        "requests_per_minute": requests_per_minute,
        "tokens_per_minute": tokens_per_minute,
        "expires": expires,
    }
    return NewKey(text, msgspec.convert(fields, KeyEntry))


def as_toml(entry: KeyEntry) -> str:
    """Return the entry as a TOML table; names contain no character that must be escaped."""
    lines = ["[[key]]", f'name = "{entry.name}"', f'sha256 = "{entry.sha256}"']
    if entry.contracts is not None:
        names = ", ".join(f'"{name}"' for name in entry.contracts)
        lines.append(f"contracts = [{names}]")
    limits = (
        ("requests_per_minute", entry.requests_per_minute),
        ("tokens_per_minute", entry.tokens_per_minute),
    )
    lines += [f"{name} = {limit}" for name, limit in limits if limit is not None]
    if entry.expires is not None:
        lines.append(f"expires = {entry.expires.isoformat()}")
    return "\n".join([*lines, ""])
