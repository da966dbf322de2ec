"""Whatever a test leaves changed in its process is as before for the next one."""

import logging
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from tests.conftest import pytest_runtest_call
from tests.support.process_state import ProcessState

CHANGES: dict[str, Callable[[], object]] = {
    "environment": lambda: os.environ.update({"VERBATIM_LEFT_BEHIND": "1", "PATH": ""}),
    "folder": lambda: os.chdir(Path(os.sep)),
    "path": lambda: sys.path.insert(0, os.sep),
    "loggers": lambda: logging.getLogger("uvicorn").setLevel(1),
    "signals": lambda: signal.signal(signal.SIGTERM, lambda *_: None),
    "recursion_limit": lambda: sys.setrecursionlimit(sys.getrecursionlimit() + 1),
    "switch_interval": lambda: sys.setswitchinterval(0.5),
    "torch": lambda: torch.set_default_dtype(torch.float64),
}


def test_every_part_of_the_state_is_changed_here() -> None:
    assert tuple(CHANGES) == ProcessState._fields


@pytest.mark.parametrize("name", CHANGES)
def test_what_has_changed_is_restored(name: str) -> None:
    before = ProcessState.read()
    CHANGES[name]()
    assert [
        part for part in before._fields if getattr(ProcessState.read(), part) != getattr(before, part)
    ] == [name]
    before.restore()
    assert ProcessState.read() == before


def test_after_a_test_everything_is_as_it_was_before_it() -> None:
    before = ProcessState.read()
    running = pytest_runtest_call()
    next(running)
    for change in CHANGES.values():
        change()
    with pytest.raises(StopIteration):
        running.send(None)
    assert ProcessState.read() == before
