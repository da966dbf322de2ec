"""Measure the peak of anonymous memory while a model is loaded, and the memory of the loaded model."""

import argparse
import gc
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import torch

from engine.config import EngineConfig
from engine.demo_model import DEMO_MODEL
from tools.bench.random_model import SHAPES, write_model
from tools.bench.table import Row, print_table

_INTERVAL_S = 0.002
_KV_CACHE_BYTES = 1 << 24


class LoadMemory(NamedTuple):
    """The memory of a process in bytes, relative to that before the load (after loading another model).

    peak, final: anonymous memory at its peak and after the load. files: mapped file pages after the load,
    which Linux can evict.
    """

    peak: int
    final: int
    files: int

    @property
    def ratio(self) -> float:
        return self.peak / self.final


class Case(NamedTuple):
    """A load. stored: torch's name of the checkpoint's dtype."""

    stored: str
    dtype: str = "auto"
    quantize: str | None = None

    @property
    def name(self) -> str:
        asked = "" if self.dtype == "auto" else f", --dtype {self.dtype}"
        return self.stored + asked + (f", --quantize {self.quantize}" if self.quantize else "")


CASES = (
    Case("bfloat16"),
    Case("float16"),
    Case("float32"),
    Case("float32", dtype="bfloat16"),
    Case("bfloat16", quantize="int8"),
    Case("bfloat16", quantize="int4"),
    Case("float16", quantize="int8"),
    Case("float32", quantize="int8"),
)


async def run(arguments: argparse.Namespace) -> list[Row]:
    print(
        f"{arguments.shape}'s shape, random weights; MB beyond those of a process that loaded another model"
    )
    with tempfile.TemporaryDirectory() as directory:
        rows = list(_rows(Path(directory), arguments.shape))
    print_table(rows)
    return rows


def _rows(directory: Path, shape: str) -> Iterator[Row]:
    for stored in dict.fromkeys(case.stored for case in CASES):
        write_model(directory, shape, getattr(torch, stored))
        for case in CASES:
            if case.stored == stored:
                found = measure(directory, case)
                sizes: Row = {name: size / 1e6 for name, size in found._asdict().items()}
                yield {"weights": case.name, **sizes, "ratio": found.ratio}


def measure(directory: Path, case: Case) -> LoadMemory:
    """Load a model in a separate process, without packed weights from an earlier start."""
    command = [sys.executable, "-m", __name__, str(directory), case.dtype, case.quantize or ""]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    return LoadMemory(**json.loads(done.stdout.splitlines()[-1]))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--shape", choices=SHAPES, default="Qwen2.5-0.5B")


def _load_and_print(directory: str, dtype: str, quantize: str) -> None:
    config = EngineConfig(
        model=directory, dtype=dtype, quantize=quantize or None, kv_cache_bytes=_KV_CACHE_BYTES
    )
    _load(EngineConfig(model=str(DEMO_MODEL), quantize=config.quantize, kv_cache_bytes=_KV_CACHE_BYTES))
    gc.collect()
    before = _resident()
    with _highest_anonymous() as highest:
        loaded = _load(config)
    gc.collect()
    after = _resident()
    assert loaded is not None
    anonymous, files = after["RssAnon"] - before["RssAnon"], after["RssFile"] - before["RssFile"]
    print(json.dumps(LoadMemory(highest() - before["RssAnon"], anonymous, files)._asdict()))


def _load(config: EngineConfig) -> object:
    from engine.build import build_core

    return build_core(config, lambda line: None)


@contextmanager
def _highest_anonymous() -> Iterator[Callable[[], int]]:
    """Watch this process's anonymous memory while the block runs; yield a function that returns the peak."""
    most = _resident()["RssAnon"]
    is_over = threading.Event()

    def watch() -> None:
        nonlocal most
        while not is_over.wait(_INTERVAL_S):
            most = max(most, _resident()["RssAnon"])

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield lambda: most
    finally:
        is_over.set()
        watcher.join()
        most = max(most, _resident()["RssAnon"])


def _resident() -> dict[str, int]:
    """Return the resident memory of this process in bytes, by Linux's names of its kinds."""
    lines: Any = (line.split() for line in Path("/proc/self/status").read_text().splitlines())
    return {name[:-1]: int(size[0]) * 1024 for name, *size in lines if name.startswith("Rss")}


if __name__ == "__main__":
    _load_and_print(*sys.argv[1:])
