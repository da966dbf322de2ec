"""The weighted mean of exported models."""

import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from tools.demo_model.training import WEIGHTS_FILE, Part, average


def _model(directory: Path, **weights: torch.Tensor) -> Path:
    directory.mkdir()
    save_file(weights, directory / WEIGHTS_FILE, metadata={"format": "pt"})
    return directory


def test_each_weight_is_the_mean_by_share(tmp_path: Path) -> None:
    one = _model(tmp_path / "one", norm=torch.tensor([0.0, 4.0], dtype=torch.bfloat16))
    two = _model(tmp_path / "two", norm=torch.tensor([8.0, 0.0], dtype=torch.bfloat16))
    to = tmp_path / "mean"
    shutil.copytree(one, to)
    average([Part(one, 0.75), Part(two, 0.25)], to)
    assert load_file(to / WEIGHTS_FILE)["norm"].tolist() == [2.0, 3.0]
    assert load_file(to / WEIGHTS_FILE)["norm"].dtype == torch.bfloat16
    assert load_file(one / WEIGHTS_FILE)["norm"].tolist() == [0.0, 4.0]


def test_a_model_may_be_replaced_by_a_mean_that_it_is_part_of(tmp_path: Path) -> None:
    one = _model(tmp_path / "one", norm=torch.tensor([2.0]))
    two = _model(tmp_path / "two", norm=torch.tensor([4.0]))
    average([Part(one, 0.5), Part(two, 0.5)], one)
    assert load_file(one / WEIGHTS_FILE)["norm"].tolist() == [3.0]


def test_shares_that_do_not_sum_to_one_are_refused(tmp_path: Path) -> None:
    one = _model(tmp_path / "one", norm=torch.tensor([2.0]))
    with pytest.raises(ValueError, match="sum to 1"):
        average([Part(one, 0.5)], one)


@pytest.mark.parametrize("other", [{"norm": torch.zeros(3)}, {"head": torch.zeros(2)}])
def test_models_of_different_shapes_are_refused(tmp_path: Path, other: dict[str, torch.Tensor]) -> None:
    one = _model(tmp_path / "one", norm=torch.zeros(2))
    two = _model(tmp_path / "two", **other)
    with pytest.raises(ValueError, match="names or shapes"):
        average([Part(one, 0.5), Part(two, 0.5)], one)
