"""Runs the server: takes the port, loads the model, says what is served, and answers until told to stop."""

import asyncio
import logging
import socket
import sys
from contextlib import ExitStack
from importlib.metadata import version

import uvicorn
from typing_extensions import override

from engine.async_engine import AsyncEngine
from engine.model_info import ModelInfo
from handlers.app import CONTRACTS, TABLES, build_app, engine_config
from handlers.placement import check_root, placements
from handlers.settings import Settings

if sys.platform == "win32":
    from asyncio import new_event_loop
else:
    from uvloop import new_event_loop


class CannotListen(OSError):
    """The address or port cannot be used."""


def serve(settings: Settings) -> None:
    """Returns after a graceful shutdown.

    Raises UnknownContract, CannotListen or ModelNotSupported; nothing has been served then.
    """
    check_root(settings.root, list(CONTRACTS))
    _log(settings.log_level)
    with (
        _bind(settings.host, settings.port) as listener,
        asyncio.Runner(loop_factory=new_event_loop) as runner,
    ):
        runner.run(_serve(settings, listener))


def _log(level: str) -> None:
    """Uvicorn's account of its own start would say again what is printed here."""
    logging.basicConfig(level=level.upper(), format="%(levelname)s %(name)s: %(message)s")
    if level == "info":
        logging.getLogger("uvicorn").setLevel(logging.WARNING)


def _bind(host: str, port: int) -> socket.socket:
    """Takes the port before the model loads, and does not listen yet: a probe is refused until then."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with ExitStack() as on_failure:
            listener = on_failure.enter_context(socket.socket(family, kind, protocol))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            on_failure.pop_all()
    except OSError as error:
        raise CannotListen(f"cannot listen on {host} port {port}: {error.strerror}") from error
    return listener


async def _serve(settings: Settings, listener: socket.socket) -> None:
    print(f"verbatim {version('verbatim')}: loading {settings.model_name}", flush=True)
    engine = await AsyncEngine.start(engine_config(settings), on_progress=_print_progress)
    print(describe(settings, engine.model_info), flush=True)
    config = uvicorn.Config(
        build_app(settings, engine),
        http="httptools",
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=settings.graceful_termination_timeout,
    )
    await _Server(config, _url(settings, listener)).serve(sockets=[listener])


def _print_progress(line: str) -> None:
    print(f"  {line}", flush=True)


class _Server(uvicorn.Server):
    """Says where it is when it accepts connections."""

    def __init__(self, config: uvicorn.Config, url: str) -> None:
        super().__init__(config)
        self._url = url

    @override
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        print(f"  ready at {self._url}", flush=True)


def _url(settings: Settings, listener: socket.socket) -> str:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{listener.getsockname()[1]}"


def describe(settings: Settings, info: ModelInfo) -> str:
    """What a person who starts the server wants to know of it."""
    num_cached = info.num_blocks * info.block_size
    millions = info.num_parameters / 1e6
    return "\n".join(
        (
            f"  model     {settings.model_name} ({info.architecture}, {millions:,.1f}M parameters)",
            f"  device    {info.device}, {info.dtype}",
            f"  cache     {num_cached:,} tokens ({info.kv_cache_bytes / 2**20:,.0f} MiB), "
            f"at most {info.max_total_tokens:,} for one request",
            *describe_contracts(settings),
        )
    )


def describe_contracts(settings: Settings) -> list[str]:
    """A line for each contract: its prefix, and what it has at the root."""
    at_root, _ = placements(TABLES, settings.root)
    lines = []
    for name in TABLES:
        paths = dict.fromkeys(placement.path for placement in at_root if placement.contract == name)
        lines.append(f"  contract  {name} under /{name}" + (f", and at {' '.join(paths)}" if paths else ""))
    return lines
