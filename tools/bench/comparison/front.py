"""Compare Verbatim as the front of a vLLM server with vLLM's own HTTP API and with its token API, by turns.

With `--scripted`, a scripted server replaces vLLM, so that vLLM need not be installed and every version of
the front gets the same tokens at the same speed; `--before` also measures another version.
"""

import argparse
import json
import re
import shlex
import signal
import string
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, Final, NamedTuple

from engine.demo_model import DEMO_MODEL
from tools.bench.comparison.contender import Command, Failed, start
from tools.bench.comparison.http_level import MAX_START_S, ask_all, free_port, with_low_priority
from tools.bench.comparison.rounds import by_turns, compare
from tools.bench.http.connection import Answer, post
from tools.bench.processor_time import group_s
from tools.bench.table import Row, print_tables

MODEL: Final = "bench"
FRONT: Final = "front"
BEFORE: Final = "front before"
CHAT: Final = "vllm chat"
TOKENS: Final = "vllm tokens"

_CHAT_PATH: Final = "/v1/chat/completions"
_TEXT: Final = re.compile(rb'"content": ?"[^"]')
_TOKEN_IDS: Final = re.compile(rb'"token_ids": ?\[\d')
_MAX_LENGTH: Final = 2048
_POLL_S: Final = 0.2
_SERVE: Final = "from handlers.cli import main; raise SystemExit(main())"
_VLLM_ENVIRONMENT: Final = {"VLLM_CPU_KVCACHE_SPACE": "1"}


class Prompt(NamedTuple):
    """A message, and the tokens of a chat with this message, as the front renders it."""

    text: str
    token_ids: list[int]


class Way(NamedTuple):
    """An API that returns the vLLM server's tokens. brings: bytes that occur in every event with a token."""

    name: str
    port: int
    path: str
    body: Callable[[Prompt, int], dict[str, Any]]
    brings: re.Pattern[bytes]

    def request(self, prompt: Prompt, num_tokens: int) -> bytes:
        body = {"model": MODEL, "stream": True, **self.body(prompt, num_tokens)}
        return post(self.path, json.dumps(body).encode())

    def first(self, answer: Answer) -> float:
        """Return the time of the first token. Raises Failed for an answer without tokens."""
        for seconds, data in answer.arrivals:
            if self.brings.search(data):
                return seconds
        raise Failed(f"{self.name} answered without a token: {bytes(answer.received)!r}")


class Load(NamedTuple):
    """A load: concurrent streams of a number of tokens, repeated sequentially."""

    num_streams: int
    num_tokens: int
    num_times: int = 1


class Measured(NamedTuple):
    """A measurement. first_s: median seconds to the first token. The others: CPU microseconds per token."""

    tokens_per_s: float
    first_s: float
    front_us: float
    vllm_us: float
    client_us: float


class Server(NamedTuple):
    """A server's process group and port."""

    group: int
    port: int


class Servers(NamedTuple):
    """The front, vLLM, and optionally another version of the front."""

    front: Server
    vllm: Server
    before: Server | None = None

    def front_of(self, way: str) -> Server:
        """Return the front of an API; for vLLM's own APIs, the front that they are compared with."""
        return self.before if way == BEFORE and self.before is not None else self.front


async def run(arguments: argparse.Namespace) -> list[Row]:
    signal.signal(
        signal.SIGTERM, lambda number, _: sys.exit(128 + number)
    )  # so that no server is left running
    served = "a scripted server" if arguments.scripted else "vLLM with the embedded model"
    print(f"{served}; prompts of {arguments.prompt} characters")
    with _servers(arguments) as servers:
        every_way = [way for way in ways(servers) if not (arguments.scripted and way.name == CHAT)]
        loads = [
            Load(1, arguments.tokens_alone, arguments.times_alone),
            Load(arguments.streams, arguments.tokens),
        ]
        results = by_turns(
            every_way,
            loads,
            arguments.rounds,
            lambda way, load, number: _measure(
                way,
                load,
                servers,
                _prompts(load, servers, Random(f"{way.name} {load} {number}"), arguments.prompt),
            ),
            warm_up=loads,
        )
    return print_tables([rows(load, measured) for load, measured in results.items()])


@contextmanager
def _servers(arguments: argparse.Namespace) -> Iterator[Servers]:
    """Run vLLM and the fronts while the block runs. Raises Failed if they do not start.

    The first front starts vLLM, and so places its threads.
    """
    port = free_port()
    url = ["--engine-url", f"http://127.0.0.1:{port}"]
    arguments.logs.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:

        def front(tree: Path, options: list[str]) -> Server:
            python = tree / ".venv" / "bin" / "python"
            words = [str(python) if python.exists() else sys.executable, "-c", _SERVE, "serve"]
            words += [str(DEMO_MODEL), "--served-model-name", MODEL, "--engine", "vllm", *options]
            own = free_port()
            command = Command([*words, "--port", str(own)], _VLLM_ENVIRONMENT, tree)
            turns = start(command, arguments.logs / "front.log")
            stack.callback(turns.end)
            _wait_until_ready(own, turns.process.poll)
            return Server(turns.process.pid, own)

        file = stack.enter_context(tempfile.NamedTemporaryFile("r"))
        shell = f"echo $$ >{file.name}; exec {shlex.join(_vllm(arguments, port))}"
        first = front(Path.cwd(), [*url, "--engine-command", shlex.join(["sh", "-c", shell])])
        before = None if arguments.before is None else front(arguments.before.absolute(), url)
        yield Servers(first, Server(int(file.read()), port), before)


def _vllm(arguments: argparse.Namespace, port: int) -> list[str]:
    """Return the command of vLLM, or of the scripted server."""
    if arguments.scripted:
        command = [sys.executable, "-m", "tools.bench.http.scripted_tokens"]
        command += ["--step-ms", str(arguments.step_ms)]
    else:
        command = [str(arguments.vllm.absolute()), "serve", str(DEMO_MODEL), "--enable-scale-out"]
        command += ["--max-model-len", str(_MAX_LENGTH), "--no-enable-prefix-caching"]
    return [*command, "--served-model-name", MODEL, "--port", str(port)]


def _wait_until_ready(port: int, has_ended: Callable[[], int | None]) -> None:
    """Wait until the front is ready, which it is when vLLM is."""
    ends = time.perf_counter() + MAX_START_S
    while time.perf_counter() < ends:
        if (status := has_ended()) is not None:
            raise Failed(f"the front ended with status {status}")
        connection = HTTPConnection("127.0.0.1", port)
        try:
            connection.request("GET", "/health")
            if connection.getresponse().status == 200:
                return
        except OSError:
            pass
        finally:
            connection.close()
        time.sleep(_POLL_S)
    raise Failed(f"the front did not answer in {MAX_START_S:.0f} s")


def ways(servers: Servers) -> list[Way]:
    """Return the APIs: the fronts' chat completions, vLLM's chat completions, and vLLM's token API."""
    before = servers.before

    def chat(prompt: Prompt, num_tokens: int) -> dict[str, Any]:
        messages = [{"role": "user", "content": prompt.text}]
        return {"messages": messages, **params(num_tokens)}

    def generate(prompt: Prompt, num_tokens: int) -> dict[str, Any]:
        # Like the front's requests: no texts, only token ids.
        sampling = {**params(num_tokens), "detokenize": False}
        return {"token_ids": prompt.token_ids, "sampling_params": sampling}

    def params(num_tokens: int) -> dict[str, Any]:
        return {"max_tokens": num_tokens, "ignore_eos": True, "temperature": 0}

    return [
        Way(FRONT, servers.front.port, _CHAT_PATH, chat, _TEXT),
        *([] if before is None else [Way(BEFORE, before.port, _CHAT_PATH, chat, _TEXT)]),
        Way(CHAT, servers.vllm.port, _CHAT_PATH, chat, _TEXT),
        Way(TOKENS, servers.vllm.port, "/inference/v1/generate", generate, _TOKEN_IDS),
    ]


def _measure(way: Way, load: Load, servers: Servers, prompts: list[list[Prompt]]) -> Measured:
    """Measure an API. prompts: for each repetition, one for each stream."""
    firsts, wall_s = list[float](), 0.0
    front = servers.front_of(way.name)
    before = _processor_s(front, servers.vllm)
    for of_time in prompts:
        requests = [way.request(prompt, load.num_tokens) for prompt in of_time]
        started, answers = with_low_priority(ask_all(way.port, requests))
        firsts += [way.first(answer) - started for answer in answers]
        wall_s += max(answer.arrivals[-1][0] for answer in answers) - started
    num_tokens = load.num_times * load.num_streams * load.num_tokens
    after = _processor_s(front, servers.vllm)
    spent = [1e6 * (now - then) / num_tokens for now, then in zip(after, before, strict=True)]
    return Measured(num_tokens / wall_s, median(firsts), *spent)


def _processor_s(front: Server, vllm: Server) -> tuple[float, float, float]:
    """Return the CPU seconds of the front, of vLLM and of this process."""
    return group_s(front.group), group_s(vllm.group), time.process_time()


def _prompts(load: Load, servers: Servers, random: Random, num_characters: int) -> list[list[Prompt]]:
    """Return new prompts for each repetition, one for each stream."""
    return [
        [_prompt(servers.front.port, random, num_characters) for _ in range(load.num_streams)]
        for _ in range(load.num_times)
    ]


def _prompt(front_port: int, random: Random, num_characters: int) -> Prompt:
    text = "".join(random.choices(string.ascii_letters, k=num_characters))
    body = {"model": MODEL, "messages": [{"role": "user", "content": text}]}
    connection = HTTPConnection("127.0.0.1", front_port)
    connection.request("POST", f"{_CHAT_PATH}/render", json.dumps(body), {"content-type": "application/json"})
    token_ids = json.loads(connection.getresponse().read())["token_ids"]
    connection.close()
    return Prompt(text, token_ids)


def rows(load: Load, results: dict[str, list[Measured]]) -> list[Row]:
    """Return a row for each API.

    ratio: the front's tokens/s over the API's. first_more_ms: additional time to the front's first token.
    Both are medians over rounds. front_least_us: the minimum of all rounds, since other load can only
    increase it.
    """
    front = results[FRONT]
    return [
        {
            "streams": load.num_streams,
            "tokens": load.num_tokens,
            "way": name,
            "tokens_per_s": median(each.tokens_per_s for each in own),
            "ratio": (ratio := compare(_speeds(front), _speeds(own))).median,
            "lowest": ratio.lowest,
            "highest": ratio.highest,
            "first_ms": 1e3 * median(each.first_s for each in own),
            "first_more_ms": 1e3
            * median(ours.first_s - theirs.first_s for ours, theirs in zip(front, own, strict=True)),
            "front_us": median(each.front_us for each in own),
            "front_least_us": min(each.front_us for each in own),
            "vllm_us": median(each.vllm_us for each in own),
            "client_us": median(each.client_us for each in own),
        }
        for name, own in results.items()
    ]


def _speeds(measured: list[Measured]) -> list[float]:
    return [each.tokens_per_s for each in measured]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--vllm",
        type=Path,
        default=Path(".venv-bench-vllm/bin/vllm"),
        help="vLLM's command (installed by make bench-peers)",
    )
    parser.add_argument("--scripted", action="store_true", help="use a scripted server instead of vLLM")
    parser.add_argument(
        "--step-ms", type=float, default=8.0, help="milliseconds between tokens of the scripted server"
    )
    parser.add_argument(
        "--before", type=Path, metavar="TREE", help="checkout of another version, whose front is measured too"
    )
    parser.add_argument("--rounds", type=int, default=5, help="rounds, of which medians are reported")
    parser.add_argument("--streams", type=int, default=32, help="number of concurrent streams")
    parser.add_argument("--tokens", type=int, default=128, help="tokens of each of these streams")
    parser.add_argument("--times-alone", type=int, default=10, help="single streams in a round")
    parser.add_argument("--tokens-alone", type=int, default=16, help="tokens of a single stream")
    parser.add_argument("--prompt", type=int, default=64, help="characters of a prompt")
    parser.add_argument(
        "--logs", type=Path, default=Path(tempfile.gettempdir()), help="folder for the servers' logs"
    )
