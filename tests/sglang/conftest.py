"""A real SGLang server with the embedded model, Verbatim's own engine, and its engine over that server.

`make test-sglang` installs SGLang and runs these tests. With SGLANG_URL they ask a server that runs already,
which must have been started as `url` starts it.
"""

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

import pytest
import pytest_asyncio

from engine.demo_model import DEMO_MODEL
from tests.support.token_servers.real_server import Engines, engines_over, running

pytest.register_assert_rewrite("tests.support.token_servers.same_answers")

_OPTIONS: Final = (
    *("--device", "cpu", "--attention-backend", "torch_native", "--sampling-backend", "pytorch"),
    *("--dtype", "float32", "--context-length", "2048", "--max-total-tokens", "16384"),
    *("--disable-overlap-schedule", "--sleep-on-idle", "--enable-metrics"),
)

_ENV: Final = {
    "SGLANG_USE_CPU_ENGINE": "1",
    "SGLANG_RETURN_ORIGINAL_LOGPROB": "1",
    # Its first seed would else be drawn once a C++ compiler has run, a minute later.
    "TORCHDYNAMO_DISABLE": "1",
}


def serving(log: Path, *options: str) -> AbstractContextManager[str]:
    """Run SGLang with the embedded model, and yield its URL. options: beside those of all servers here."""
    command = (os.environ["SGLANG"], "serve", "--model-path", str(DEMO_MODEL), *_OPTIONS, *options)
    return running(command, _ENV, log)


@pytest.fixture(scope="session")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if given := os.environ.get("SGLANG_URL"):
        yield given
        return
    options = (
        *("--max-running-requests", "8", "--max-queued-requests", "8"),
        *("--incremental-streaming-output", "--enable-deterministic-inference"),
        *("--grammar-backend", "xgrammar", "--constrained-json-disable-any-whitespace"),
    )
    with serving(tmp_path_factory.mktemp("sglang") / "log", *options) as found:
        yield found


@pytest_asyncio.fixture(scope="session")
async def engines(url: str) -> AsyncIterator[Engines]:
    async with engines_over("sglang", url) as found:
        yield found
