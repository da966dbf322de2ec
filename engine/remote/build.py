"""The parts of an engine over servers: connections that are tried, a tokenizer, a description; no torch."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from engine.port.errors import ModelNotSupported
from engine.port.info.model_info import ModelInfo
from engine.port.media_item import FileKeeper
from engine.port.text.tokenizer import Tokenizer
from engine.remote.client.upstream import Upstream
from engine.remote.config import RemoteConfig
from engine.remote.fleet.admission import Admission, wait_for_servers
from engine.remote.local.listeners import listening_processes
from engine.remote.local.local_port import wait_until_left
from engine.remote.local.local_server import PORT, TERM_S, LocalServer, with_port
from engine.remote.local.thread_placement import Placement, keep_off_bound_cores
from engine.remote.media import media_that_servers_read
from engine.remote.model_files import ModelFiles, read_model_files
from engine.remote.servers.patience import Patience
from engine.remote.servers.served_adapters import read_adapters
from engine.remote.servers.server_facts import ServerFacts
from engine.remote.wire.apis import APIS
from engine.remote.wire.token_api import PriorityOrder, TokenApi

# The shares of a KV cache whose size the server does not report.
_BLOCK_SIZE: Final = 16
_MORE_S: Final = 5.0


class BuiltRemote(NamedTuple):
    """The arguments of RemoteEngine."""

    api: TokenApi
    upstreams: list[Upstream]
    served_name: str
    tokenizer: Tokenizer
    model_info: ModelInfo
    server: LocalServer | None = None
    media: FileKeeper | None = None
    admission: Admission | None = None
    absent: Sequence[Upstream] = ()


async def build(config: RemoteConfig, on_progress: Callable[[str], None]) -> BuiltRemote:
    """Read the model's files, start the server if there is a command for it, and wait until one is ready.

    on_progress: a function that is called in this loop with one line at a time. Raises ModelNotSupported if
    the model's files cannot be read, if they do not belong to what the servers serve, or if the command ends.
    """
    if not config.command:
        built = await _connected(config, on_progress)
        if config.socket is None:
            placement = await asyncio.to_thread(_keep_off_servers, [one.url for one in built.upstreams])
            if placement is not None:
                on_progress(
                    f"a server on this machine computes on cores {_cores(placement.bound)}; this process"
                    f" keeps to cores {_cores(placement.free)}"
                )
        return built
    command, urls = config.command, config.urls
    if any(PORT in part for part in command):
        command, url = with_port(command)
        urls = (url,)
    else:  # the server of a process that has just ended has as long to end
        for url in urls:
            await wait_until_left(url, TERM_S + _MORE_S, on_progress)
    server = LocalServer(config.api, command)
    try:
        connecting = _connected(msgspec.structs.replace(config, urls=urls), on_progress)
        built = await _unless_it_ends(server, connecting)
        if placement := keep_off_bound_cores([server.pid], moves_server=True):
            on_progress(
                f"the server computes on cores {_cores(placement.bound)}; its other threads and this process"
                f" keep to cores {_cores(placement.free)}"
            )
    except BaseException:
        await server.stop()
        raise
    return built._replace(server=server)


def _keep_off_servers(urls: Iterable[str]) -> Placement | None:
    """Keep this process off the cores on which servers that others have started on this machine compute."""
    processes = [process for url in urls for process in listening_processes(url)]
    return keep_off_bound_cores(processes, moves_server=False)


def _cores(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))


async def _unless_it_ends(server: LocalServer, connecting: Coroutine[Any, Any, BuiltRemote]) -> BuiltRemote:
    """Await a coroutine while the server runs. Raises ModelNotSupported once it has ended."""
    building, end = asyncio.ensure_future(connecting), asyncio.ensure_future(server.exited())
    try:
        await asyncio.wait((building, end), return_when=asyncio.FIRST_COMPLETED)
        if not building.done():
            raise ModelNotSupported(
                f"the engine's command ended with status {end.result()} before its server was ready"
            )
        return building.result()
    finally:
        building.cancel()
        end.cancel()
        await asyncio.gather(building, end, return_exceptions=True)


async def _connected(config: RemoteConfig, on_progress: Callable[[str], None]) -> BuiltRemote:
    loop = asyncio.get_running_loop()
    api = APIS[config.api]
    upstreams: list[Upstream] = []
    try:
        for url in config.urls:
            upstreams.append(_upstream(url, config))
        files = await asyncio.to_thread(
            read_model_files, config, lambda line: loop.call_soon_threadsafe(on_progress, line)
        )
        if config.model_info is not None:
            return await _as_described(config, config.model_info, upstreams, files)
        ready = await wait_for_servers(upstreams, api, config, files.tokenizer, on_progress)
        absent = [upstream for upstream in upstreams if upstream not in ready]
        for upstream in absent:
            on_progress(f"warning: starting without the server at {upstream.url}, which is not ready")
        facts = _agreed(list(ready.values()), config)
        api = api.fitted(facts.own)
        patience = Patience(config.start_timeout_s, on_progress)
        for warning in facts.own.warnings:
            on_progress(f"warning: {warning}")
        media = files.media
        if media is not None:
            media = await media_that_servers_read(
                list(ready), api, facts.served_name, files.tokenizer, media, on_progress, patience
            )
        info = _model_info(config, files, facts)
        info = msgspec.structs.replace(info, media=frozenset() if media is None else media.kinds)
        common = msgspec.structs.replace(facts, max_total_tokens=info.max_total_tokens)
        admission = Admission(api, config, files.tokenizer, media, common)
    except BaseException:
        for upstream in upstreams:
            await upstream.close()
        raise
    return BuiltRemote(
        api,
        upstreams,
        facts.served_name,
        files.tokenizer,
        info,
        media=media,
        admission=admission,
        absent=absent,
    )


def _upstream(url: str, config: RemoteConfig) -> Upstream:
    """Return the client of a server. Raises ModelNotSupported for a URL or a key that is none."""
    try:
        return Upstream(url, api_key=config.api_key, timeout_s=config.timeout_s, socket=config.socket)
    except ValueError as error:
        raise ModelNotSupported(str(error)) from error


async def _as_described(
    config: RemoteConfig, info: ModelInfo, upstreams: list[Upstream], files: ModelFiles
) -> BuiltRemote:
    """Return the parts over a server that describes its model, and need not be tried: it may be full."""
    for upstream in upstreams:
        await read_adapters(upstream)
    media = None if files.media is None else files.media.only(files.media.kinds & info.media)
    kinds = frozenset() if media is None else media.kinds
    served_name = config.served_name or config.model
    info = msgspec.structs.replace(info, media=kinds)
    return BuiltRemote(APIS[config.api], upstreams, served_name, files.tokenizer, info, media=media)


def _model_info(config: RemoteConfig, files: ModelFiles, facts: ServerFacts) -> ModelInfo:
    max_total_tokens = _max_total_tokens(config, facts, files.context)
    return ModelInfo(
        model_id=config.model,
        revision=files.revision,
        architecture=files.architecture,
        dtype=files.dtype,
        device=config.api,
        num_parameters=0,
        max_total_tokens=max_total_tokens,
        vocab_size=files.vocab_size,
        hidden_size=files.hidden_size,
        num_blocks=facts.own.num_blocks or -(-max_total_tokens // _BLOCK_SIZE),
        block_size=facts.own.block_size or _BLOCK_SIZE,
        kv_cache_bytes=0,
        max_batch_tokens=max_total_tokens,
        max_num_sequences=config.max_num_sequences,
    )


def _agreed(every: list[ServerFacts], config: RemoteConfig) -> ServerFacts:
    """Return what all servers have in common. Raises ModelNotSupported if they serve different models."""
    if len(names := {facts.served_name for facts in every}) > 1:
        raise ModelNotSupported(f"the servers serve different models: {', '.join(sorted(names))}")
    known = [facts.max_total_tokens for facts in every if facts.max_total_tokens is not None]
    orders = {PriorityOrder.LOWEST_FIRST if config.priorities else facts.own.priorities for facts in every}
    own = msgspec.structs.replace(
        every[0].own,
        warnings=tuple(dict.fromkeys(warning for facts in every for warning in facts.own.warnings)),
        priorities=orders.pop() if len(orders) == 1 else None,
        lists_named_logprobs=all(facts.own.lists_named_logprobs for facts in every),
        counts_cached_tokens=any(facts.own.counts_cached_tokens for facts in every),
    )
    return ServerFacts(every[0].served_name, min(known, default=None), own)


def _max_total_tokens(config: RemoteConfig, facts: ServerFacts, context: int | None) -> int:
    limit = context if facts.max_total_tokens is None else facts.max_total_tokens
    wanted = config.max_total_tokens or limit
    if wanted is None:
        raise ModelNotSupported(
            "neither the server nor config.json names a context length: max_total_tokens must be given"
        )
    if limit is not None and wanted > limit:
        raise ModelNotSupported(f"max_total_tokens {wanted} exceeds the server's {limit}")
    return wanted
