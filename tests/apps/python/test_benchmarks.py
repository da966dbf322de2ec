"""Benchmark tools, each run from its own environment against the embedded model, and what they report.

Their reports have the requests that they sent, of which `VERBATIM_RECORD` writes one for each API.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from engine.demo_model import DEMO_MODEL
from tests.apps.python.environments import run_program
from tests.apps.recorder import Received, record

_MODEL: Final = "verbatim-demo"
_NUM_REQUESTS: Final = 4
_NUM_PROMPT_TOKENS: Final = 30
_NUM_TOKENS: Final = 16
_IGNORE_END: Final = ("--extra-inputs", "ignore_eos:true")


class _Api(NamedTuple):
    """An API that aiperf measures, with further options of its own."""

    name: str
    path: str
    options: Sequence[str]
    contract: str = "openai"


_APIS: Final = [
    _Api("chat", "/v1/chat/completions", ("--streaming", *_IGNORE_END)),
    _Api("completions", "/v1/completions", ("--streaming", *_IGNORE_END)),
    _Api("messages", "/v1/messages", ("--streaming",), contract="anthropic"),
]


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/completions", "/v1/responses"])
def test_guidellm_counts_every_token_and_no_error(tmp_path: Path, server_url: str, path: str) -> None:
    report = tmp_path / "report.json"
    data = f"kind=synthetic_text,prompt_tokens={_NUM_PROMPT_TOKENS},output_tokens={_NUM_TOKENS}"
    ended = run_program(
        "guidellm",
        *("guidellm", "run", "--disable-progress"),
        *("--backend", f"kind=openai_http,target={server_url},request_format={path}"),
        *("--profile", "kind=concurrent,streams=2"),
        *("--constraint", f"kind=max_requests,count={_NUM_REQUESTS}"),
        *("--tokenizer", f"kind=hf_auto,model={DEMO_MODEL}"),
        *("--data", data),
        *("--output", f"kind=json,path={report}"),
        home=tmp_path,
        folder=tmp_path,
        # Once all requests have ended, it waits so long for its processes' reports of them, and loses those
        # that come later: by default 0.1 s, which on a busy machine loses the last request.
        GUIDELLM__MP_POLL_INTERVAL="5",
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (benchmark,) = json.loads(report.read_text())["benchmarks"]
    requests = benchmark["requests"]
    assert not requests["errored"] and not requests["incomplete"], requests
    bodies = [json.loads(request["request_args"])["body"] for request in requests["successful"]]
    assert len(bodies) == _NUM_REQUESTS
    for request, body in zip(requests["successful"], bodies, strict=True):
        assert request["output_tokens"] == _NUM_TOKENS
        num_template_tokens = request["prompt_tokens"] - _NUM_PROMPT_TOKENS
        assert num_template_tokens == 0 if "prompt" in body else num_template_tokens > 0
    _record("guidellm 0.8.1", path, "openai", bodies)


@pytest.mark.parametrize("api", _APIS, ids=lambda api: api.name)
def test_aiperf_counts_every_token_and_no_error(tmp_path: Path, server_url: str, api: _Api) -> None:
    report, exchanges = _run_aiperf(tmp_path, server_url, api)
    # The server's counts: aiperf's own are of texts, whose tokens need not be those that were sampled.
    assert report["usage_completion_tokens"]["max"] == _NUM_TOKENS
    if "ignore_eos:true" in api.options:
        assert report["usage_completion_tokens"]["min"] == _NUM_TOKENS
    assert report["time_to_first_token"]["count"] == _NUM_REQUESTS
    if api.name == "completions":  # aiperf counts a prompt without the chat template's tokens
        assert report["usage_prompt_tokens_diff_pct"]["max"] == 0
    _record("aiperf 0.13.0", api.path, api.contract, [exchange["payload"] for exchange in exchanges])


def test_aiperf_measures_responses(tmp_path: Path, server_url: str) -> None:
    """It reads the usage of `response.completed` alone, and answers cut off at their length end otherwise."""
    options = ("--streaming", "--use-server-token-count", *_IGNORE_END)
    report, exchanges = _run_aiperf(tmp_path, server_url, _Api("responses", "/v1/responses", options))
    assert report["time_to_first_token"]["count"] == _NUM_REQUESTS
    for exchange in exchanges:
        last = json.loads(exchange["responses"][-1]["packets"][-1]["value"])
        assert last["type"] == "response.incomplete"
        assert last["response"]["usage"]["output_tokens"] == _NUM_TOKENS
    _record("aiperf 0.13.0", "/v1/responses", "openai", [exchange["payload"] for exchange in exchanges])


def _run_aiperf(home: Path, url: str, api: _Api) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return aiperf's report, and each exchange whole; all requests must have been answered."""
    _cache_tokenizer(home)
    folder = home / "aiperf"
    ended = run_program(
        "aiperf",
        *("aiperf", "profile", "--ui", "none", "--no-gpu-telemetry"),
        *("--workers-max", "1", "--record-processors", "1", "--concurrency", "2"),
        *("--url", url, "--endpoint-type", api.name, "--model", _MODEL, "--tokenizer", _MODEL),
        *("--request-count", str(_NUM_REQUESTS), "--isl", str(_NUM_PROMPT_TOKENS), "--osl", str(_NUM_TOKENS)),
        *("--artifact-dir", str(folder), "--export-level", "raw"),
        *api.options,
        home=home,
        folder=home,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    report: dict[str, Any] = json.loads((folder / "profile_export_aiperf.json").read_text())
    assert report["is_complete"] and report["error_summary"] == []
    assert report["request_count"]["avg"] == _NUM_REQUESTS
    assert report["request_error_rate"]["avg"] == 0
    lines = (folder / "profile_export_raw.jsonl").read_text().splitlines()
    assert len(lines) == _NUM_REQUESTS
    return report, [json.loads(line) for line in lines]


def _cache_tokenizer(home: Path) -> None:
    """Put the embedded model where aiperf looks for it by name: the hub's cache, all that it asks offline."""
    revision = "0" * 40
    model = home / ".cache" / "huggingface" / "hub" / f"models--{_MODEL}"
    for name in ("refs", "snapshots"):
        (model / name).mkdir(parents=True)
    (model / "refs" / "main").write_text(revision)
    (model / "snapshots" / revision).symlink_to(DEMO_MODEL)


def _record(program: str, path: str, contract: str, bodies: Sequence[dict[str, Any]]) -> None:
    """Record the first of a program's requests, which differ in their words alone."""
    file = f"{program.partition(' ')[0]}_{path.rpartition('/v1/')[2].replace('/', '_')}.json"
    record(file, program, [Received("POST", path, 200, bodies[0])], contract=contract, replaced={})
