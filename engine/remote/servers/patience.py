"""The wait at the start for servers that have no room, or do not answer; no torch."""

import asyncio
from collections.abc import Callable
from typing import Final

_PAUSE_S: Final = 0.5  # between two tries


class Patience:
    """The wait for all servers together, until one moment."""

    def __init__(self, seconds: float, on_progress: Callable[[str], None]) -> None:
        """Begin to count the seconds. Requires a running event loop.

        on_progress: a function that is called once with each reason to wait.
        """
        self._loop = asyncio.get_running_loop()
        self._ends_at = self._loop.time() + seconds
        self._on_progress = on_progress
        self._reported: set[str] = set()

    async def again(self, url: str, reason: str) -> bool:
        """Return whether there is time for another try, after a pause.

        url, reason: the server that was tried last, and why that failed.
        """
        if self._loop.time() + _PAUSE_S > self._ends_at:
            return False
        if (line := f"waiting for the server at {url}: {reason}") not in self._reported:
            self._reported.add(line)
            self._on_progress(line)
        await asyncio.sleep(_PAUSE_S)
        return True
