"""Waiting for what nothing reports: a condition that is looked at again and again, with a deadline."""

import asyncio
import time
from collections.abc import Callable
from typing import Final

_PAUSE_S: Final = 0.002


def wait_until(is_so: Callable[[], object], timeout_s: float = 60.0) -> None:
    """Return once the condition holds. Raises TimeoutError if it does not in time."""
    ends_at = time.monotonic() + timeout_s
    while not is_so():
        if time.monotonic() > ends_at:
            raise TimeoutError(f"it does not come to be so in {timeout_s} seconds")
        time.sleep(_PAUSE_S)


async def until(is_so: Callable[[], object], timeout_s: float = 60.0) -> None:
    """Wait for the same while the loop goes on."""
    async with asyncio.timeout(timeout_s):
        while not is_so():
            await asyncio.sleep(_PAUSE_S)
