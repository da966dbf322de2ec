"""The patterns of an adapter's configuration, which a stranger may have made: matched within a bound."""

from typing import Final

import regex

from engine.port.errors import CannotLoadAdapter

_MAX_CHARACTERS: Final = 2_000
# In microseconds a pattern of PEFT's is through; backtracking without end would stop every other thread.
_TIMEOUT_S: Final = 0.02


def matched_number(pattern: str, path: str) -> int | None:
    """Return the number that the pattern's only group finds at the start of the path; None without any."""
    found = _match(pattern, path)
    return None if found is None else int(found[1])


def is_match(pattern: str, path: str) -> bool:
    """Return whether the pattern is the whole of the path."""
    return _match(rf"(?:{pattern})\Z", path) is not None


def _match(pattern: str, path: str) -> "regex.Match[str] | None":
    if len(pattern) > _MAX_CHARACTERS:
        raise CannotLoadAdapter(
            f"adapter_config.json: a pattern has more than {_MAX_CHARACTERS:,} characters"
        )
    try:
        # Concurrent: without the interpreter's lock, for which steps would wait.
        return regex.match(pattern, path, timeout=_TIMEOUT_S, concurrent=True)
    except TimeoutError:
        raise CannotLoadAdapter(f"adapter_config.json: pattern {shown(pattern)} takes too long") from None
    except (regex.error, RecursionError, MemoryError) as error:
        raise CannotLoadAdapter(f"adapter_config.json: pattern {shown(pattern)}: {error}") from error


def shown(value: object) -> str:
    """Return a value of the configuration as a message has it."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
