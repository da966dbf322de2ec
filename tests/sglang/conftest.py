"""A real SGLang server with the embedded model, Verbatim's own engine, and its engine over that server.

`make test-sglang` installs SGLang and runs these tests. With SGLANG_URL they ask a server that runs already,
which must have been started as `url` starts it.
"""

import os
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from engine.demo_model import DEMO_MODEL
from tests.support.token_servers.real_server import Engines, engines_over, running

pytest.register_assert_rewrite("tests.support.token_servers.same_answers")

OPTIONS = (
    *("--device", "cpu", "--attention-backend", "torch_native", "--sampling-backend", "pytorch"),
    *("--dtype", "float32", "--context-length", "2048", "--max-total-tokens", "16384"),
    *("--max-running-requests", "8", "--max-queued-requests", "8"),
    *("--disable-overlap-schedule", "--sleep-on-idle", "--enable-metrics"),
    *("--incremental-streaming-output", "--enable-deterministic-inference"),
    *("--grammar-backend", "xgrammar", "--constrained-json-disable-any-whitespace"),
)


ENV = {
    "SGLANG_USE_CPU_ENGINE": "1",
    "SGLANG_RETURN_ORIGINAL_LOGPROB": "1",
    # Its first seed would else be drawn once a C++ compiler has run, a minute later.
    "TORCHDYNAMO_DISABLE": "1",
}


@pytest.fixture(scope="session")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if given := os.environ.get("SGLANG_URL"):
        yield given
        return
    log = tmp_path_factory.mktemp("sglang") / "log"
    command = (os.environ["SGLANG"], "serve", "--model-path", str(DEMO_MODEL), *OPTIONS)
    with running(command, ENV, log) as found:
        yield found


@pytest_asyncio.fixture(scope="session")
async def engines(url: str) -> AsyncIterator[Engines]:
    async with engines_over("sglang", url) as found:
        yield found
