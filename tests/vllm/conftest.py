"""A real vLLM server with the embedded model, Verbatim's own engine, and its engine over that server.

`make test-vllm` installs vLLM and runs these tests. With VLLM_URL they ask a server that runs already, which
must have been started as `serve` starts it.
"""

import os
import socket
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import pytest_asyncio

from engine.async_engine import AsyncEngine
from engine.config import EngineConfig
from engine.demo_model import DEMO_MODEL
from engine.remote.config import RemoteConfig
from engine.remote.remote_engine import RemoteEngine
from handlers.active_requests.engine import Engine


def serve(log: Path, model: Path = DEMO_MODEL) -> tuple[str, "subprocess.Popen[bytes]"]:
    """Start vLLM on a free port, and return its URL."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    structured = '{"backend": "xgrammar", "disable_any_whitespace": true}'
    options = (
        *("--enable-scale-out", "--max-model-len", "2048", "--dtype", "float32", "--max-logprobs", "21"),
        *("--structured-outputs-config", structured),
    )
    command = (os.environ["VLLM"], "serve", str(model), "--served-model-name", "m", "--port", str(port))
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, *options],
            env={**os.environ, "VLLM_CPU_KVCACHE_SPACE": "1"},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    return f"http://127.0.0.1:{port}", process


@pytest.fixture(scope="session")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if given := os.environ.get("VLLM_URL"):
        yield given
        return
    found, process = serve(tmp_path_factory.mktemp("vllm") / "log")
    try:
        yield found
    finally:
        process.terminate()
        process.wait(timeout=60)


class Engines(NamedTuple):
    """Verbatim's own engine, and the one over vLLM."""

    own: Engine
    vllm: Engine


@pytest_asyncio.fixture(scope="session")
async def engines(url: str) -> AsyncIterator[Engines]:
    remote = await RemoteEngine.start(RemoteConfig(model=str(DEMO_MODEL), urls=(url,), start_timeout_s=800))
    # Without prefix caching, since no cached tokens are reported over a server.
    own = await AsyncEngine.start(
        EngineConfig(model=str(DEMO_MODEL), dtype="float32", num_kv_blocks=512, prefix_caching=False)
    )
    yield Engines(own, remote)
    await own.stop()
    await remote.stop()
