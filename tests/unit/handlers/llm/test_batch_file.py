"""`verbatim run-batch`: all lines are answered once, whenever the command is killed."""

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import COMMAND

MODEL = "verbatim-demo"


def line(name: str, url: str = "/v1/completions", **body: Any) -> dict[str, Any]:
    return {"custom_id": name, "method": "POST", "url": url, "body": {"model": MODEL, **body}}


def written(path: Path, *lines: object) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    return path


def command(source: Path, target: Path) -> list[str]:
    limits = ("--max-total-tokens", "128", "--max-concurrent-requests", "4")
    return [str(COMMAND), "run-batch", str(source), MODEL, "-o", str(target), *limits]


def run(source: Path, target: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command(source, target), capture_output=True, text=True, timeout=300, check=False)


def answers(path: Path) -> dict[str, Any]:
    found = [json.loads(one) for one in path.read_bytes().splitlines()]
    by_name = {one["custom_id"]: one for one in found}
    assert len(by_name) == len(found)
    return by_name


@pytest.mark.timeout(600)
def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    names = [f"line {at}" for at in range(40)]
    lines = [line(name, prompt="Hello", max_tokens=40, ignore_eos=True) for name in names]
    source, target = (
        written(tmp_path / "in", *lines, line("wrong"), line("e", "/v1/embeddings", input="a")),
        tmp_path / "out",
    )
    with subprocess.Popen(
        command(source, target), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    ) as killed:
        while killed.poll() is None and (not target.exists() or target.read_bytes().count(b"\n") < 5):
            time.sleep(0.01)
        killed.kill()
    before = target.read_bytes()
    num_before = before.count(b"\n")
    assert 5 <= num_before < 42
    target.write_bytes(before + b'{"id": "batch_req')
    ran = run(source, target)
    assert ran.returncode == 0, ran.stderr
    assert "42/42" in ran.stderr and f"{num_before}/42" in ran.stderr
    assert target.read_bytes().startswith(before)
    found = answers(target)
    assert found.keys() == {*names, "wrong", "e"}
    assert found["wrong"]["response"]["status_code"] == 400
    assert found["e"]["response"]["body"]["object"] == "list"
    assert all(found[name]["response"]["body"]["usage"]["completion_tokens"] == 40 for name in names)
    again = target.read_bytes()
    assert run(source, target).returncode == 0
    assert target.read_bytes() == again


def test_what_is_no_batch_is_refused_by_line(tmp_path: Path) -> None:
    source = written(tmp_path / "in", line("a", prompt="x"), line("a", prompt="x"), line("b", "/v1/other"))
    ran = run(source, tmp_path / "out")
    assert ran.returncode == 2
    assert f"{source}, line 2: The custom_id 'a' is that of another line." in ran.stderr
    assert f"{source}, line 3: 'url' must be /v1/responses or" in ran.stderr
    assert not (tmp_path / "out").exists()
    source = written(tmp_path / "in", line("a", prompt="x"))
    other = written(tmp_path / "other", {"text": "mine"})
    ran = run(source, other)
    assert ran.returncode == 2 and f"{other}, line 1: it is no answer of a batch" in ran.stderr
    assert json.loads(other.read_text()) == {"text": "mine"}
    assert run(tmp_path / "none", tmp_path / "out").returncode == 2
