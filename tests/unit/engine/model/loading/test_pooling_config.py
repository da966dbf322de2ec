import json
from pathlib import Path
from typing import Any

import pytest

from engine.build import build_core
from engine.config import EngineConfig
from engine.model.loading.pooling_config import find_own_pooling
from engine.port.errors import ModelNotSupported
from engine.port.request import Pooling
from tests.support.tiny_models.text import save_tiny_model

# As sentence-transformers up to version 5.2 writes it.
FLAGS = {
    "word_embedding_dimension": 48,
    "pooling_mode_cls_token": False,
    "pooling_mode_mean_tokens": False,
    "pooling_mode_max_tokens": False,
    "pooling_mode_mean_sqrt_len_tokens": False,
    "pooling_mode_weightedmean_tokens": False,
    "pooling_mode_lasttoken": False,
    "include_prompt": True,
}


def write(directory: Path, config: Any) -> Path:
    (directory / "1_Pooling").mkdir()
    (directory / "1_Pooling" / "config.json").write_text(
        config if isinstance(config, str) else json.dumps(config)
    )
    return directory


@pytest.mark.parametrize(
    ("config", "pooling", "told"),
    [
        (FLAGS | {"pooling_mode_mean_tokens": True}, Pooling.MEAN, ""),
        (FLAGS | {"pooling_mode_lasttoken": True}, Pooling.LAST, ""),
        (FLAGS | {"pooling_mode_cls_token": True}, None, "cls"),
        (
            FLAGS | {"pooling_mode_mean_tokens": True, "pooling_mode_lasttoken": True},
            None,
            "mean, lasttoken",
        ),
        (FLAGS, None, ""),
        ({"embedding_dimension": 48, "pooling_mode": "mean"}, Pooling.MEAN, ""),
        ({"embedding_dimension": 48, "pooling_mode": "lasttoken"}, Pooling.LAST, ""),
        ({"pooling_mode": ["mean"]}, Pooling.MEAN, ""),
        ({"pooling_mode": "weightedmean"}, None, "weightedmean"),
    ],
)
def test_the_models_own_pooling_is_read_and_one_that_is_not_served_is_told(
    tmp_path: Path, config: Any, pooling: Pooling | None, told: str
) -> None:
    lines: list[str] = []
    assert find_own_pooling(write(tmp_path, config), lines.append) is pooling
    assert [line.rpartition(": ")[2] for line in lines] == ([told] if told else [])


def test_a_model_that_says_nothing_of_embeddings_has_no_pooling_of_its_own(tmp_path: Path) -> None:
    assert find_own_pooling(tmp_path, pytest.fail) is None


def test_a_layer_of_the_models_own_that_is_left_out_is_told(tmp_path: Path) -> None:
    (tmp_path / "2_Dense").mkdir()
    lines: list[str] = []
    find_own_pooling(tmp_path, lines.append)
    assert lines == ["the model's own layer for embeddings is not applied: 2_Dense"]


@pytest.mark.parametrize("text", ["", "[]", "{"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(ModelNotSupported, match="1_Pooling"):
        find_own_pooling(write(tmp_path, text), pytest.fail)


def test_a_loaded_model_tells_its_pooling_and_the_size_of_its_vectors(tmp_path: Path) -> None:
    directory = write(save_tiny_model(tmp_path), FLAGS | {"pooling_mode_lasttoken": True})
    info = build_core(EngineConfig(model=str(directory), device="cpu"), lambda line: None).info
    assert (info.pooling, info.hidden_size) == (Pooling.LAST, 48)
