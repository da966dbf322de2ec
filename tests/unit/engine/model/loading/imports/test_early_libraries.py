"""torch's libraries are loaded without torch, which then finds them; where they are not, nothing happens."""

import subprocess
import sys
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

import pytest

from engine.model.loading.imports.early_libraries import THREAD_NAME, begin_loading_libraries
from handlers.process.new_threads import _HARMLESS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux loads them early")

_EARLY = """
import sys
from engine.model.loading.imports.early_libraries import begin_loading_libraries
def loaded():
    return "libtorch_python.so" in open("/proc/self/maps").read()
before = loaded()
thread = begin_loading_libraries()
thread.join()
print(before, loaded(), "torch" in sys.modules)
import torch
print(torch.ones(2).sum().item(), begin_loading_libraries())
"""


def test_libraries_are_loaded_without_torch_which_then_works() -> None:
    ended = subprocess.run([sys.executable, "-c", _EARLY], capture_output=True, text=True, timeout=100)
    assert ended.stdout == "False True False\n2.0 None\n", ended.stderr


def test_a_process_that_ends_early_waits_for_them() -> None:
    code = (
        "from engine.model.loading.imports.early_libraries import begin_loading_libraries as begin; begin()"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert THREAD_NAME in _HARMLESS


@pytest.mark.parametrize("is_installed", [True, False])
def test_nothing_happens_without_the_libraries(
    is_installed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = ModuleSpec("torch", None, is_package=True)
    found.submodule_search_locations = [str(tmp_path)]
    with monkeypatch.context() as changed:
        changed.delitem(sys.modules, "torch", raising=False)
        changed.setattr(PathFinder, "find_spec", lambda name: found if is_installed else None)
        thread = begin_loading_libraries()
    assert (thread is not None) == is_installed
    if thread is not None:
        thread.join(10)
        assert not thread.is_alive()
