from pathlib import Path

import pytest
import torch

from engine.native import cpus


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"cpu.max": "250000 100000\n"}, 3),
        ({"cpu.max": "50000 100000\n"}, 1),
        ({"cpu.max": "max 100000\n"}, None),
        ({"cpu/cpu.cfs_quota_us": "400000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 4),
        ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, None),
        ({}, None),
    ],
)
def test_the_quota_of_a_control_group_is_read_in_both_its_versions(
    files: dict[str, str], expected: int | None, tmp_path: Path
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert cpus._cgroup_cpus(tmp_path) == expected


def test_threads_are_no_more_than_torch_wants_and_the_process_may(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch, "get_num_threads", lambda: 64)
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: set(range(16)), raising=False)
    monkeypatch.setattr(cpus, "_cgroup_cpus", lambda root: 6)
    assert cpus.choose_num_threads() == 6
    monkeypatch.setattr(cpus, "_cgroup_cpus", lambda root: None)
    assert cpus.choose_num_threads() == 16
    monkeypatch.setattr(torch, "get_num_threads", lambda: 3)  # as OMP_NUM_THREADS has it
    assert cpus.choose_num_threads() == 3
