"""`verbatim serve` over a token server: the process answers, and loads no torch."""

import asyncio
import math
import os
import re
import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

import httpx
import pytest
from tokenizers import Tokenizer

from engine.demo_model import DEMO_MODEL
from handlers.process.exit_status import ExitStatus
from tests.conftest import Server, running_server
from tests.support.clocks.until import wait_until
from tests.support.scripted.token_server import answers, running_upstream, sends, tokens
from tests.support.servers.processes import children, is_alive
from tests.unit.docs.metrics import documented_families, scraped_families

TEXT = "Hello, Anna!"
# Far above what a front takes (docs/vllm.md): a slow processor takes twice a fast one's time.
MAX_RSS_MB = 250
MAX_START_S = 4.0


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
    assert scraped_families(metrics.text) < {*documented_families()}
    (running,) = re.findall(r"^vllm:num_requests_running{.*} (\S+)$", metrics.text, re.MULTILINE)
    (answered,) = re.findall(r"^tgi_request_success (\S+)$", metrics.text, re.MULTILINE)
    assert (float(running), float(answered)) == (0, 1)
    assert "".join(re.findall(r'"content":"([^"]*)"', answer.text)) == TEXT
    assert answer.text.endswith("data: [DONE]\n\n")
    assert {health.status_code, metrics.status_code, info.status_code} == {200}
    assert server.process.returncode == ExitStatus.STOPPED
    assert "libtorch" not in maps
    (rss,) = re.findall(r"VmRSS:\s+(\d+) kB", status)
    assert int(rss) * 1024 / 1e6 <= MAX_RSS_MB


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="the start is measured by /proc")
def test_the_start_of_a_front_takes_little_and_is_told_in_the_table() -> None:
    """By processor time, the least of a few starts: other work on the machine adds a part."""
    seen: list[float] = []
    while len(seen) < 3 and min(seen, default=math.inf) > MAX_START_S:
        with front() as (server, _):
            (line,) = (line for line in server.said if line.startswith("  process   "))
        taken = re.search(r"after ([\d.]+) s \(([\d.]+) s of CPU time\), with (\d+) MB", line)
        assert taken is not None, line
        total_s, processor_s, resident_mb = map(float, taken.groups())
        assert total_s > 0.3 and processor_s > 0.3
        assert 30 < resident_mb <= MAX_RSS_MB
        seen.append(processor_s)
    assert min(seen) <= MAX_START_S


@contextmanager
def front(*options: str, log: IO[str] | None = None) -> Iterator[tuple[Server, int]]:
    """Yield a front that has started its own token server, and the process id of that server's guard."""
    command = shlex.join(
        (sys.executable, "-m", "tests.support.scripted.token_server_program", "{port}", *options)
    )
    with running_server("--engine", "vllm", "--engine-command", command, log=log) as server:
        (guard,) = children(server.process.pid)
        yield server, guard


BODY = {"model": "verbatim-demo", "prompt": "Hi", "max_tokens": 8}


@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
def test_a_front_starts_its_server_passes_its_log_on_and_ends_it(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w+") as log:
        with front(log=log) as (server, guard):
            (upstream,) = children(guard)
            answer = httpx.post(f"{server.url}/v1/completions", json=BODY)
        wait_until(lambda: not is_alive(guard) and not is_alive(upstream))
        log.seek(0)
        assert f"INFO vllm: process {upstream} serves" in log.read()
    assert answer.status_code == 200
    assert server.process.returncode == ExitStatus.STOPPED


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
def test_a_front_whose_server_is_killed_ends_as_with_a_dead_engine() -> None:
    with front() as (server, guard):
        (upstream,) = children(guard)
        body = {**BODY, "max_tokens": 101, "stream": True}
        with httpx.stream("POST", f"{server.url}/v1/completions", json=body, timeout=60) as answer:
            lines = answer.iter_lines()
            assert any(line.startswith("data: ") for line in lines)
            os.kill(upstream, signal.SIGKILL)
            rest = list(lines)
        assert any('"error"' in line for line in rest)
        assert server.process.wait(timeout=60) == ExitStatus.ENGINE_DIED
        wait_until(lambda: not is_alive(guard))


_VLLM = f"""#!{sys.executable}
import os, runpy, sys
print(*sys.argv[1:], flush=True)
sys.path.insert(0, os.getcwd())
sys.argv[1:] = [sys.argv[sys.argv.index("--port") + 1]]
runpy.run_module("tests.support.scripted.token_server_program", run_name="__main__")
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
def test_a_model_on_several_gpus_is_vllms_whose_end_is_that_of_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "vllm"
    program.write_text(_VLLM)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with (tmp_path / "log").open("w+") as log:
        with running_server("--num-shard", "2", "--gpu-memory-utilization", "0.5", log=log) as server:
            (guard,) = children(server.process.pid)
            (upstream,) = children(guard)
            assert httpx.post(f"{server.url}/v1/completions", json=BODY).status_code == 200
            os.kill(upstream, signal.SIGKILL)
            assert server.process.wait(timeout=60) == ExitStatus.ENGINE_DIED
        log.seek(0)
        logged = log.read()
    assert re.search(r"INFO vllm: serve \S+ --host 127.0.0.1 --port \d+ .*--tensor-parallel-size 2", logged)
    assert "--gpu-memory-utilization 0.5" in logged
    assert "the server stops because its engine died" in logged
    assert not any("gpu-memory" in line for line in server.said), "it has an effect"


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
def test_the_server_of_a_front_that_is_killed_ends_too() -> None:
    with front() as (server, guard):
        (upstream,) = children(guard)
        server.process.kill()
        wait_until(lambda: not is_alive(guard) and not is_alive(upstream))
