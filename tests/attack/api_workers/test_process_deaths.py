"""The deaths of processes under `--api-workers` while streams run: no stream hangs, and none seems whole."""

import os
import re
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from handlers.process.exit_status import ExitStatus
from tests.attack.api_workers.test_api_workers import CHAT, GREEDY, TIMEOUT_S, api_workers
from tests.attack.faults.faults import Stream, begin_fault, faulty_server
from tests.attack.test_engine_death import STREAMS
from tests.conftest import Server
from tests.support.clocks.until import wait_until
from tests.support.samples.contracts import samples_of
from tests.support.servers.processes import is_alive

_MOST_S: Final = 5.0  # from the engine's death until the last stream has ended
_BUSY_S: Final = 60.0  # the same on a machine that does other things beside
_NUM_STREAMS: Final = 24
_NUM_TOKENS: Final = 60


@contextmanager
def slow_server(log: Path | None = None) -> Iterator[Server]:
    """A server with two processes for its API, whose engine takes 50 ms a step and can be made to die."""
    with ExitStack() as stack:
        file = None if log is None else stack.enter_context(log.open("w"))
        yield stack.enter_context(faulty_server("death", "--api-workers", "2", log=file))


def end_of(stream: Stream) -> tuple[Any, float]:
    """Return the last event, and when it had come."""
    return stream.last_event(), time.monotonic()


@pytest.mark.parametrize("is_killed", [True, False])
def test_the_engines_death_ends_every_contracts_streams_by_its_error(
    is_killed: bool, tmp_path: Path, is_whole: bool
) -> None:
    log = tmp_path / "log"
    with slow_server(log) as server, ExitStack() as opened:
        processes = api_workers(server)
        streams = {
            name: opened.enter_context(
                closing(Stream(server.url, f"/{name}{asked.path}", asked.body, samples_of(name).headers))
            )
            for name, asked in STREAMS.items()
        }
        for stream in streams.values():
            assert stream.next_event() is not None
        died_at = time.monotonic()
        if is_killed:
            server.process.kill()
        else:
            begin_fault(server)
        with ThreadPoolExecutor(len(streams)) as readers:
            ends = dict(zip(streams, readers.map(end_of, streams.values()), strict=True))
        for name, (last, _) in ends.items():
            assert "error" in str(last), (name, last)
            assert "panic" not in str(last), (name, last)
        took_s = max(at for _, at in ends.values()) - died_at
        print(f"the last stream ended {took_s:.2f} s after the engine")
        assert took_s < (_MOST_S if is_whole else _BUSY_S)
        status = server.process.wait(_BUSY_S)
        wait_until(lambda: not any(map(is_alive, processes)), _BUSY_S)
    assert status == (-signal.SIGKILL if is_killed else ExitStatus.ENGINE_DIED)
    assert "Traceback" not in log.read_text() or not is_killed


def read_whole(server: Server) -> bool:
    """Return whether a stream came to its end; False if the connection broke before."""
    body = {**GREEDY, "stream": True, "max_tokens": _NUM_TOKENS, "ignore_eos": True}
    try:
        with httpx.stream("POST", server.url + CHAT, json=body, timeout=TIMEOUT_S) as answer:
            assert answer.status_code == 200
            lines = [line for line in answer.iter_lines() if line]
    except (httpx.RemoteProtocolError, httpx.ReadError):
        return False
    assert lines[-1] == "data: [DONE]", "a stream that was cut looks as if it were whole"
    assert not any("error" in line for line in lines)
    return True


def test_the_death_of_one_process_breaks_its_own_streams_alone() -> None:
    with slow_server() as server, ThreadPoolExecutor(_NUM_STREAMS) as clients:
        first, second = api_workers(server)
        running = [clients.submit(read_whole, server) for _ in range(_NUM_STREAMS)]
        wait_until_running(server, _NUM_STREAMS)
        os.kill(first, signal.SIGKILL)
        are_whole = [each.result(TIMEOUT_S) for each in running]
        assert 0 < sum(are_whole) < _NUM_STREAMS, "connections are spread over both"
        assert second in api_workers(server)
        assert read_whole(server)
        wait_until(lambda: len(api_workers(server)) >= 2, TIMEOUT_S)


def wait_until_running(server: Server, number: int) -> None:
    """Wait until the engine computes so many sequences."""
    wait_until(lambda: num_running(server) >= number, TIMEOUT_S)


def num_running(server: Server) -> float:
    text = httpx.get(f"{server.url}/metrics", timeout=TIMEOUT_S).text
    (number,) = re.findall(r"^vllm:num_requests_running{.*} (\S+)$", text, re.MULTILINE)
    return float(number)
