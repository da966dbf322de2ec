"""A wrong value in config.json is refused in one line, the same by `check`, or computed as by transformers.

`make test` tries a few of the values of three families, `make test-long SHORT=1` of seven others, and
`make test-long` all of all fields.
"""

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from tests.support.selection.effort import IS_WHOLE
from tests.support.tiny_models.text import save_tiny_model

FAMILIES: Final = (
    "llama", "qwen2", "qwen3_moe", "mistral", "gemma3", "gemma4", "llama4", "gpt_oss", "deepseek_v3",
    "qwen3_next",
)  # fmt: skip
VALUES: Final[tuple[Any, ...]] = (0, -1, 2**31, None, "many", math.nan)
# Of no meaning for the tokens of a model, or no part of it.
_LEFT_OUT: Final = frozenset(
    {"architectures", "dtype", "transformers_version", "_name_or_path", "id2label", "label2id", "use_cache"}
)
_NUM_TRIED: Final = 2  # of a family in a short run
# Those that did harm, in every run: a dead process, a traceback, and no answer.
_KNOWN: Final[dict[str, tuple[tuple[str, Any], ...]]] = {
    "gemma3": (
        ("sliding_window", 0),
        ("sliding_window", -1),
        ("sliding_window", None),
        ("query_pre_attn_scalar", -16),
    ),
    "deepseek_v3": (("n_group", None), ("n_group", 0), ("num_nextn_predict_layers", "many")),
    "llama4": (("attention_chunk_size", -1), ("attention_chunk_size", 0), ("num_hidden_layers", 2**31)),
}


def _paths(config: dict[str, Any], before: tuple[str, ...] = ()) -> Iterator[list[str]]:
    for name, value in config.items():
        if name not in _LEFT_OUT:
            yield [*before, name]
            if isinstance(value, dict):
                yield from _paths(value, (*before, name))


def _cases(family: str, config: dict[str, Any]) -> list[tuple[list[str], Any]]:
    found = [(path, value) for path in _paths(config) for value in VALUES]
    if IS_WHOLE:
        return found
    known = [([name], value) for name, value in _KNOWN.get(family, ())]
    return [*known, *Random(family).sample(found, _NUM_TRIED)]


class _Trials:
    """A process that tries cases, started again after one that it died of."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def judge(self, directory: Path, path: list[str], value: Any) -> str:
        process = self._process or subprocess.Popen(
            [sys.executable, "-m", "tests.parity.configs.trial"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
        )
        self._process = process
        assert process.stdin and process.stdout
        process.stdin.write(json.dumps({"directory": str(directory), "path": path, "value": value}) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if line:
            return str(json.loads(line))
        self.close()
        return f"WRONG: the process ended with {process.returncode}"

    def close(self) -> None:
        if self._process is not None:
            assert self._process.stdin and self._process.stdout
            self._process.stdin.close()
            self._process.stdout.close()
            self._process.wait()
            self._process = None


@pytest.fixture(scope="module")
def trials() -> Iterator[_Trials]:
    made = _Trials()
    yield made
    made.close()


@pytest.mark.timeout(3600 if IS_WHOLE else 120)
@pytest.mark.parametrize(
    "family",
    [name if name in _KNOWN else pytest.param(name, marks=pytest.mark.long) for name in FAMILIES],
)
def test_a_wrong_value_is_refused_in_one_line_or_computed_as_transformers_does(
    family: str, trials: _Trials, tmp_path: Path
) -> None:
    directory = save_tiny_model(tmp_path / family, family, has_end_token=False)
    config = json.loads((directory / "config.json").read_text())
    (directory / "config.json").rename(directory / "whole.json")
    wrong = {
        f"{'.'.join(path)}={value}": verdict
        for path, value in _cases(family, config)
        if not (verdict := trials.judge(directory, path, value)).startswith(("served", "refused"))
    }
    assert not wrong, "\n".join(f"{case}: {verdict}" for case, verdict in wrong.items())
