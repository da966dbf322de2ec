"""A server whose engine and API are processes of their own: what happens when they end, and their metrics."""

import json
import os
import re
import signal
import threading
import time
from base64 import b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.conftest import LIMITS, Server, running_server
from tests.support.clocks.until import wait_until
from tests.support.tiny_models.adapter_files import DEMO_LAYER, save_adapter_of_ones
from tests.support.tiny_models.media import image_bytes, save_tiny_media_model

GREEDY: dict[str, Any] = {
    "model": "verbatim-demo",
    "messages": [{"role": "user", "content": "Hello"}],
    "max_tokens": 8,
    "temperature": 0,
}
CHAT = "/openai/v1/chat/completions"
TIMEOUT_S = 120.0
NUM_STREAMS = 12


@pytest.fixture(scope="module")
def with_workers() -> Iterator[Server]:
    with running_server("--api-workers", "2", *LIMITS) as server:
        yield server


def _command_line(pid: int) -> bytes:
    """Return the command line of a process; empty if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except FileNotFoundError:
        return b""


def api_workers(server: Server) -> list[int]:
    """Return the process ids of the API workers of a server."""
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text()
    return [pid for pid in map(int, children.split()) if b"api_worker_process" in _command_line(pid)]


def post(server: Server, **fields: Any) -> httpx.Response:
    """Ask by a connection of its own, so that any of the processes may answer."""
    return httpx.post(server.url + CHAT, json={**GREEDY, **fields}, timeout=TIMEOUT_S)


def received(server: Server) -> float:
    """Return the number of requests that the server reports, in a text that is well formed."""
    text = httpx.get(f"{server.url}/metrics", timeout=TIMEOUT_S).text
    names = [family.name for family in text_string_to_metric_families(text)]
    assert len(names) == len(set(names))
    (generated,) = re.findall(r"^vllm:generation_tokens_total{.*} (\S+)$", text, re.MULTILINE)
    (number,) = re.findall(r"^tgi_request_count (\S+)$", text, re.MULTILINE)
    assert float(generated) > 0
    return float(number)


def test_the_processes_answer_alike_and_their_metrics_are_summed(with_workers: Server) -> None:
    assert len(api_workers(with_workers)) == 2
    texts = {post(with_workers).json()["choices"][0]["message"]["content"] for _ in range(12)}
    assert len(texts) == 1
    assert "[DONE]" in post(with_workers, stream=True).text
    ends_at = time.monotonic() + TIMEOUT_S
    seen = [received(with_workers)]
    while seen[-1] < 13 and time.monotonic() < ends_at:  # each process tells the others once a second
        seen.append(received(with_workers))
    assert seen[-1] == 13 and seen == sorted(seen)


Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


class Family(NamedTuple):
    """A metric. samples: its values by their names and labels."""

    type: str
    samples: Samples


def test_what_one_worker_stores_every_worker_finds(with_workers: Server) -> None:
    url, body = f"{with_workers.url}/openai/v1/responses", {"model": "verbatim-demo", "max_output_tokens": 4}
    stored = httpx.post(url, json={**body, "input": "Hi"}, timeout=TIMEOUT_S).json()
    for _ in range(20):  # each on a connection of its own
        assert httpx.get(f"{url}/{stored['id']}", timeout=TIMEOUT_S).json() == stored
    going_on = {**body, "input": "Hi", "previous_response_id": stored["id"]}
    assert httpx.post(url, json=going_on, timeout=TIMEOUT_S).is_success


def families(server: Server) -> dict[str, Family]:
    """Return the server's metrics by their names."""
    text = httpx.get(f"{server.url}/metrics", timeout=TIMEOUT_S).text
    return {
        family.name: Family(
            family.type,
            {(each.name, tuple(sorted(each.labels.items()))): each.value for each in family.samples},
        )
        for family in text_string_to_metric_families(text)
    }


def wait_for(server: Server, name: str, value: float) -> None:
    """Wait until a metric has a value: each process tells the others once a second."""
    ends_at = time.monotonic() + TIMEOUT_S
    while (found := next(iter(families(server)[name].samples.values()))) != value:
        assert time.monotonic() < ends_at, f"{name} is {found}, and not {value}"
        time.sleep(0.1)


def ask_everything(server: Server) -> int:
    """Send requests that count in many ways, each by a connection of its own; return how many they are."""
    bodies: list[tuple[str, dict[str, Any]]] = [
        *((CHAT, {**GREEDY, "max_tokens": number}) for number in range(1, 13)),
        *((CHAT, {**GREEDY, "stream": True, "logprobs": True}) for _ in range(4)),
        *(("/tgi/generate", {"inputs": "Hello " * number, "parameters": {}}) for number in range(1, 5)),
        *((CHAT, {**GREEDY, "temperature": -1}) for _ in range(3)),
        (CHAT, {**GREEDY, "max_tokens": 10**6}),
        (CHAT, {**GREEDY, "model": "other"}),
    ]
    for path, body in bodies:
        httpx.post(server.url + path, json=body, timeout=TIMEOUT_S)
    return len(bodies)


def test_their_metrics_are_those_of_one_process() -> None:
    """Counters and buckets add up to the same, gauges are not doubled, and no family is missing."""
    grown = list[dict[str, Family]]()
    for options in ((), ("--api-workers", "2")):
        with running_server(*options, *LIMITS) as server:
            before = families(server)  # each process has asked for a token at its start
            wait_for(server, "tgi_request_count", ask_everything(server))
            time.sleep(2.5)  # for the sums of whatever else has changed
            grown.append(
                {
                    name: Family(
                        found.type,
                        {
                            key: value - (0 if found.type == "gauge" else before[name].samples.get(key, 0.0))
                            for key, value in found.samples.items()
                        },
                    )
                    for name, found in families(server).items()
                }
            )
    one, two = grown
    assert one.keys() == two.keys()
    for name, family in one.items():
        assert two[name].type == family.type, name
        assert two[name].samples.keys() == family.samples.keys(), name
        for key, value in family.samples.items():
            if not is_of_its_own(name, key[0]):
                assert two[name].samples[key] == value, key
    assert sum(two["tgi_request_failure"].samples.values()) == 5
    assert two["tgi_request_generated_tokens"].samples["tgi_request_generated_tokens_count", ()] == 20


def is_of_its_own(name: str, sample: str) -> bool:
    """Return whether a value may differ from process to process: a time, or what each remembers itself."""
    if name.startswith("process_") or name in (
        "verbatim_token_memory_bytes",
        "verbatim_prompt_tokens_encoded",
    ):
        return True
    is_time = name.endswith(("_duration", "_seconds"))
    return is_time and not sample.endswith("_count")


def test_gauges_count_what_runs_once_and_nothing_of_processes_that_have_ended() -> None:
    body = {**GREEDY, "stream": True, "max_tokens": 1900, "ignore_eos": True}
    limits = ("--max-total-tokens", "2048", "--max-batch-total-tokens", "32768")
    with running_server("--api-workers", "2", *limits) as server:
        with ExitStack() as streams:
            open_streams = [
                streams.enter_context(httpx.stream("POST", server.url + CHAT, json=body, timeout=TIMEOUT_S))
                for _ in range(NUM_STREAMS)
            ]
            assert {one.status_code for one in open_streams} == {200}
            # They go on for several times as long as the processes take to tell each other.
            wait_for(server, "verbatim_permits_in_use", NUM_STREAMS)
            before = received(server)
            ended = api_workers(server)
            for pid in ended:
                os.kill(pid, signal.SIGKILL)
        wait_until(lambda: len(new := api_workers(server)) >= 2 and {*ended}.isdisjoint(new), TIMEOUT_S)
        wait_for(server, "verbatim_permits_in_use", 0)
        wait_for(server, "vllm:num_requests_running", 0)
        assert received(server) >= before == NUM_STREAMS


def test_the_api_loads_no_torch(with_workers: Server) -> None:
    for pid in api_workers(with_workers):
        assert b"libtorch" not in Path(f"/proc/{pid}/maps").read_bytes()


def test_a_process_that_ends_is_replaced(with_workers: Server) -> None:
    before = received(with_workers)
    first, second = api_workers(with_workers)
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: first not in (new := api_workers(with_workers)) and len(new) >= 2, TIMEOUT_S)
    assert second in api_workers(with_workers)
    for _ in range(6):  # those that wait for the new process are answered once it is ready
        assert post(with_workers).status_code == 200
    assert received(with_workers) >= before


def test_the_audit_log_on_standard_output_has_every_request() -> None:
    with running_server("--api-workers", "2", "--audit-log", "-", *LIMITS) as server:
        sent = {f"r{number}" for number in range(40)}
        for each in sent:
            httpx.get(f"{server.url}/v1/models", headers={"X-Request-Id": each}, timeout=TIMEOUT_S)
        server.process.terminate()
        assert server.process.stdout is not None
        lines = server.process.stdout.read().splitlines()
    assert {json.loads(line)["fields"]["request_id"] for line in lines if line.startswith("{")} >= sent


def test_an_answer_that_has_begun_ends_though_other_processes_take_the_room() -> None:
    """Its sequences run two at a time, between which the engine's permits may go to the others' clients."""
    options = ("--api-workers", "3", "--max-concurrent-requests", "8", *LIMITS)
    many = {**GREEDY, "n": 12, "stream": True, "max_tokens": 40, "ignore_eos": True}
    is_over = threading.Event()
    statuses: set[int] = set()

    def ask_again_and_again(server: Server) -> None:
        while not is_over.is_set():
            statuses.add(post(server, max_tokens=40, ignore_eos=True).status_code)

    with running_server(*options) as server, ThreadPoolExecutor(10) as clients:
        others = [clients.submit(ask_again_and_again, server) for _ in range(10)]
        answers: list[str] = []
        try:
            while len(answers) < 2:
                answer = httpx.post(server.url + CHAT, json=many, timeout=TIMEOUT_S)
                if answer.status_code == 200:
                    answers.append(answer.text)
        finally:
            is_over.set()
        for other in others:
            other.result(TIMEOUT_S)
    assert statuses == {200, 429}, "the engine was full"
    for text in answers:
        assert '"error"' not in text
        assert text.count('"finish_reason":"length"') == 12


def test_a_signal_to_all_processes_is_a_stop_without_complaints(tmp_path: Path) -> None:
    """A service's control group is stopped so: no process is replaced, and none reports an error."""
    with (tmp_path / "log").open("w+") as log:
        with running_server("--api-workers", "2", *LIMITS, log=log) as server:
            for pid in (*api_workers(server), server.process.pid):
                os.kill(pid, signal.SIGTERM)
            assert server.process.wait(TIMEOUT_S) == 0
        log.seek(0)
        assert log.read() == ""


def test_a_stop_lets_streams_end_and_leaves_no_process(with_workers: Server) -> None:
    body = {**GREEDY, "stream": True, "max_tokens": 200, "ignore_eos": True}
    left = api_workers(with_workers)
    with httpx.stream("POST", with_workers.url + CHAT, json=body, timeout=TIMEOUT_S) as stream:
        lines = stream.iter_lines()
        next(lines)
        with_workers.process.send_signal(signal.SIGTERM)
        *_, last = [line for line in lines if line]
    assert last == "data: [DONE]"
    assert with_workers.process.wait(TIMEOUT_S) == 0
    assert not any(Path(f"/proc/{pid}").exists() for pid in left)


def test_the_api_ends_with_the_engines_process() -> None:
    with running_server("--api-workers", "1", *LIMITS) as server:
        (worker,) = api_workers(server)
        server.process.kill()
        wait_until(lambda: not Path(f"/proc/{worker}").exists(), TIMEOUT_S)


def test_images_reach_the_engine_and_load_no_torch_into_the_api(tmp_path: Path) -> None:
    """Their tokens are those of the engine alone, as tests/unit/engine/remote/test_media.py compares them."""
    save_tiny_media_model(tmp_path, "qwen2_5_vl")
    options = ("--dtype", "float32", "--served-model-name", "verbatim-demo", *LIMITS)
    with running_server(str(tmp_path), "--api-workers", "1", *options) as server:
        small, tall = (
            post(server, messages=asked(image_bytes(width, height))).json()
            for width, height in ((24, 24), (20, 50))
        )
        broken = post(server, messages=asked(b"\x89PNG\r\n\x1a\nnothing"))
        (worker,) = api_workers(server)
        assert b"libtorch" not in Path(f"/proc/{worker}/maps").read_bytes()
    assert tall["usage"]["prompt_tokens"] > small["usage"]["prompt_tokens"]
    assert tall["choices"][0]["message"] != small["choices"][0]["message"]
    assert (broken.status_code, broken.json()["error"]["param"]) == (400, "messages[0].content[0]")


def asked(picture: bytes) -> list[dict[str, Any]]:
    """Return the messages of a request about a picture."""
    url = f"data:image/png;base64,{b64encode(picture).decode()}"
    parts = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": "What is it?"}]
    return [{"role": "user", "content": parts}]


def test_each_process_names_the_engines_adapters(tmp_path: Path) -> None:
    """All list them and pass them on; none loads others."""
    save_adapter_of_ones(tmp_path / "poet", DEMO_LAYER)
    options = ("--api-workers", "2", "--lora-adapters", f"poet={tmp_path / 'poet'}", *LIMITS)
    with running_server(*options) as server:
        texts = {model: set[str]() for model in ("verbatim-demo", "poet")}
        for model in [*texts] * 6:
            listed = httpx.get(f"{server.url}/openai/v1/models", timeout=TIMEOUT_S).json()["data"]
            assert [each["id"] for each in listed] == ["verbatim-demo", "poet"]
            answer = post(server, model=model).json()
            assert answer["model"] == model
            texts[model].add(answer["choices"][0]["message"]["content"])
        assert all(len(found) == 1 for found in texts.values())
        assert texts["poet"] != texts["verbatim-demo"]
        body = {"lora_name": "bard", "lora_path": "bard"}
        loaded = httpx.post(f"{server.url}/openai/v1/load_lora_adapter", json=body, timeout=TIMEOUT_S)
        assert loaded.status_code == 404
