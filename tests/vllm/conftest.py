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

from tests.support.tiny_models.long_demo import CONTEXT, long_demo_model
from tests.support.token_servers.real_server import Engines, engines_over, start

pytest.register_assert_rewrite("tests.support.token_servers.same_answers", "tests.vllm.media_engines")


def serve(
    log: Path, model: Path, max_model_len: int = 2048, *others: str
) -> tuple[str, "subprocess.Popen[bytes]"]:
    """Start vLLM on a free port, and return its URL. others: options beside those of all servers here."""
    structured = '{"backend": "xgrammar", "disable_any_whitespace": true}'
    options = (
        *("--enable-scale-out", "--max-model-len", str(max_model_len), "--dtype", "float32"),
        *("--max-logprobs", "21", "--structured-outputs-config", structured, *others),
    )
    command = (os.environ["VLLM"], "serve", str(model), "--served-model-name", "m", *options)
    return start(command, {"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_ALLOW_RUNTIME_LORA_UPDATING": "1"}, log)


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return long_demo_model(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="session")
def url(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if given := os.environ.get("VLLM_URL"):
        yield given
        return
    # On a CPU, a request that draws tokens ends vLLM 0.32 if its prompt is computed in several steps.
    whole_prompts = ("--no-enable-chunked-prefill", "--max-num-batched-tokens", str(CONTEXT))
    found, process = serve(tmp_path_factory.mktemp("vllm") / "log", model, CONTEXT, *whole_prompts)
    try:
        yield found
    finally:
        process.terminate()
        process.wait(timeout=60)


@pytest_asyncio.fixture(scope="session")
async def engines(url: str, model: Path) -> AsyncIterator[Engines]:
    async with engines_over("vllm", url, model) as found:
        yield found
