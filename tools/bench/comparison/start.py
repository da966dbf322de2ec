"""Measure the start of servers by turns: seconds to the first answer, and the memory in use after it.

With `--before TREE`, the server of another checkout is measured next to this one's. The first start of each
server fills its caches, compiles code if necessary, and is not reported.
"""

import argparse
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from engine.native.library import VARIABLE, kernel_cache
from tools.bench.comparison import contender
from tools.bench.comparison.contender import Contender, Failed, chosen
from tools.bench.comparison.http_level import Server
from tools.bench.comparison.rounds import by_turns, compare
from tools.bench.process_group import members
from tools.bench.random_model import model_directory
from tools.bench.table import Row, print_table

_CASE: Final = "start"


class Start(NamedTuple):
    """A start: seconds to the first answer, and megabytes. memory_mb: after it. peak_mb: at the highest."""

    seconds: float
    memory_mb: float
    peak_mb: float


class Caches:
    """The folders in which each server keeps what later starts need, except compiled code."""

    def __init__(self, root: Path, *, is_fresh: bool) -> None:
        """Create the object. is_fresh: they are deleted before each start."""
        self._root = root
        self._is_fresh = is_fresh

    def prepare(self, server: Contender) -> None:
        """Name a server's folder in the environment of its next start."""
        kept = self._root / server.name
        if self._is_fresh:
            shutil.rmtree(kept, ignore_errors=True)
        server.environment |= {"XDG_CACHE_HOME": str(kept), VARIABLE: str(kernel_cache())}


async def run(arguments: argparse.Namespace) -> list[Row]:
    arguments.logs.mkdir(parents=True, exist_ok=True)
    shape = "small" if arguments.small else "Qwen2.5-0.5B"
    print(f"{arguments.model or shape}; {arguments.rounds} rounds by turns, medians")
    with ExitStack() as stack:
        model = stack.enter_context(model_directory(arguments.model, shape))
        root = stack.enter_context(tempfile.TemporaryDirectory())
        caches = Caches(Path(root), is_fresh=arguments.fresh)
        servers: list[Contender] = []
        for name, kind in chosen(arguments).items():
            try:
                server = stack.enter_context(Contender(name, kind, arguments))
                _start(server, model, caches, wait_s=0.0 if arguments.fresh else arguments.wait)
                servers.append(server)
            except Failed as error:
                print(f"not measured: {error}")
        results = by_turns(
            servers,
            [_CASE],
            arguments.rounds,
            lambda server, case, number: _start(server, model, caches),
            warm_up=[],
        )
    rows = list(_rows(servers, results[_CASE]))
    print_table(rows)
    return rows


def _start(contender: Contender, model: Path, caches: Caches, wait_s: float = 0.0) -> Start:
    """Start a server and end it. wait_s: how long it runs after its first answer."""
    caches.prepare(contender)
    server = Server(contender, model)
    try:
        memory = _megabytes(server.turns.process.pid, "smaps_rollup", "Pss:")
        peak = _megabytes(server.turns.process.pid, "status", "VmHWM:")
        with server.turns.turn():
            time.sleep(wait_s)
        return Start(server.start_s, memory, peak)
    finally:
        server.end()


def _megabytes(group: int, file: str, name: str) -> float:
    """Return the sum of a figure in a file of /proc over the processes of a group (proc(5))."""
    texts = [Path(f"/proc/{process}/{file}").read_text() for process in members(group)]
    lines = (line.split() for text in texts for line in text.splitlines())
    return sum(1024 * int(words[1]) for words in lines if words[0] == name) / 1e6


def _rows(servers: list[Contender], results: dict[str, list[Start]]) -> Iterator[Row]:
    """Yield a row for each server. ratio: our time over the server's; ours is faster if below 1."""
    seconds = {name: [one.seconds for one in starts] for name, starts in results.items()}
    for server in servers:
        own = seconds[server.name]
        ratio = compare(seconds.get(server.kind.beside, []), own)
        yield {
            "server": server.name,
            "seconds": median(own),
            "least": min(own),
            "most": max(own),
            "memory_mb": median(one.memory_mb for one in results[server.name]),
            "peak_mb": median(one.peak_mb for one in results[server.name]),
            "ratio": ratio.median,
            "lowest": ratio.lowest,
            "highest": ratio.highest,
        }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    contender.add_arguments(parser)
    parser.add_argument(
        "--model", type=Path, help="a model's directory, or a GGUF file (default: random weights)"
    )
    parser.add_argument("--small", action="store_true", help="use a small model, for a test of a minute")
    parser.add_argument("--rounds", type=int, default=5, help="starts of each server")
    parser.add_argument("--fresh", action="store_true", help="keep nothing between starts but compiled code")
    parser.add_argument(
        "--wait",
        type=float,
        default=20.0,
        help="seconds that the first start may take to keep its packed weights (default: 20)",
    )
