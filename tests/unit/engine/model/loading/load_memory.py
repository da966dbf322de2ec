"""The peak of anonymous memory while a model is loaded, and the memory of the loaded model."""

import gc
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from engine.build import build_core
from engine.config import EngineConfig
from engine.demo_model import DEMO_MODEL

_INTERVAL_S = 0.002
_KV_CACHE_BYTES = 1 << 24


class LoadMemory(NamedTuple):
    """The memory of a process in bytes, relative to that before the load (after loading another model).

    peak, final: anonymous memory at its peak and after the load.
    """

    peak: int
    final: int

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


def measure(directory: Path, case: Case) -> LoadMemory:
    """Load a model in a separate process, without packed weights from an earlier start."""
    command = [sys.executable, "-m", __name__, str(directory), case.dtype, case.quantize or ""]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    return LoadMemory(**json.loads(done.stdout.splitlines()[-1]))


def _load_and_print(directory: str, dtype: str, quantize: str) -> None:
    config = EngineConfig(
        model=directory, dtype=dtype, quantize=quantize or None, kv_cache_bytes=_KV_CACHE_BYTES
    )
    _load(EngineConfig(model=str(DEMO_MODEL), quantize=config.quantize, kv_cache_bytes=_KV_CACHE_BYTES))
    gc.collect()
    before = _anonymous()
    with _highest_anonymous() as highest:
        loaded = _load(config)
    gc.collect()
    final = _anonymous() - before
    assert loaded is not None
    print(json.dumps(LoadMemory(highest() - before, final)._asdict()))


def _load(config: EngineConfig) -> object:
    return build_core(config, lambda line: None)


@contextmanager
def _highest_anonymous() -> Iterator[Callable[[], int]]:
    """Watch this process's anonymous memory while the block runs; yield a function that returns the peak."""
    most = _anonymous()
    is_over = threading.Event()

    def watch() -> None:
        nonlocal most
        while not is_over.wait(_INTERVAL_S):
            most = max(most, _anonymous())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield lambda: most
    finally:
        is_over.set()
        watcher.join()
        most = max(most, _anonymous())


def _anonymous() -> int:
    """Return the anonymous memory of this process in bytes."""
    lines = (line.split() for line in Path("/proc/self/status").read_text().splitlines())
    return next(int(words[1]) * 1024 for words in lines if words[0] == "RssAnon:")


if __name__ == "__main__":
    _load_and_print(*sys.argv[1:])
