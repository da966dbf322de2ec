"""The checks that a server must pass before it gets requests, at the start and when it returns; no torch."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import NamedTuple

from engine.port.errors import EngineBusy, EngineError, ModelNotSupported
from engine.port.media_item import FileKeeper
from engine.port.text.tokenizer import Tokenizer
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

# How long to wait for other servers after the first one is ready.
_GRACE_S = 5.0

_log = logging.getLogger(__name__)


class Ready(NamedTuple):
    """A server that has passed the checks."""

    upstream: Upstream
    facts: ServerFacts


async def wait_for_servers(
    upstreams: Sequence[Upstream],
    api: TokenApi,
    config: RemoteConfig,
    tokenizer: Tokenizer,
    on_progress: Callable[[str], None],
) -> list[Ready]:
    """Wait for all servers concurrently, and return those that are ready within seconds of the first one.

    A server that is too busy for the checks is tried again. Raises ModelNotSupported if no server is ready in
    time, or if one does not serve the model.
    """
    patience = Patience(config.start_timeout_s, on_progress)

    async def ready(upstream: Upstream) -> Ready:
        facts = await wait_until_ready(upstream, api, config, on_progress)
        while True:
            try:
                tested = await with_answers(upstream, api, facts, max(tokenizer.known_ids))
                await check_tokenizes(upstream, api, facts.served_name, tokenizer)
            except NotReady as error:
                if not await patience.again(upstream.url, str(error)):
                    raise
            else:
                return Ready(upstream, tested)

    tasks = [asyncio.create_task(ready(upstream)) for upstream in upstreams]
    pending = set(tasks)
    try:
        while pending and not any(map(_has_succeeded, tasks)):
            _, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            _raise_refusals(tasks)
        if pending:
            await asyncio.wait(pending, timeout=_GRACE_S)
            _raise_refusals(tasks)
        return [task.result() for task in tasks if _has_succeeded(task)] or [tasks[0].result()]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Admission:
    """The check of a server that appears, or returns, while the engine already uses others."""

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
        """Store the requirements.

        served_name, max_total_tokens, media: the engine's values, which the server must support.
        own: the features that all other servers have in common.
        """
        self._api = api
        self._config = config
        self._served_name = served_name
        self._max_total_tokens = max_total_tokens
        self._tokenizer = tokenizer
        self._media = media
        self._own = own

    async def check(self, server: Server) -> None:
        """Raise ModelNotSupported unless the server supports everything that the others do.

        A server that has passed before is only asked for the model that it serves now, since it may be busy.
        """
        upstream, api, name = server.upstream, self._api, self._served_name
        facts = await server_facts(upstream, api, self._config)
        if facts.served_name != name:
            raise ModelNotSupported(
                f"{upstream.url} serves {facts.served_name}, but the other servers serve {name}"
            )
        context = facts.max_total_tokens
        if context is not None and context < self._max_total_tokens:
            raise ModelNotSupported(
                f"{upstream.url} has a context of {context} tokens, but the engine has "
                f"{self._max_total_tokens}"
            )
        if not self._has_order(facts.own):
            if facts.own == ApiFacts():  # they could not be read
                raise NotReady(f"{upstream.url} does not report its order of priorities")
            raise ModelNotSupported(f"{upstream.url} does not order priorities as the other servers do")
        await check_tokenizes(upstream, api, name, self._tokenizer)
        if server.is_admitted:
            return
        facts = await with_answers(upstream, api, facts, max(self._tokenizer.known_ids))
        if self._own.lists_named_logprobs and not facts.own.lists_named_logprobs:
            raise ModelNotSupported(
                f"{upstream.url} does not support logprob_token_ids, as the other servers do"
            )
        for kind in self._media.kinds if self._media is not None else ():
            assert self._media is not None
            try:
                await check_reads(upstream, api, name, self._tokenizer, self._media, kind)
            except (EngineBusy, NoAnswer) as error:
                raise NotReady(f"{upstream.url} is too busy to test {kind.plural}: {error}") from error
            except EngineError as error:
                raise ModelNotSupported(
                    f"{upstream.url} does not read {kind.plural} like the other servers: {error}"
                ) from error
        for warning in facts.own.warnings:
            if warning not in self._own.warnings:
                _log.warning("%s: %s", upstream.url, warning)

    def _has_order(self, facts: ApiFacts) -> bool:
        """Return whether the server orders priorities as the engine sends them, or the engine sends none."""
        expected = self._own.priorities
        return expected is None or self._config.priorities or facts.priorities is expected


def _has_succeeded(task: asyncio.Task[Ready]) -> bool:
    return task.done() and task.exception() is None


def _raise_refusals(tasks: Sequence[asyncio.Task[Ready]]) -> None:
    """Raise the error of a server that has answered and does not meet the requirements."""
    for task in tasks:
        if task.done() and (error := task.exception()) and not isinstance(error, NotReady):
            raise error
