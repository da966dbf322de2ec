"""A process takes the processors and the memory that it may use, rather than all that the machine has."""

from pathlib import Path

import pytest

from engine.host import machine
from engine.host.control_group import MemoryLimit

_GIB = 2**30
_KB_A_GIB = 2**20

_MAPPINGS = """\
7f0000000000-7f0040000000 rw-p 00000000 fe:00 260386                     /models/model.safetensors
Size:            1048576 kB
Rss:              262144 kB
VmFlags: rd wr mr mw me
7f0040000000-7f0050000000 r-xp 00000000 fe:00 260387                     /lib/libtorch_cpu.so.2 (deleted)
Size:             262144 kB
Rss:                1024 kB
7f0050000000-7f0090000000 rw-p 00000000 00:00 0
Size:            1048576 kB
Rss:                   0 kB
7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0                          [stack]
Size:                132 kB
Rss:                  12 kB
"""


class Group:
    """A control group with the given limits."""

    limits: tuple[MemoryLimit, ...] = ()
    quota: int | None = None

    def memory_limits(self) -> list[MemoryLimit]:
        return list(self.limits)

    def num_processors(self) -> int | None:
        return self.quota


@pytest.fixture
def group(monkeypatch: pytest.MonkeyPatch) -> type[Group]:
    """A machine of 64 GiB: 10 GiB are free, 40 hold files, and there are no limits for this process."""

    class Own(Group):
        pass

    meminfo = {"MemTotal": 64, "MemFree": 10, "MemAvailable": 50, "Mapped": 4}
    lines = [f"{name}:       {size * _KB_A_GIB} kB" for name, size in meminfo.items()] + [
        "HugePages_Total:  0"
    ]
    files = {machine._MEMORY: lines}
    monkeypatch.setattr(machine, "_lines", lambda path: files.get(path, []))
    monkeypatch.setattr(machine, "ControlGroup", Own)
    monkeypatch.setattr("os.sysconf", {"SC_PHYS_PAGES": 64 * _GIB // 4096, "SC_PAGE_SIZE": 4096}.__getitem__)
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: set(range(16)), raising=False)
    return Own


def test_pages_of_files_are_free_unless_they_are_mapped(group: type[Group]) -> None:
    assert machine.free_memory() == 46 * _GIB
    assert machine.total_memory() == 64 * _GIB


def test_a_container_has_the_memory_of_its_limit(group: type[Group]) -> None:
    group.limits = MemoryLimit(16 * _GIB, 3 * _GIB), MemoryLimit(8 * _GIB, 2 * _GIB)
    assert machine.free_memory() == 6 * _GIB
    assert machine.total_memory() == 8 * _GIB
    group.limits = (MemoryLimit(8 * _GIB, 9 * _GIB),)
    assert machine.free_memory() == 0


def test_a_limit_beyond_the_machine_changes_nothing(group: type[Group]) -> None:
    group.limits = (MemoryLimit(2**63 - 4096, 0),)
    assert machine.free_memory() == 46 * _GIB
    assert machine.total_memory() == 64 * _GIB


def test_mapped_weights_that_are_not_read_yet_are_not_free(
    group: type[Group], monkeypatch: pytest.MonkeyPatch
) -> None:
    group.limits = (MemoryLimit(8 * _GIB, 0),)
    files = {machine._MAPPINGS: _MAPPINGS.splitlines()}
    before = machine._lines
    monkeypatch.setattr(machine, "_lines", lambda path: files.get(path) or before(path))
    assert machine.free_memory() == 8 * _GIB - _GIB * 3 // 4


def test_processors_are_those_of_the_affinity_and_of_the_quota(group: type[Group]) -> None:
    assert machine.num_processors() == 16
    group.quota = 6
    assert machine.num_processors() == 6
    group.quota = 32
    assert machine.num_processors() == 16


def test_this_process_has_memory_and_processors() -> None:
    assert 0 < machine.free_memory() < machine.total_memory()
    assert machine.num_processors() > 0
    assert machine._unread_of_files(machine._lines(Path("/proc/self/smaps"))) >= 0
