"""The run of a server: bind the port, load the model, print what is served, and answer until stopped."""

import asyncio
import logging
import signal
import socket
import ssl
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from types import FrameType
from typing import Final, NoReturn

import uvicorn
from starlette.types import ASGIApp
from typing_extensions import override
from uvicorn.config import STARTUP_FAILURE

from engine.capabilities import Capabilities
from engine.kernels import Kernel, by_obstacle, in_use, not_in_use
from engine.model_info import ModelInfo
from handlers.access.access import check_access
from handlers.access.hosts import is_loopback
from handlers.active_requests.engine import Engine
from handlers.app import CONTRACTS, MARKING_HEADERS, TABLES, StartEngine, build_app, engine_starter
from handlers.http.connections import Connections
from handlers.http.limits import http_limits
from handlers.http.protocol import bounded_protocol
from handlers.http.tls import server_context
from handlers.playground.page import PATH
from handlers.process.exit_status import ExitStatus
from handlers.process.gc_tuning import freeze_imports, freeze_start_up
from handlers.process.json_log import format_all_as_json
from handlers.process.new_threads import end_now
from handlers.process.standard_output import CannotWrite, say
from handlers.process.watchdog import FORCE_S, Watchdog
from handlers.runtime.root_routes import Placement, check_root, marked_placements, placements
from handlers.settings.settings import Settings

if sys.platform == "win32":
    from asyncio import new_event_loop
else:
    from uvloop import new_event_loop

# Between the end of the grace period, when the engine ends what runs, and the loss of connections whose
# clients have not read their last event by then.
_FLUSH_S: Final = 1.5
_BACKLOG: Final = 2048  # connections that wait to be accepted

_ALL: Final = Capabilities()
_OF_OWN_ENGINE: Final = (
    "dtype",
    "device",
    "quantize",
    "isa",
    "require_native",
    "kernel_cache",
    "num_threads",
    "pooling",
    "max_batch_prefill_tokens",
    "max_batch_total_tokens",
    "max_batch_size",
    "prefix_caching",
    "speculate",
)

_log = logging.getLogger(__name__)


class CannotListen(OSError):
    """The address or port cannot be used."""


def serve(settings: Settings, watchdog: Watchdog) -> int:
    """Return the exit status once the server has stopped, or its engine has died.

    Raises UnknownContract, InvalidKeyFile, CannotWriteAuditLog, BadCertificate, CannotListen, CannotWrite,
    TemplateError or ModelNotSupported; nothing has been served then.
    """
    check_root(settings.root, list(CONTRACTS))
    check_access(settings, CONTRACTS)
    _set_up_log(settings.log_level, settings.json_output)
    tls = server_context(settings)
    with (
        take_port(settings.host, settings.port) as listener,
        _ended_by_sigterm(),
    ):
        # It may import torch and transformers, which takes seconds: after all that can be refused without
        # them, and outside the event loop, which would keep a signal waiting.
        start_engine = engine_starter(settings)
        if settings.json_output:
            format_all_as_json()
        freeze_imports()
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            return runner.run(_serve(settings, start_engine, listener, tls, watchdog))


@contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """End the process on SIGTERM before and after the server handles it. By default the signal would not end
    the first process of a container.
    """
    if threading.current_thread() is not threading.main_thread():  # signals belong to that one
        yield
        return
    previous = signal.signal(signal.SIGTERM, _end_by_signal)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


def _end_by_signal(sent: int, frame: FrameType | None) -> NoReturn:
    end_now(128 + sent)  # as shells report it


def _set_up_log(level: str, json_output: bool) -> None:
    """Set up the log, without uvicorn's account of its start, which would repeat what is printed here."""
    logging.basicConfig(level=level.upper(), format="%(levelname)s %(name)s: %(message)s")
    if json_output:
        logging.captureWarnings(True)
        format_all_as_json()
    if level == "info":
        logging.getLogger("uvicorn").setLevel(logging.WARNING)


def take_port(host: str, port: int) -> socket.socket:
    """Bind the port before the model loads, without listening yet, so that probes are refused until then."""
    with _cannot_listen(host, port), ExitStack() as on_failure:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = on_failure.enter_context(socket.socket(family, kind, protocol))
        try:
            listener.bind(address)  # without SO_REUSEADDR, which two servers that both load could share it by
        except OSError:
            # Connections of a server that has just ended keep the port from all who do not say so.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
        on_failure.pop_all()
    return listener


def start_listening(settings: Settings, listener: socket.socket) -> None:
    """Listen here, since uvloop would not report that another process listens on the same port already."""
    with _cannot_listen(settings.host, settings.port):
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # its connections inherit it
        listener.listen(_BACKLOG)


@contextmanager
def _cannot_listen(host: str, port: int) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CannotListen(f"cannot listen on {host} port {port}: {error.strerror}") from error


async def _serve(
    settings: Settings,
    start_engine: StartEngine,
    listener: socket.socket,
    tls: ssl.SSLContext | None,
    watchdog: Watchdog,
) -> int:
    engine = await start_engine(_say_progress)
    try:
        app = build_app(settings, engine)
        say(describe(settings, engine.model_info, engine.capabilities))
        start_listening(settings, listener)
        return await _run(settings, app, engine, listener, tls, watchdog)
    finally:
        await engine.stop()


async def _run(
    settings: Settings,
    app: ASGIApp,
    engine: Engine,
    listener: socket.socket,
    tls: ssl.SSLContext | None,
    watchdog: Watchdog,
) -> int:
    grace_s = settings.graceful_termination_timeout
    config = uvicorn.Config(
        app,
        http=bounded_protocol(Connections(http_limits(settings))),
        ws="none",
        log_config=None,
        access_log=False,
        backlog=_BACKLOG,
        timeout_graceful_shutdown=grace_s + _FLUSH_S,  # type: ignore[arg-type]  # any number will do
    )
    freeze_start_up()
    server = _Server(
        config, _url(settings, listener), engine, grace_s, tls, settings.header_timeout, watchdog
    )
    await server.serve(sockets=[listener])
    return server.status


def _say_progress(line: str) -> None:
    with suppress(CannotWrite):
        say(f"  {line}")


class _Server(uvicorn.Server):
    """Uvicorn's server, which prints its address when it accepts connections, and drains the engine before it
    cuts connections.

    It also stops when the engine dies, as soon as open requests have been answered with an error.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        url: str,
        engine: Engine,
        grace_s: float,
        tls: ssl.SSLContext | None,
        handshake_timeout_s: float,
        watchdog: Watchdog,
    ) -> None:
        super().__init__(config)
        self.status = ExitStatus.STOPPED
        self._tls = tls
        self._handshake_timeout_s = handshake_timeout_s
        self._url = url
        self._engine = engine
        self._grace_s = grace_s
        self._watchdog = watchdog

    @override
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        if self._tls is None:
            await super().startup(sockets)
        else:
            await self._start_tls(self._tls, sockets or [])
        self._death = asyncio.create_task(self._stop_at_death())
        say(f"  ready at {self._url}")

    async def _stop_at_death(self) -> None:
        await self._engine.death()
        _log.critical("the server stops because its engine died")
        self.status = ExitStatus.ENGINE_DIED
        self._grace_s = 0.0
        self.config.timeout_graceful_shutdown = _FLUSH_S  # type: ignore[assignment]  # any number will do
        self._watchdog.arm(FORCE_S)
        self.should_exit = True

    async def _start_tls(self, tls: ssl.SSLContext, sockets: list[socket.socket]) -> None:
        """Start as uvicorn does, with a time limit for handshakes: silent clients would have a minute."""
        await self.lifespan.startup()
        if self.lifespan.should_exit:
            sys.exit(STARTUP_FAILURE)
        self.servers = [
            await asyncio.get_running_loop().create_server(
                self._make_protocol,
                sock=listener,
                ssl=tls,
                backlog=_BACKLOG,
                ssl_handshake_timeout=self._handshake_timeout_s,
                ssl_shutdown_timeout=_FLUSH_S,
            )
            for listener in sockets
        ]
        self.started = True

    def _make_protocol(self) -> asyncio.Protocol:
        make = self.config.http_protocol_class
        return make(  # type: ignore[call-arg] # as uvicorn itself calls it
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )

    @override
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        draining = asyncio.create_task(self._engine.drain(self._grace_s))
        await super().shutdown(sockets)
        draining.cancel()  # over, unless a second SIGINT cut it short
        self._death.cancel()

    @override
    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Handle a signal to stop; unlike uvicorn, do not raise the first one again after a regular stop."""
        if self.should_exit and sig == signal.SIGINT:
            super().handle_exit(sig, frame)
            self.status = self.status or ExitStatus.INTERRUPTED
        self._watchdog.arm(self._grace_s + FORCE_S)
        self.should_exit = True


def _url(settings: Settings, listener: socket.socket) -> str:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    scheme = "http" if settings.ssl_certfile is None else "https"
    return f"{scheme}://{host}:{listener.getsockname()[1]}"


def describe(settings: Settings, info: ModelInfo, capabilities: Capabilities = _ALL) -> str:
    """Return the lines about the server for the person who starts it."""
    return "\n".join(
        (
            *(
                describe_own_engine(settings, info)
                if settings.engine == "verbatim"
                else describe_remote_engine(settings, info, capabilities)
            ),
            *describe_contracts(settings),
            "  pages     /docs" + (f", {PATH}" if settings.playground else ""),
            *_warnings(settings),
        )
    )


def describe_own_engine(settings: Settings, info: ModelInfo) -> list[str]:
    """Return the lines about a model that this process computes."""
    num_cached = info.num_blocks * info.block_size
    millions = info.num_parameters / 1e6
    return [
        f"  model     {settings.model_name} ({info.architecture}, {millions:,.1f}M parameters)",
        f"  device    {', '.join(filter(None, (info.device, info.instructions, info.dtype)))}",
        f"  cache     {num_cached:,} tokens ({info.kv_cache_bytes / 2**20:,.0f} MiB), "
        f"at most {info.max_total_tokens:,} for one request",
        *describe_speculation(info.max_draft_tokens),
        *describe_kernels(info.kernels),
    ]


def describe_remote_engine(settings: Settings, info: ModelInfo, capabilities: Capabilities) -> list[str]:
    """Return the lines about a model that other servers compute."""
    lines = [
        f"  model     {settings.model_name} ({info.architecture})",
        f"  engine    {settings.engine} at {', '.join(settings.engine_url) or 'a free port'}"
        + (", started by engine_command" if settings.engine_command else ""),
        f"  context   {info.max_total_tokens:,} tokens for one request",
    ]
    return lines + [f"  refused   {', '.join(capabilities.missing)}"] if capabilities.missing else lines


def describe_speculation(max_draft_tokens: int) -> list[str]:
    """Return a line if drafts are verified, else none."""
    if not max_draft_tokens:
        return []
    return [f"  drafts    up to {max_draft_tokens} tokens a step, from a sequence's own text (ngram)"]


def describe_kernels(kernels: tuple[Kernel, ...]) -> list[str]:
    """Return one line if all compiled code serves the model; else what does, and a line for each obstacle."""
    obstacles = by_obstacle(kernels)
    if not obstacles:
        return [f"  native    all of it: {in_use(kernels)}"] if kernels else []
    return [
        f"  native    {in_use(kernels) or 'none; torch computes everything'}",
        *(f"            without {not_in_use(group)}: {why.reason}" for why, group in obstacles.items()),
    ]


def _warnings(settings: Settings) -> list[str]:
    lines = []
    if unused := _unused(settings):
        lines.append(f"  warning   without effect on engine {settings.engine}: {', '.join(unused)}")
    if not settings.asks_for_key and not is_loopback(settings.host):
        lines.append(f"  warning   no key is asked for: whoever reaches {settings.host} may use the server")
    return lines


def _unused(settings: Settings) -> list[str]:
    """Return the names of given settings that only Verbatim's own engine reads, if another computes."""
    if settings.engine == "verbatim":
        return []
    return [name for name in _OF_OWN_ENGINE if name in settings.model_fields_set]


def describe_contracts(settings: Settings) -> list[str]:
    """Return a line for each contract: its prefix, and its operations at the root."""
    at_root, _ = placements(TABLES, settings.root)
    marked = marked_placements(TABLES, settings.root, MARKING_HEADERS)
    lines = []
    for name in TABLES:
        line = f"  contract  {name} under /{name}"
        if paths := _paths(at_root, name):
            line += f", and at {paths}"
        if paths := _paths(marked, name):
            line += f"; with {MARKING_HEADERS[name]} also at {paths}"
        lines.append(line)
    return lines


def _paths(placed: Sequence[Placement], contract: str) -> str:
    return " ".join(dict.fromkeys(placement.path for placement in placed if placement.contract == contract))
