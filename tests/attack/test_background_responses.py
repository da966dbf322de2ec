"""Responses in the background over several processes, of which some are killed."""

import os
import signal
import time
from pathlib import Path
from typing import Any

import httpx

from tests.attack.api_workers.test_api_workers import api_workers
from tests.conftest import LIMITS, Server, running_server
from tests.support.clocks.until import wait_until

PATH = "/openai/v1/responses"
TIMEOUT_S = 60.0
LONG: dict[str, Any] = {
    "model": "verbatim-demo",
    "input": "Hello",
    "background": True,
    "stream": True,
    "max_output_tokens": 1900,
    "ignore_eos": True,
}
ROOM = ("--max-total-tokens", "2048", "--max-batch-total-tokens", "32768")


def begin(server: Server) -> str:
    """Begin a long response, leave its stream after the first event, and return its id."""
    with httpx.stream("POST", server.url + PATH, json=LONG, timeout=TIMEOUT_S) as stream:
        for line in stream.iter_lines():
            if line.startswith("data: "):
                event = httpx.Response(200, text=line.removeprefix("data: ")).json()
                return str(event["response"]["id"])
    raise AssertionError("a stream without an event")


def status(server: Server, id: str) -> str:
    """Ask by a connection of its own, so that any of the processes may answer."""
    answer = httpx.get(f"{server.url}{PATH}/{id}", timeout=TIMEOUT_S)
    return str(answer.json()["status"])


def test_any_process_tells_and_cancels_and_those_of_a_killed_one_fail() -> None:
    with running_server("--api-workers", "2", *LIMITS, *ROOM) as server:
        cancelled = begin(server)
        assert {status(server, cancelled) for _ in range(6)} <= {"queued", "in_progress"}
        httpx.post(f"{server.url}{PATH}/{cancelled}/cancel", timeout=TIMEOUT_S).raise_for_status()
        ids = [begin(server) for _ in range(4)]
        for pid in (killed := api_workers(server)):
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: len(new := api_workers(server)) >= 2 and {*killed}.isdisjoint(new), TIMEOUT_S)
        wait_until(lambda: all(status(server, id) == "failed" for id in ids), TIMEOUT_S)
        assert {status(server, cancelled) for _ in range(6)} == {"cancelled"}


def test_an_answer_of_a_killed_server_is_failed_in_the_next_one(tmp_path: Path) -> None:
    options = ("--store", str(tmp_path / "store"), *LIMITS, *ROOM)
    with running_server(*options) as server:
        id = begin(server)
        server.process.kill()
        server.process.wait()
    with running_server(*options) as server:
        begun_s = time.monotonic()
        wait_until(lambda: status(server, id) == "failed", TIMEOUT_S)
        assert time.monotonic() - begun_s < 15
        events = httpx.get(f"{server.url}{PATH}/{id}?stream=true", timeout=TIMEOUT_S).text
        assert events.count("event: response.created") == 1
        assert "event: response.failed" in events.split("\n\n")[-2]


def test_a_server_that_is_told_to_stop_leaves_no_answer_unfinished(tmp_path: Path) -> None:
    options = ("--store", str(tmp_path / "store"), *LIMITS, *ROOM)
    with running_server(*options, "--graceful-termination-timeout", "0") as server:
        id = begin(server)
        server.process.terminate()
        server.process.wait(TIMEOUT_S)
    with running_server(*options) as server:
        assert status(server, id) == "failed"
