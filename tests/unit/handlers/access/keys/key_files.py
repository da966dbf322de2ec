"""Files of keys for tests."""

from hashlib import sha256
from pathlib import Path


def table(name: str, key: str, **fields: object) -> str:
    """A key's table; the value of a field is TOML."""
    lines = ["[[key]]", f'name = "{name}"', f'sha256 = "{sha256(key.encode()).hexdigest()}"']
    return "\n".join([*lines, *(f"{field} = {value}" for field, value in fields.items()), ""])


def write(path: Path, *tables: str) -> Path:
    """Replace the file as editors do, so that its stamp differs whatever the clock's grain is."""
    new = path.with_suffix(".new")
    new.write_text("\n".join(tables))
    new.replace(path)
    return path
