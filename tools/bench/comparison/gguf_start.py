"""Compare the start of our server and of llama.cpp's with the same GGUF file: seconds to the first answer.

Our server starts in three ways: only with compiled code; with a cached description of the file too; and with
cached packed weights as well.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from engine.native.library import VARIABLE, kernel_cache, loaded
from engine.packed_cache.early_reading import SUFFIX
from tools.bench.comparison.contender import KINDS, Failed, python_of
from tools.bench.comparison.http_level import Server
from tools.bench.table import Row, print_table

_PEER: Final = "llama.cpp"
_KEPT_WITHIN_S: Final = 120.0  # timeout for packed weights, which are written ten seconds after a start


class _Kind(NamedTuple):
    """A way to start a server. command: without the port. environment: additional variables."""

    name: str
    command: list[str]
    environment: Mapping[str, str]

    def server(self, model: Path, port: int) -> tuple[list[str], dict[str, str]]:
        """Return the command and its environment variables."""
        return [*self.command, "--port", str(port)], dict(self.environment)


async def run(arguments: argparse.Namespace) -> list[Row]:
    loaded()  # compiles the kernels if necessary
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        kinds = [
            _ours("nothing kept", arguments.model, None, "off"),
            _ours("description kept", arguments.model, root / "kept", "off"),
            _ours("packed weights kept", arguments.model, root / "kept", str(root / "packed")),
            _theirs(arguments.model),
        ]
        _keep(kinds[2], arguments.model, root)
        times: dict[str, list[float]] = {kind.name: [] for kind in kinds}
        for number in range(arguments.rounds):
            for kind in kinds[:: -1 if number % 2 else 1]:
                times[kind.name].append(_start_s(kind, arguments.model, root))
    theirs = median(times[_PEER])
    rows: list[Row] = [
        {
            "server": name,
            "seconds": median(some),
            "lowest": min(some),
            "highest": max(some),
            "ratio": median(some) / theirs,
        }
        for name, some in times.items()
    ]
    print_table(rows)
    return rows


def _ours(name: str, model: Path, kept: Path | None, packed: str) -> _Kind:
    """Return a way to start our server. kept: folder of cached descriptions; None for a new one each time."""
    program = str(Path(sys.executable).with_name("verbatim"))
    command = [program, "serve", str(model), "--packed-cache", packed]
    environment = {VARIABLE: str(kernel_cache())}
    return _Kind(name, command, environment if kept is None else {**environment, "XDG_CACHE_HOME": str(kept)})


def _theirs(model: Path) -> _Kind:
    """Return the way to start llama.cpp's server. Raises Failed if it is not installed."""
    python = python_of(_PEER, {})
    if python is None:
        raise Failed("llama.cpp is not installed: make bench-peers BENCH_PEERS=llama.cpp")
    venv = str(Path(python).parent.parent)
    environment = {key: value.format(venv=venv) for key, value in KINDS[_PEER].environment.items()}
    program = str(Path(environment["LLAMA_CPP_LIB_PATH"]) / "llama-server")
    threads = str(len(os.sched_getaffinity(0)))
    command = [program, "-m", str(model), "-c", "4096", "-t", threads, "--jinja", "--no-webui"]
    return _Kind(_PEER, command, environment)


def _keep(kind: _Kind, model: Path, root: Path) -> None:
    """Start a server, and wait until it has written its cache. Raises Failed on a timeout."""
    server = Server(kind, model, root / "log")
    try:
        with server.turns.turn():
            ends = time.perf_counter() + _KEPT_WITHIN_S
            while not list((root / "packed").glob(f"*{SUFFIX}")):
                if time.perf_counter() > ends:
                    raise Failed(f"no packed weights were written within {_KEPT_WITHIN_S:.0f} s")
                time.sleep(0.2)
    finally:
        server.end()


def _start_s(kind: _Kind, model: Path, root: Path) -> float:
    with tempfile.TemporaryDirectory(dir=root) as new:
        environment = {"XDG_CACHE_HOME": new, **kind.environment}
        server = Server(kind._replace(environment=environment), model, root / "log")
        server.end()
        return server.start_s


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path, help="a GGUF file")
    parser.add_argument("--rounds", type=int, default=3)
