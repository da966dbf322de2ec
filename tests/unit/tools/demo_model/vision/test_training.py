"""The stages of training, a few steps of each on little data, and the export of what they give."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
import torch
from torch import Tensor

from tools.demo_model.evaluation import Examinee
from tools.demo_model.recipe import FROM_NOTHING
from tools.demo_model.recipe import REFRESH as TEXT_REFRESH
from tools.demo_model.tokenizer import END_OF_TURN
from tools.demo_model.vision import training as tower
from tools.demo_model.vision.model import IMAGE_TOKEN, NUM_PATCHES, export, new_model, trained_picture_model
from tools.demo_model.vision.questions import later_trials, picture_trials, trials_without_picture
from tools.demo_model.vision.recipe import REFRESH, TEXT, TOWER
from tools.demo_model.vision.training import train_text


@pytest.fixture(autouse=True)
def little_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is compiled, which takes minutes, and batches are small."""
    monkeypatch.setattr(torch, "compile", lambda function, **_: function)
    monkeypatch.setattr(tower, "PICTURES_A_TOWER_BATCH", 2)


def trained_tower(directory: Path) -> dict[str, Tensor]:
    checkpoint = tower.train_tower(new_model(), directory, replace(TOWER, num_steps=2), None)
    state: dict[str, Tensor] = torch.load(checkpoint, weights_only=True)["model"]
    return state


def trained_text(directory: Path) -> dict[str, Tensor]:
    (blend,) = TEXT.curriculum
    schedule = replace(TEXT, num_steps=2, curriculum=(replace(blend, num_rows=2),))
    checkpoint = train_text(new_model(), directory, schedule, None)
    state: dict[str, Tensor] = torch.load(checkpoint, weights_only=True)["model"]
    return state


def test_the_first_stage_trains_the_tower_the_same_way_each_time(tmp_path: Path) -> None:
    first, second = (trained_tower(tmp_path / name) for name in ("first", "second"))
    assert all(torch.equal(first[name], second[name]) for name in first)
    fresh = tower.Labeller(new_model()).state_dict()
    unread = {"reader.tower.post_layernorm.weight", "reader.tower.post_layernorm.bias"}
    assert {name for name in fresh if torch.equal(first[name], fresh[name])} <= unread


@pytest.mark.long
def test_the_second_stage_trains_the_text_model_and_leaves_the_reader_of_pictures(tmp_path: Path) -> None:
    first, second = (trained_text(tmp_path / name) for name in ("first", "second"))
    assert all(torch.equal(first[name], second[name]) for name in first)
    fresh = new_model().state_dict()
    unchanged = {name for name in fresh if torch.equal(first[name], fresh[name])}
    reader = ("model.vision_tower.", "model.multi_modal_projector.")
    assert unchanged == {name for name in fresh if name.startswith(reader)}


def test_the_stages_read_other_data_than_each_other_and_than_the_text_model() -> None:
    runs = [FROM_NOTHING, TEXT_REFRESH, TOWER, TEXT, REFRESH]
    for run, after in pairwise(sorted(runs, key=lambda each: each.first_seed)):
        assert run.first_seed + run.num_steps <= after.first_seed


def test_an_exported_checkpoint_answers_in_transformers(tmp_path: Path) -> None:
    model = new_model()
    torch.save({"model": model.state_dict()}, tmp_path / "step.pt")
    export(tmp_path / "step.pt", tmp_path / "exported")
    examinee = Examinee(tmp_path / "exported")
    trials = [*picture_trials("count", 2, thinking=True), *later_trials(2), *trials_without_picture(1)]
    assert len(examinee.replies(trials)) == len(trials)
    assert examinee.processor.tokenizer.eos_token == END_OF_TURN
    for trial in trials:
        prompt = examinee.inputs([trial])
        image_token_id = examinee.processor.tokenizer.convert_tokens_to_ids(IMAGE_TOKEN)
        assert prompt["input_ids"].eq(image_token_id).sum() == NUM_PATCHES * len(trial.pictures)


def test_the_third_stage_goes_on_from_exported_weights(tmp_path: Path) -> None:
    model = new_model()
    torch.save({"model": model.state_dict()}, tmp_path / "step.pt")
    export(tmp_path / "step.pt", tmp_path / "exported")
    wanted = {name: weight.bfloat16().float() for name, weight in model.state_dict().items()}
    exported = trained_picture_model(tmp_path / "exported").state_dict()
    assert exported.keys() == wanted.keys()
    assert all(torch.equal(exported[name], wanted[name]) for name in wanted)
