"""The file of `--config`: TOML without tables, whose keys are the names of options."""

import tomllib
from difflib import get_close_matches
from typing import Any, Final

from pydantic_settings import BaseSettings

from engine.whole_file import read_whole
from handlers.shared_settings.reading import flag, variables

_MAX_BYTES: Final = 1_000_000


def read_config(path: str, settings: type[BaseSettings]) -> dict[str, Any]:
    """Return the file's values by the names of these settings.

    Raises ValueError if the file cannot be read, is no TOML, or has a key that is no setting.
    """
    try:
        content = tomllib.loads(read_whole(path, _MAX_BYTES).decode())
    except (OSError, ValueError) as error:  # ValueError: no UTF-8, no TOML
        raise ValueError(f"--config: {path}: {getattr(error, 'strerror', None) or error}") from None
    names = {
        flag(known).removeprefix("--"): name
        for name, field in settings.model_fields.items()
        for known in (*variables(field), name)
        if not known.startswith("VERBATIM_")
    }
    values, unknown = {}, []
    for key, value in content.items():
        written = key.replace("_", "-")
        if written in names and names[written] != "config":
            values[names[written]] = value
        else:
            close = get_close_matches(written, names, n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            unknown.append(f"--config: {path}: {key!r} is no option of `verbatim serve`{hint}")
    if unknown:
        raise ValueError("\n".join(unknown))
    return values
