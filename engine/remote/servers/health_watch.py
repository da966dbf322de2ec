"""The watch over several servers: one that is unhealthy gets no new requests until it is healthy again."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Final, NoReturn

from engine.remote.servers.upstream import Upstream

_PERIOD_S: Final = 2.0
# A busy server may answer late once.
_MAX_FAILURES: Final = 1

_log = logging.getLogger(__name__)


async def is_healthy(upstream: Upstream) -> bool:
    """Return whether a server is healthy, as its own supervisor would ask it."""
    return await upstream.health.answer()


async def watch(upstreams: Sequence[Upstream], period_s: float = _PERIOD_S) -> NoReturn:
    """Ask all servers again and again, and set their `is_healthy`.

    A server that says that it is not healthy, because it stops for example, computes what it has begun and
    gets no more: so servers can be replaced one by one.
    """
    num_failures = dict.fromkeys(upstreams, 0)
    while True:
        answers = await asyncio.gather(*map(is_healthy, upstreams))
        for upstream, has_answered in zip(upstreams, answers, strict=True):
            num_failures[upstream] = 0 if has_answered else num_failures[upstream] + 1
            if has_answered and not upstream.is_healthy:
                _log.warning("%s is healthy again", upstream.url)
                upstream.is_healthy = True
            elif num_failures[upstream] > _MAX_FAILURES:
                eject(upstream)
        await asyncio.sleep(period_s)


def eject(upstream: Upstream) -> None:
    """Send a server no new requests until it is found healthy."""
    if upstream.is_healthy:
        _log.warning("%s gets no requests until it is healthy", upstream.url)
        upstream.is_healthy = False
