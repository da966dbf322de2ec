"""A real vLLM server with the embedded model, Verbatim's own engine, and its engine over that server.

`make test-vllm` installs vLLM and runs these tests. With VLLM_URL they ask a server that runs already, which
must have been started as `serve` starts it.
"""

import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from engine.demo_model import DEMO_MODEL
from tests.token_servers.running import Engines, engines_over, start

pytest.register_assert_rewrite("tests.token_servers.same_answers", "tests.vllm.media_engines")


def serve(log: Path, model: Path = DEMO_MODEL, *others: str) -> tuple[str, "subprocess.Popen[bytes]"]:
    """Start vLLM on a free port, and return its URL. others: options beside those of all servers here."""
    structured = '{"backend": "xgrammar", "disable_any_whitespace": true}'
    options = (
        *("--enable-scale-out", "--max-model-len", "2048", "--dtype", "float32", "--max-logprobs", "21"),
        *("--structured-outputs-config", structured),
        *others,
    )
    command = (os.environ["VLLM"], "serve", str(model), "--served-model-name", "m", *options)
    return start(command, {"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_ALLOW_RUNTIME_LORA_UPDATING": "1"}, log)


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


@pytest_asyncio.fixture(scope="session")
async def engines(url: str) -> AsyncIterator[Engines]:
    async with engines_over("vllm", url) as found:
        yield found
