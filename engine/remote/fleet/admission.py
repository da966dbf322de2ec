"""The conditions on which a server computes for an engine, at the start and when it comes back; no torch."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import NamedTuple

from engine.errors import EngineBusy, EngineError, ModelNotSupported
from engine.media_item import FileKeeper
from engine.remote.client.failures import NoAnswer
from engine.remote.client.upstream import Upstream
from engine.remote.config import RemoteConfig
from engine.remote.fleet.server import Server
from engine.remote.media import check_reads
from engine.remote.servers.model_list import NotReady
from engine.remote.servers.patience import Patience
from engine.remote.servers.server_facts import (
    ServerFacts,
    server_facts,
    wait_until_ready,
    with_answers,
)
from engine.remote.servers.tokenization import check_tokenizes
from engine.remote.wire.token_api import ApiFacts, TokenApi
from engine.text.tokenizer import Tokenizer

# Between the first server that is ready and a start without the others.
_GRACE_S = 5.0

_log = logging.getLogger(__name__)


class Ready(NamedTuple):
    """A server that can compute for the engine."""

    upstream: Upstream
    facts: ServerFacts


async def wait_for_servers(
    upstreams: Sequence[Upstream],
    api: TokenApi,
    config: RemoteConfig,
    tokenizer: Tokenizer,
    on_progress: Callable[[str], None],
) -> list[Ready]:
    """Wait for all servers at once, and return those that are ready a few seconds after the first one is.

    A server that has no room to be tried is asked again. Raises ModelNotSupported if none is ready in time,
    or if one does not serve the model.
    """
    patience = Patience(config.start_timeout_s, on_progress)

    async def ready(upstream: Upstream) -> Ready:
        facts = await wait_until_ready(upstream, api, config, on_progress)
        while True:
            try:
                shown = await with_answers(upstream, api, facts, max(tokenizer.known_ids))
                await check_tokenizes(upstream, api, facts.served_name, tokenizer)
            except NotReady as error:
                if not await patience.again(upstream.url, str(error)):
                    raise
            else:
                return Ready(upstream, shown)

    tasks = [asyncio.create_task(ready(upstream)) for upstream in upstreams]
    left = set(tasks)
    try:
        while left and not any(map(_has_succeeded, tasks)):
            _, left = await asyncio.wait(left, return_when=asyncio.FIRST_COMPLETED)
            _raise_refusals(tasks)
        if left:
            await asyncio.wait(left, timeout=_GRACE_S)
            _raise_refusals(tasks)
        return [task.result() for task in tasks if _has_succeeded(task)] or [tasks[0].result()]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Admission:
    """The check of a server that comes, or comes back, while the engine runs over others."""

    def __init__(
        self,
        api: TokenApi,
        config: RemoteConfig,
        served_name: str,
        max_total_tokens: int,
        tokenizer: Tokenizer,
        media: FileKeeper | None,
        own: ApiFacts,
    ) -> None:
        """Keep what a server must have.

        served_name, max_total_tokens, media: the engine's own, which the server must have too.
        own: the facts that all other servers have in common.
        """
        self._api = api
        self._config = config
        self._served_name = served_name
        self._max_total_tokens = max_total_tokens
        self._tokenizer = tokenizer
        self._media = media
        self._own = own

    async def check(self, server: Server) -> None:
        """Raise ModelNotSupported unless the server can compute what the others do.

        A server that did so before is asked what it serves now, and no more: it may have much to compute.
        """
        upstream, api, name = server.upstream, self._api, self._served_name
        facts = await server_facts(upstream, api, self._config)
        if facts.served_name != name:
            raise ModelNotSupported(
                f"{upstream.url} serves {facts.served_name}, and the other servers {name}"
            )
        context = facts.max_total_tokens
        if context is not None and context < self._max_total_tokens:
            raise ModelNotSupported(
                f"{upstream.url} has a context of {context} tokens, and the engine {self._max_total_tokens}"
            )
        if not self._has_order(facts.own):
            raise ModelNotSupported(
                f"{upstream.url} has no priorities of that order, which the other servers have"
            )
        await check_tokenizes(upstream, api, name, self._tokenizer)
        if server.is_admitted:
            return
        facts = await with_answers(upstream, api, facts, max(self._tokenizer.known_ids))
        if self._own.lists_named_logprobs and not facts.own.lists_named_logprobs:
            raise ModelNotSupported(
                f"{upstream.url} has no log-probabilities of named tokens, which the other servers have"
            )
        for warning in facts.own.warnings:
            if warning not in self._own.warnings:
                _log.warning("%s: %s", upstream.url, warning)
        for kind in self._media.kinds if self._media is not None else ():
            assert self._media is not None
            try:
                await check_reads(upstream, api, name, self._tokenizer, self._media, kind)
            except (EngineBusy, NoAnswer) as error:
                raise NotReady(f"{upstream.url} has no room to try {kind.plural}: {error}") from error
            except EngineError as error:
                raise ModelNotSupported(
                    f"{upstream.url} does not read {kind.plural} as the others do: {error}"
                ) from error

    def _has_order(self, facts: ApiFacts) -> bool:
        """Return whether the server heeds priorities as requests are sent with them, if they are at all."""
        promised = self._own.priorities
        return promised is None or self._config.priorities or facts.priorities is promised


def _has_succeeded(task: asyncio.Task[Ready]) -> bool:
    return task.done() and task.exception() is None


def _raise_refusals(tasks: Sequence[asyncio.Task[Ready]]) -> None:
    """Raise the error of a server that has answered, and that does not serve the model as it must."""
    for task in tasks:
        if task.done() and (error := task.exception()) and not isinstance(error, NotReady):
            raise error
