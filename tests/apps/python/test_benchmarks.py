"""Benchmark tools, each run from its own environment against the embedded model."""

import json
from pathlib import Path
from typing import Final

import pytest

from engine.demo_model import DEMO_MODEL
from tests.apps.python.environments import run_program
from tests.conftest import running_server

_LIMIT_S: Final = 800
_NUM_TOKENS: Final = 16  # of each answer, however soon the model would end it


@pytest.mark.timeout(900)
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/completions", "/v1/responses"])
def test_guidellm_counts_every_token_and_no_error(tmp_path: Path, path: str) -> None:
    report = tmp_path / "report.json"
    with running_server() as server:
        ended = run_program(
            "guidellm",
            *("guidellm", "run", "--disable-progress"),
            *("--backend", f"kind=openai_http,target={server.url},request_format={path}"),
            *("--profile", "kind=concurrent,streams=2", "--constraint", "kind=max_requests,count=4"),
            *("--tokenizer", f"kind=hf_auto,model={DEMO_MODEL}"),
            *("--data", f"kind=synthetic_text,prompt_tokens=30,output_tokens={_NUM_TOKENS}"),
            *("--output", f"kind=json,path={report}"),
            home=tmp_path,
            folder=tmp_path,
            limit_s=_LIMIT_S,
        )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (benchmark,) = json.loads(report.read_text())["benchmarks"]
    requests = benchmark["requests"]
    assert not requests["errored"] and len(requests["successful"]) >= 2
    for request in requests["successful"]:
        assert request["output_tokens"] == _NUM_TOKENS
        assert request["prompt_tokens"] >= 30
