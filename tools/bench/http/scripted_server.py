"""A server with a scripted engine core, which needs no model."""

import argparse
import asyncio
import socket

import uvicorn
import uvloop
from starlette.types import ASGIApp

from engine.demo_model import DEMO_MODEL
from handlers.access.connections.settings import http_limits
from handlers.composition import build_app
from handlers.process.gc_tuning import freeze_start_up
from handlers.settings.settings import Settings
from tools.bench.http.bare_app import bare_app
from verbatim_kit.http.connections import Connections
from verbatim_kit.http.protocol import bounded_protocol


def scripted_app() -> ASGIApp:
    """Return the application. Requires a running event loop.

    The engine is imported here, since the bare application does not need it.
    """
    from engine.assembly.built_engine import BuiltEngine
    from engine.async_engine import AsyncEngine
    from engine.port.text.tokenizer import Tokenizer
    from tools.bench.http.scripted_core import MODEL_INFO, ScriptedCore

    tokenizer = Tokenizer.from_directory(DEMO_MODEL, vocab_size=MODEL_INFO.vocab_size, end_token_ids=())
    core = ScriptedCore(asyncio.get_running_loop())
    settings = Settings(max_concurrent_requests=1024)
    return build_app(settings, AsyncEngine(BuiltEngine(core, tokenizer, MODEL_INFO)))


async def _serve(listener: socket.socket, *, is_bare: bool) -> None:
    app = bare_app if is_bare else scripted_app()
    protocol = bounded_protocol(Connections(http_limits(Settings())))
    config = uvicorn.Config(app, http=protocol, log_config=None, access_log=False)
    freeze_start_up()
    print(listener.getsockname()[1], flush=True)
    await uvicorn.Server(config).serve(sockets=[listener])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bare", action="store_true", help="serve a minimal application instead")
    arguments = parser.parse_args()
    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(listener, is_bare=arguments.bare))


if __name__ == "__main__":
    main()
