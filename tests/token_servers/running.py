"""A real token server of another project as a process, and our engine over it beside our own."""

import os
import socket
import subprocess
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import NamedTuple

from engine.async_engine import AsyncEngine
from engine.config import EngineConfig
from engine.demo_model import DEMO_MODEL
from engine.remote.config import RemoteConfig
from engine.remote.remote_engine import RemoteEngine
from handlers.active_requests.engine import Engine


class Engines(NamedTuple):
    """Verbatim's own engine, and the one over the server."""

    own: Engine
    over_server: Engine


def start(command: Sequence[str], env: Mapping[str, str], log: Path) -> tuple[str, "subprocess.Popen[bytes]"]:
    """Start the command with the option `--port` and a free port, and return its URL and its process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--port", str(port)],
            env={**os.environ, **env},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    return f"http://127.0.0.1:{port}", process


@contextmanager
def running(command: Sequence[str], env: Mapping[str, str], log: Path) -> Iterator[str]:
    """Run the command as `start` does, and yield its URL."""
    url, process = start(command, env, log)
    try:
        yield url
    finally:
        process.terminate()
        process.wait(timeout=60)


@asynccontextmanager
async def engines_over(api: str, url: str) -> AsyncIterator[Engines]:
    """Yield both engines of the embedded model in float32."""
    remote = await RemoteEngine.start(
        RemoteConfig(model=str(DEMO_MODEL), api=api, urls=(url,), start_timeout_s=800)
    )
    # Without prefix caching, since no cached tokens are reported over a server.
    own = await AsyncEngine.start(
        EngineConfig(model=str(DEMO_MODEL), dtype="float32", num_kv_blocks=512, prefix_caching=False)
    )
    yield Engines(own, remote)
    await own.stop()
    await remote.stop()
