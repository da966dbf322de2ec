"""Several models behind one address, as users run them: each is a process of its own, on demand."""

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from openai import OpenAI

from handlers.process.exit_status import ExitStatus
from tests.conftest import LIMITS, Server, running_server
from tests.support.clocks.until import wait_until
from tests.support.servers.processes import children, is_alive

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it needs process groups and /proc")

TEXT, VISION = "verbatim-demo", "sees"
ADMIN = {"authorization": "Bearer admin-secret"}


@contextmanager
def supervisor(*options: str) -> Iterator[Server]:
    models = (TEXT, f"{VISION}=verbatim-demo-vision")
    with running_server(*models, *LIMITS, "--admin-key", "admin-secret", *options) as server:
        yield server


def chat(model: str, **fields: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": "Hello!"}]
    return {"model": model, "messages": messages, "max_tokens": 8, "temperature": 0, **fields}


def ask(server: Server, model: str) -> dict[str, Any]:
    response = httpx.post(f"{server.url}/v1/chat/completions", json=chat(model), timeout=100)
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


def states(server: Server) -> dict[str, str]:
    listed = httpx.get(f"{server.url}/admin/models", headers=ADMIN).json()["models"]
    return {model["name"]: model["state"] for model in listed}


def descendants(pid: int) -> list[int]:
    """Return the processes of the models: guards, and what they guard."""
    return [each for child in children(pid) for each in (child, *descendants(child))]


def test_models_start_on_demand_and_stop_for_each_other() -> None:
    with supervisor("--model-memory", "300MB") as server:  # one process has more
        assert states(server) == {TEXT: "stopped", VISION: "stopped"}
        assert descendants(server.process.pid) == []
        assert "torch" not in Path(f"/proc/{server.process.pid}/maps").read_text()
        client = OpenAI(base_url=f"{server.url}/v1", api_key="-", timeout=100)
        assert [model.id for model in client.models.list()] == [TEXT, VISION]
        for model, other in ((TEXT, VISION), (VISION, TEXT)):
            assert ask(server, model)["model"] == model
            assert states(server) == {model: "running", other: "stopped"}
        stream = client.chat.completions.create(**chat(VISION, stream=True))
        streamed = "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)
        assert streamed == ask(server, VISION)["choices"][0]["message"]["content"] != ""


@pytest.mark.long
def test_sigterm_lets_streams_end_and_leaves_no_process() -> None:
    with supervisor() as server:
        body = chat(TEXT, stream=True, max_tokens=300, ignore_eos=True)
        body["user"] = "x" * 100_000  # which a thread of the supervisor reads
        with httpx.stream("POST", f"{server.url}/v1/chat/completions", json=body, timeout=100) as response:
            lines = (line for line in response.iter_lines() if line)
            assert json.loads(next(lines).removeprefix("data: "))["model"] == TEXT
            models = descendants(server.process.pid)
            server.process.send_signal(signal.SIGTERM)
            *_, last = lines
        assert last == "data: [DONE]"
        assert server.process.wait(timeout=60) == ExitStatus.STOPPED
        assert not any(map(is_alive, models))


def test_sigkill_leaves_no_process() -> None:
    with supervisor() as server:
        with pytest.raises(httpx.ReadTimeout):  # which leaves the model to start
            httpx.post(f"{server.url}/admin/load?model={TEXT}", headers=ADMIN, timeout=1)
        wait_until(lambda: len(descendants(server.process.pid)) >= 2)
        models = descendants(server.process.pid)
        server.process.kill()
        wait_until(lambda: not any(map(is_alive, models)))


@pytest.mark.long
def test_a_model_that_cannot_be_loaded_is_told_whole_in_the_log_and_shortly_in_the_answer() -> None:
    with running_server(TEXT, "no-such-owner/no-such-model", *LIMITS) as server:
        body = chat("no-such-owner/no-such-model")
        refused = httpx.post(f"{server.url}/v1/chat/completions", json=body, timeout=100)
        assert refused.status_code == 503
        assert "cannot be started: " in refused.json()["error"]["message"]


@pytest.mark.long
def test_one_model_sleeps_and_wakes() -> None:
    with running_server(*LIMITS, "--admin-key", "admin-secret") as server:
        assert states(server) == {TEXT: "stopped"}
        ask(server, TEXT)
        httpx.post(f"{server.url}/admin/sleep", headers=ADMIN, timeout=100)
        assert descendants(server.process.pid) == []
        refused = httpx.post(f"{server.url}/v1/messages", json=chat(TEXT), timeout=100)
        assert refused.status_code == 529
        assert refused.json()["error"]["message"] == f"The model '{TEXT}' is asleep"
        httpx.post(f"{server.url}/admin/wake_up", headers=ADMIN, timeout=100)
        assert states(server) == {TEXT: "running"}
