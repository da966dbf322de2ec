"""A process knows the limits of its control group, in both versions, and of the groups around it."""

from pathlib import Path

import pytest

from engine.host.control_group import ControlGroup, MemoryLimit

_GIB = 2**30
_UNLIMITED = "9223372036854771712\n"  # of version 1


def group(folder: Path, files: dict[str, str], membership: str = "") -> ControlGroup:
    """Return the group of a process whose machine has these files under /sys/fs/cgroup."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "membership").write_text(membership)
    return ControlGroup(folder, folder / "membership")


@pytest.mark.parametrize(
    ("files", "membership", "expected"),
    [
        ({"cpu.max": "250000 100000\n"}, "0::/\n", 3),
        ({"cpu.max": "50000 100000\n"}, "0::/\n", 1),
        ({"cpu.max": "max 100000\n"}, "0::/\n", None),
        ({"a/cpu.max": "400000 100000\n", "a/b/cpu.max": "max 100000\n"}, "0::/a/b\n", 4),
        ({"a/cpu.max": "200000 100000\n", "a/b/cpu.max": "400000 100000\n"}, "0::/a/b\n", 2),
        ({"cpu.max": "200000 100000\n"}, "0::/../../kubepods/pod1\n", 2),  # a path that is not seen here
        ({"cpu/cpu.cfs_quota_us": "400000\n", "cpu/cpu.cfs_period_us": "100000\n"}, "", 4),
        (
            {"cpu/x/cpu.cfs_quota_us": "150000\n", "cpu/x/cpu.cfs_period_us": "100000\n"},
            "2:cpu,cpuacct:/x",
            2,
        ),
        ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, "", None),
        ({"cpu.max": "nonsense\n"}, "0::/\n", None),
        ({}, "", None),
    ],
)
def test_the_quota_of_processors_is_read(
    files: dict[str, str], membership: str, expected: int | None, tmp_path: Path
) -> None:
    assert group(tmp_path, files, membership).num_processors() == expected


def test_files_that_no_process_has_mapped_use_no_memory(tmp_path: Path) -> None:
    statistics = f"anon 1\nfile_mapped {_GIB}\ninactive_file {2 * _GIB}\nactive_file {3 * _GIB}\n"
    files = {"memory.max": f"{8 * _GIB}\n", "memory.current": f"{7 * _GIB}\n", "memory.stat": statistics}
    assert group(tmp_path, files, "0::/").memory_limits() == [MemoryLimit(8 * _GIB, 3 * _GIB)]


def test_the_lower_of_the_limits_and_of_the_groups_around_holds(tmp_path: Path) -> None:
    files = {
        "a/memory.max": f"{8 * _GIB}\n",
        "a/memory.high": f"{6 * _GIB}\n",
        "a/memory.current": f"{5 * _GIB}\n",
        "a/b/memory.max": "max\n",
        "a/b/memory.high": "max\n",
        "a/b/memory.current": f"{2 * _GIB}\n",
        "a/c/memory.max": f"{_GIB}\n",  # of somebody else
        "a/c/memory.current": "0\n",
    }
    assert group(tmp_path, files, "0::/a/b").memory_limits() == [MemoryLimit(6 * _GIB, 5 * _GIB)]


def test_version_1_counts_the_groups_inside(tmp_path: Path) -> None:
    statistics = f"inactive_file 7\ntotal_inactive_file {_GIB}\ntotal_active_file 0\ntotal_mapped_file 0\n"
    files = {
        "memory/memory.limit_in_bytes": _UNLIMITED,
        "memory/memory.usage_in_bytes": f"{4 * _GIB}\n",
        "memory/docker/memory.limit_in_bytes": f"{3 * _GIB}\n",
        "memory/docker/memory.usage_in_bytes": f"{2 * _GIB}\n",
        "memory/docker/memory.stat": statistics,
    }
    limits = group(tmp_path, files, "4:memory:/docker\n0::/\n").memory_limits()
    assert limits == [MemoryLimit(int(_UNLIMITED), 4 * _GIB), MemoryLimit(3 * _GIB, _GIB)]


@pytest.mark.parametrize(
    "files", [{}, {"memory.max": "max\n"}, {"memory.max": "1\n"}, {"memory.max": "x y\n"}]
)
def test_what_cannot_be_read_limits_no_memory(files: dict[str, str], tmp_path: Path) -> None:
    assert group(tmp_path, files, "0::/").memory_limits() == []
