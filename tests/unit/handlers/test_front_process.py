"""`verbatim serve` over a token server: the process answers, and loads no torch."""

import asyncio
import re
import sys
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from tokenizers import Tokenizer

from engine.demo_model import DEMO_MODEL
from tests.conftest import running_server
from tests.scripted_upstream import answers, running_upstream, sends, tokens

TEXT = "Hello, Anna!"
MAX_RSS_MB = 250


@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
async def test_a_front_streams_a_chat_and_loads_no_torch() -> None:
    backend = Tokenizer.from_file(str(DEMO_MODEL / "tokenizer.json"))
    token_ids = backend.encode(TEXT, add_special_tokens=False).ids
    probe = answers({"choices": [{"token_ids": [5], "finish_reason": "length"}]})
    async with running_upstream(probe, sends(tokens(*token_ids, 2))) as upstream:
        with ExitStack() as stack:
            options = ("--engine", "vllm", "--engine-url", upstream.url)
            # In a thread, since the upstream answers in this loop.
            server = await asyncio.to_thread(stack.enter_context, running_server(*options))
            body = {
                "model": "verbatim-demo",
                "messages": [{"role": "user", "content": "Hi"}],
                "stream": True,
            }
            async with httpx.AsyncClient(timeout=60) as client:
                answer = await client.post(f"{server.url}/v1/chat/completions", json=body)
                health = await client.get(f"{server.url}/health")
                metrics = await client.get(f"{server.url}/metrics")
                info = await client.get(f"{server.url}/info")
            process = Path("/proc", str(server.process.pid))
            maps, status = (process / "maps").read_text(), (process / "status").read_text()
            await asyncio.to_thread(stack.close)
    assert "".join(re.findall(r'"content":"([^"]*)"', answer.text)) == TEXT
    assert answer.text.endswith("data: [DONE]\n\n")
    assert {health.status_code, metrics.status_code, info.status_code} == {200}
    assert "libtorch" not in maps
    (rss,) = re.findall(r"VmRSS:\s+(\d+) kB", status)
    assert int(rss) / 1024 <= MAX_RSS_MB
