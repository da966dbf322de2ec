"""Tests `verbatim bench` with a server whose times and counts are known."""

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from aiohttp import web

from handlers.commands import verbatim
from handlers.commands.bench.client import Unusable
from handlers.commands.bench.command import bench
from tests.support.servers.scripted_app import scripted_app

TOKENS_OF_TEMPLATE, TOKENS_OF_WORD = 7, 3
FIRST_S, GAP_S = 0.05, 0.01


class Server:
    """Answers with events of two tokens at known times."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.refused: tuple[str, ...] = ()
        self.fails_after: int | None = None
        self.num_running = self.most_running = 0

    async def answer(self, request: web.Request) -> web.StreamResponse:
        if request.method == "GET":
            return web.json_response({"data": [{"id": "the-model"}]})
        body = await request.json()
        if any(name in body for name in self.refused):
            return web.json_response({"error": "unknown field"}, status=400)
        self.bodies.append(body)
        if self.fails_after is not None and len(self.bodies) > self.fails_after:
            return web.Response(status=503, text="too busy")
        self.num_running += 1
        self.most_running = max(self.most_running, self.num_running)
        try:
            return await self._stream(request, body)
        finally:
            self.num_running -= 1

    async def _stream(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        await response.write(b'data: {"choices": [{"delta": {"role": "assistant", "content": ""}}]}\n\n')
        await asyncio.sleep(FIRST_S)
        for index in range(body["max_tokens"] // 2):
            await asyncio.sleep(GAP_S if index else 0)
            await response.write(b': a comment\n\ndata: {"choices": [{"delta": {"content": "ab"}}]}\n\n')
        if "stream_options" in body:
            words = len(body["messages"][0]["content"].split())
            usage = {"prompt_tokens": TOKENS_OF_TEMPLATE + TOKENS_OF_WORD * words}
            usage["completion_tokens"] = body["max_tokens"]
            await response.write(f"data: {json.dumps({'choices': [], 'usage': usage})}\n\n".encode())
        await response.write(b"data: [DONE]\n\n")
        return response


async def measured(
    server: Server, folder: Path, capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[bool, dict[str, Any], str]:
    """Return whether requests failed, the JSON file, and what was printed."""
    report = folder / "report.json"
    async with scripted_app(server.answer) as url:
        options = verbatim._parser().parse_args(
            ["bench", "--base-url", f"{url}/v1", "--json", str(report), *arguments]
        )
        has_failed = await bench(options)
    return has_failed, json.loads(report.read_text()), capsys.readouterr().out


async def test_times_counts_and_concurrency_are_the_servers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server, page = Server(), tmp_path / "page.html"
    has_failed, report, shown = await measured(
        server, tmp_path, capsys, "--concurrency", "1", "3", "--requests", "6",
        "--prompt-tokens", "100", "--output-tokens", "8", "--html", str(page),
    )  # fmt: skip
    assert not has_failed and report["model"] == "the-model" and server.most_running == 3
    assert len({body["messages"][0]["content"] for body in server.bodies}) == len(server.bodies)
    assert all(body["ignore_eos"] for body in server.bodies)
    for load, name in zip(report["loads"], ("concurrency 1", "concurrency 3"), strict=True):
        figures = load["figures"]
        assert load["load"] == name and name in shown and len(load["requests"]) == 6
        assert figures["prompt tokens"]["mean"] == pytest.approx(100, abs=TOKENS_OF_WORD)
        assert figures["output tokens"]["mean"] == 8
        for figure, least_ms in (
            ("TTFT, ms", FIRST_S * 1e3),
            ("ITL, ms", GAP_S * 1e3),
            ("TPOT, ms", GAP_S * 3 / 7 * 1e3),  # four events of eight tokens
            ("end to end, ms", (FIRST_S + 3 * GAP_S) * 1e3),
        ):
            # Times are never less than the server's, but for its timers; on a busy machine they may be more.
            assert 0.95 * least_ms <= figures[figure]["p50"] <= 4 * least_ms, figure
        assert load["output tokens/s"] == pytest.approx(48 / load["seconds"])
    html = page.read_text()
    assert "http" not in html.replace("http://127.0.0.1", "") and "<script" not in html
    plots = [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", html, re.DOTALL)]
    assert [len(plot.findall("polyline")) for plot in plots] == [2, 2, 2, 2]


async def test_requests_arrive_at_the_rate_whatever_still_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = Server()
    _, report, _ = await measured(
        server, tmp_path, capsys, "--rate", "100", "--duration", "0.5", "--output-tokens", "2", "--seed", "1"
    )
    (load,) = report["loads"]
    assert 35 <= len(load["requests"]) <= 65  # 50, of which the standard deviation is 7
    assert server.most_running > 1


async def test_fields_that_the_server_refuses_are_left_out_and_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = Server()
    server.refused = ("ignore_eos", "stream_options")
    _, report, _ = await measured(server, tmp_path, capsys, "--requests", "1", "--output-tokens", "8")
    assert report["notes"].split("; ") == [
        "the server refuses ignore_eos",
        "the server refuses stream_options",
        "the server does not count tokens: a word and an event are taken for one each",
    ]
    assert report["loads"][0]["figures"]["output tokens"]["mean"] == 4  # events


async def test_failures_are_counted_by_error_and_kept_out_of_latencies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = Server()
    server.fails_after = 7
    has_failed, report, shown = await measured(
        server, tmp_path, capsys, "--requests", "6", "--output-tokens", "2"
    )
    (load,) = report["loads"]
    assert has_failed and load["errors"] == {"503 too busy": 4}
    assert "4 times: 503 too busy" in shown and load["figures"]["TTFT, ms"]["p50"] >= 45


async def test_a_server_that_cannot_be_measured_is_said_to_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = Server()
    server.fails_after = 0
    with pytest.raises(Unusable, match="503 too busy"):
        await measured(server, tmp_path, capsys)


def test_a_server_that_does_not_answer_ends_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert verbatim.run(["bench", "--base-url", "http://127.0.0.1:9"]) == 2
    assert "does not list a model" in capsys.readouterr().err


def test_neither_command_loads_torch_or_the_server() -> None:
    code = (
        "import sys, handlers.commands.bench.command, handlers.commands.top.screen\n"
        "print(sorted({'torch', 'fastapi', 'engine', 'generated'} & set(sys.modules)))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"
