"""`verbatim doctor` prints what each way of computing steps gives here, for a person or as JSON."""

import json
import re

import pytest

from engine.ladder import Ladder
from handlers.cli import main
from handlers.settings.settings import Settings

_FEW = ("--max-batch-size", "2", "--max-batch-total-tokens", "2048")


def test_the_table_has_a_line_for_each_rung_and_the_start_of_the_server(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["doctor", *_FEW]) == 0
    shown = capsys.readouterr()
    lines = [line.strip() for line in shown.out.splitlines()]
    head = next(place for place, line in enumerate(lines) if line.endswith("first token"))
    assert lines[head].split() == ["1", "first", "token"]
    names = [re.split(" {2,}", line)[0] for line in lines[head + 1 :]]
    assert names[:2] == ["bound by memory", "model's own forward"] and names[-1] == "+ launch ahead"
    assert lines[head + 2].endswith(" ms")
    assert lines[1].startswith("model     verbatim-demo") and any(line.startswith("native") for line in lines)
    assert "+ launch ahead ..." in shown.err


def test_as_json_it_has_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json", *_FEW]) == 0
    ladder = json.loads(capsys.readouterr().out)
    assert set(ladder) == set(Ladder.__struct_fields__)
    assert ladder["info"]["model_id"] == Settings().model_source


def test_another_engine_is_not_measured(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERBATIM_ENGINE", "vllm")
    monkeypatch.setenv("VERBATIM_ENGINE_URL", "http://127.0.0.1:1")
    assert main(["doctor"]) == 2
    assert "computes in servers of its own" in capsys.readouterr().err
