"""What becomes of requests when their client goes, and when the server is told to stop."""

import asyncio
import json
import signal
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from tests.conftest import LIMITS, running_server

# No end token is allowed before the tokens run out, whatever the model would like.
LONG = {
    "inputs": "Hello",
    "parameters": {"max_new_tokens": 400, "grammar": {"type": "regex", "value": "[a-z]{4000}"}},
}


def metric(url: str, name: str) -> float:
    """A sample of the server's own metrics; 0 where it has not been counted yet."""
    lines = httpx.get(f"{url}/metrics").text.splitlines()
    return next((float(line.split()[-1]) for line in lines if line.startswith(name + " ")), 0.0)


async def wait_until(condition: Callable[[], bool], timeout_s: float = 30.0) -> None:
    async with asyncio.timeout(timeout_s):
        while not condition():
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("path", ["/generate_stream", "/generate"])
async def test_a_client_that_goes_frees_its_sequence_and_its_cache_at_once(
    server_url: str, path: str
) -> None:
    dropped = metric(server_url, 'tgi_request_failure{err="dropped"}')
    async with httpx.AsyncClient() as client:
        asking = asyncio.create_task(client.post(server_url + path, json=LONG))
        await wait_until(lambda: metric(server_url, "tgi_batch_current_size") == 1)
        asking.cancel()
    await wait_until(lambda: metric(server_url, 'tgi_request_failure{err="dropped"}') == dropped + 1)
    await wait_until(lambda: metric(server_url, "tgi_batch_current_size") == 0, timeout_s=5)


def test_a_server_told_to_stop_finishes_what_runs_and_takes_no_more() -> None:
    with running_server(*LIMITS) as server:
        with httpx.stream("POST", f"{server.url}/generate_stream", json=LONG, timeout=60.0) as answer:
            lines = (line for line in answer.iter_lines() if line)
            next(lines)
            server.process.terminate()
            *_, last = lines
        assert json.loads(last.removeprefix("data: "))["generated_text"] is not None
        assert server.process.wait(timeout=60) == 0
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{server.url}/health")


@pytest.mark.parametrize("asked", [signal.SIGTERM, signal.SIGINT])
def test_after_the_grace_period_a_stream_ends_with_an_error_and_the_server_in_peace(
    asked: signal.Signals, tmp_path: Path
) -> None:
    body = {
        "messages": [{"role": "user", "content": "Hello"}],
        "n": 8,
        "max_tokens": 400,
        "stream": True,
        "response_format": {"type": "regex", "value": "[a-z]{4000}"},
    }
    options = (*LIMITS, "--graceful-termination-timeout", "0")
    log = tmp_path / "log"
    with log.open("w") as file, running_server(*options, log=file) as server:
        url = f"{server.url}/v1/chat/completions"
        with httpx.stream("POST", url, json=body, timeout=60.0) as answer:
            lines = (line.removeprefix("data: ") for line in answer.iter_lines() if line)
            next(lines)
            server.process.send_signal(asked)
            *_, error, end = lines
        assert json.loads(error)["error"]["http_status_code"] == 503
        assert end == "[DONE]"
        assert server.process.wait(timeout=60) == 0
    assert "Traceback" not in log.read_text()
