"""Seconds from the start of a server to its first answer, from one GGUF file: ours and llama.cpp's, by turns.

Ours starts without anything kept but compiled code, with the description that an earlier start wrote of the
file, and with that and the weights that it packed.
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
_KEPT_WITHIN_S: Final = 120.0  # packed weights are written ten seconds after a start


class _Kind(NamedTuple):
    """A way to start a server. command: but for the port. environment: beside that of this process."""

    name: str
    command: list[str]
    environment: Mapping[str, str]

    def server(self, model: Path, port: int) -> tuple[list[str], dict[str, str]]:
        """Return the command and its environment."""
        return [*self.command, "--port", str(port)], dict(self.environment)


async def run(arguments: argparse.Namespace) -> list[Row]:
    loaded()  # compiles, if that has not been done
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
    """kept: the folder of descriptions; None for a new one at each start."""
    program = str(Path(sys.executable).with_name("verbatim"))
    command = [program, "serve", str(model), "--packed-cache", packed]
    environment = {VARIABLE: str(kernel_cache())}
    return _Kind(name, command, environment if kept is None else {**environment, "XDG_CACHE_HOME": str(kept)})


def _theirs(model: Path) -> _Kind:
    """Raises Failed if llama.cpp is not installed."""
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
    """Start a server, and let it write what it keeps. Raises Failed if it does not."""
    server = Server(kind, model, root / "log")
    try:
        with server.turns.turn():
            ends = time.perf_counter() + _KEPT_WITHIN_S
            while not list((root / "packed").glob(f"*{SUFFIX}")):
                if time.perf_counter() > ends:
                    raise Failed(f"no packed weights were kept in {_KEPT_WITHIN_S:.0f} s")
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
