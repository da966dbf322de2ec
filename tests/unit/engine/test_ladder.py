"""The ladder measures each way in which a model's steps are computed, and sets up the ways that it names."""

from pathlib import Path
from typing import Any

import pytest

from engine.assembly.paged_parts import PagedParts
from engine.attention.paged_attention import PagedAttention
from engine.build import choose_parts
from engine.config import EngineConfig
from engine.ladder import Ladder, climb, measure
from engine.model.recorded_steps import RecordedSteps
from tests.parity.test_recorded_steps import again
from tests.parity.test_varlen_parity import parts_of
from tests.support.tiny_models.text import save_tiny_model

SHAPE: dict[str, Any] = {"num_kv_blocks": 60, "max_num_sequences": 2, "prefix_caching": False}


def quiet(line: str) -> None:
    """Take a line of progress."""


def check(ladder: Ladder) -> None:
    for rung in ladder.rungs:
        assert rung.first_token_s > 0 and set(rung.tokens_per_s) == {1, 2}
        assert all(number > 0 for number in rung.tokens_per_s.values())
    weights = ladder.info.num_parameters * 4
    assert ladder.bound[2] > ladder.bound[1] > 0
    assert ladder.bound[1] < ladder.bytes_per_s / weights


def test_the_rungs_of_a_cpu(tmp_path: Path) -> None:
    config = EngineConfig(model=str(save_tiny_model(tmp_path)), device="cpu", dtype="float32", **SHAPE)
    ladder = climb(config, quiet, num_prompt_tokens=8, num_sequences=(1, 2, 3, 64))
    names = [rung.name for rung in ladder.rungs]
    assert (names[0], names[-1]) == ("model's own forward", "+ launch ahead")
    check(ladder)


def test_the_rungs_of_a_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An emulation of its kernels answers, and each rung finds in the parts what it names."""
    parts = parts_of(save_tiny_model(tmp_path, "qwen3"), capture=again, **SHAPE)
    found: list[tuple[bool, list[bool], bool]] = []
    core = PagedParts.core

    def noted(parts: PagedParts, *args: Any, runs_ahead: bool, **named: Any) -> Any:
        recorded = parts.runner.recordings
        sizes = recorded.sizes if isinstance(recorded, RecordedSteps) else []
        kinds = sorted({size.most_rows > 1 for size in sizes})
        found.append((parts.attention.attention is not PagedAttention, kinds, runs_ahead))
        return core(parts, *args, runs_ahead=runs_ahead, **named)

    monkeypatch.setattr(PagedParts, "core", noted)
    ladder = measure(parts, quiet, num_prompt_tokens=8, num_sequences=(1, 2))
    assert dict(zip([rung.name for rung in ladder.rungs], found, strict=True)) == {
        "model's own forward": (False, [], False),
        "+ varlen attention": (True, [], False),
        "+ decode graphs": (True, [False], False),
        "+ mixed graphs": (True, [False, True], False),
        "+ launch ahead": (True, [False, True], True),
    }
    check(ladder)


def test_a_model_on_the_fallback_path_has_one_rung(tmp_path: Path) -> None:
    config = EngineConfig(
        model=str(save_tiny_model(tmp_path, "bloom")), device="cpu", dtype="float32", **SHAPE
    )
    ladder = measure(choose_parts(config, quiet), quiet, num_prompt_tokens=8, num_sequences=(1, 2))
    assert [rung.name for rung in ladder.rungs] == ["one sequence after another"]
    check(ladder)
