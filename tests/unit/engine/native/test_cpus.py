import pytest
import torch

from engine.native import cpus


def test_threads_are_no_more_than_torch_wants_and_the_process_may(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch, "get_num_threads", lambda: 64)
    monkeypatch.setattr(cpus, "num_processors", lambda: 6)
    assert cpus.choose_num_threads() == 6
    monkeypatch.setattr(torch, "get_num_threads", lambda: 3)  # as OMP_NUM_THREADS has it
    assert cpus.choose_num_threads() == 3
