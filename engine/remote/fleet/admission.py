"""The checks that a server must pass before it gets requests, at the start and when it returns; no torch."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.port.errors import EngineError, ModelNotSupported
from engine.port.media_item import FileKeeper
from engine.port.text.tokenizer import Tokenizer
from engine.remote.client.failures import NoAnswer
from engine.remote.client.upstream import Upstream
from engine.remote.config import RemoteConfig
from engine.remote.fleet.server import Server
from engine.remote.media import check_reads, may_pass
from engine.remote.servers.model_list import NotReady
from engine.remote.servers.patience import Patience
from engine.remote.servers.server_facts import ServerFacts, server_facts, wait_until_ready, with_answers
from engine.remote.servers.tokenization import check_tokenizes
from engine.remote.wire.token_api import TokenApi

_GRACE_S = 5.0  # to wait for other servers after the first one is ready

_log = logging.getLogger(__name__)


async def wait_for_servers(
    upstreams: Sequence[Upstream],
    api: TokenApi,
    config: RemoteConfig,
    tokenizer: Tokenizer,
    on_progress: Callable[[str], None],
) -> dict[Upstream, ServerFacts]:
    """Wait for all servers concurrently, and return those that are ready within seconds of the first one.

    Raises ModelNotSupported if no server is ready in time, or if one does not serve the model.
    """
    patience = Patience(config.start_timeout_s, on_progress)
    tasks = [
        asyncio.create_task(wait_until_ready(each, api, config, tokenizer, patience)) for each in upstreams
    ]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION, timeout=_GRACE_S)
    finally:
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
    found = {
        each: facts for each, facts in zip(upstreams, results, strict=True) if isinstance(facts, ServerFacts)
    }
    for error in results:
        if isinstance(error, Exception) and not (found and isinstance(error, NotReady)):
            raise error
    return found


@dataclass(frozen=True)
class Admission:
    """The check of a server that appears, or returns, while the engine already uses others.

    facts: the facts that all servers have in common, with the engine's `max_total_tokens`.
    """

    api: TokenApi
    config: RemoteConfig
    tokenizer: Tokenizer
    media: FileKeeper | None
    facts: ServerFacts

    async def check(self, server: Server) -> None:
        """Raise ModelNotSupported unless the server supports everything that the others do.

        A server that has passed before computes nothing for this, since it may be busy.
        """
        upstream, api, ours = server.upstream, self.api, self.facts
        url, name = upstream.url, ours.served_name
        facts = await server_facts(upstream, api, self.config)
        if facts.served_name != name:
            raise ModelNotSupported(f"{url} serves {facts.served_name}, but the other servers serve {name}")
        limit = ours.max_total_tokens or 0
        if (context := facts.max_total_tokens or limit) < limit:
            raise ModelNotSupported(f"{url} has a context of {context} tokens, but the engine has {limit}")
        order, is_given = ours.own.priorities, self.config.priorities
        if order is not None and not is_given and facts.own.priorities is not order:
            raise ModelNotSupported(f"{url} does not order priorities as the other servers do")
        await check_tokenizes(upstream, api, name, self.tokenizer)
        if server.is_admitted:
            return
        own = (await with_answers(upstream, api, facts, max(self.tokenizer.known_ids))).own
        if ours.own.lists_named_logprobs and not own.lists_named_logprobs:
            raise ModelNotSupported(f"{url} does not support logprob_token_ids, as the other servers do")
        if (media := self.media) is not None:
            for kind in media.kinds:
                try:
                    await check_reads(upstream, api, name, self.tokenizer, media, kind)
                except (EngineError, NoAnswer) as error:
                    refusal = NotReady if may_pass(error) else ModelNotSupported
                    text = f"{url} does not read {kind.plural} like the other servers: {error}"
                    raise refusal(text) from error
        for warning in sorted({*own.warnings} - {*ours.own.warnings}):
            _log.warning("%s: %s", url, warning)
