"""Tests `verbatim top` by textual's own pilot, with metrics that a test writes."""

import asyncio
import html
import re
from collections.abc import Callable

import pytest
from aiohttp import web
from textual.pilot import Pilot

from handlers.commands import verbatim
from handlers.commands.top.scrape import Scrape, increase, quantile
from handlers.commands.top.screen import Top
from tests.support.servers.scripted_app import scripted_app

METRICS = """
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{{model_name="m"}} 3
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{{model_name="m"}} 17
# TYPE vllm:kv_cache_usage_perc gauge
vllm:kv_cache_usage_perc{{model_name="m"}} 0.375
# TYPE vllm:generation_tokens_total counter
vllm:generation_tokens_total{{model_name="m"}} {tokens}
# TYPE verbatim_request_errors counter
verbatim_request_errors{{contract="openai",error="Overloaded"}} 5
verbatim_request_errors{{contract="tgi",error="Overloaded"}} 6
verbatim_request_errors{{contract="tgi",error="NotFound"}} 0
# TYPE tgi_batch_next_size histogram
tgi_batch_next_size_bucket{{le="+Inf"}} {steps}
tgi_batch_next_size_sum {sequences}
tgi_batch_next_size_count {steps}
# TYPE vllm:time_to_first_token_seconds histogram
vllm:time_to_first_token_seconds_bucket{{le="0.1"}} {fast}
vllm:time_to_first_token_seconds_bucket{{le="0.2"}} {all}
vllm:time_to_first_token_seconds_bucket{{le="+Inf"}} {all}
vllm:time_to_first_token_seconds_sum 1
vllm:time_to_first_token_seconds_count {all}
"""


def metrics(k: int) -> str:
    """Return the k-th scrape: each second has 1000 tokens, 10 steps of 25 sequences and two requests."""
    return METRICS.format(tokens=1000 * k, steps=10 * k, sequences=25 * k, fast=k, all=2 * k)


class Server:
    """Counts up with each scrape."""

    num_scrapes = 0

    async def answer(self, request: web.Request) -> web.StreamResponse:
        assert request.path == "/metrics" and request.headers["authorization"] == "Bearer k"
        self.num_scrapes += 1
        return web.Response(text=metrics(self.num_scrapes))


async def shows(pilot: Pilot[None], is_shown: Callable[[str], bool]) -> str:
    """Wait until the screen shows something, and return its text."""
    for _ in range(200):
        texts = re.findall(r"<text [^>]*>([^<]*)", pilot.app.export_screenshot())
        picture = html.unescape("".join(texts)).replace("\xa0", " ")
        if is_shown(picture):
            return picture
        await asyncio.sleep(0.01)
    raise AssertionError(picture)


async def test_the_screen_shows_the_metrics_and_a_server_that_comes_and_goes() -> None:
    server = Server()
    async with scripted_app(server.answer) as url:
        app = Top(f"{url}/v1", "k", period_s=0.02)
    port = int(url.rpartition(":")[2])
    async with app.run_test(size=(90, 40)) as pilot:
        await shows(pilot, lambda picture: "is down" in picture)
        assert app.screen.has_class("down")
        async with scripted_app(server.answer, port):
            picture = await shows(pilot, lambda picture: "is up" in picture and "198" in picture)
            assert not app.screen.has_class("down")
            for text in ("17", "37.5", "2.5", "Overloaded", "11", "100", "180", "█"):
                assert text in picture, text
            assert "NotFound" not in picture
        await shows(pilot, lambda picture: "is down" in picture)
        server.num_scrapes = 0  # the next one starts anew
        async with scripted_app(server.answer, port):
            picture = await shows(pilot, lambda picture: "is up" in picture)
            assert "-" not in re.findall(r"generated tokens/s *(\S+)", picture)[0]
        await pilot.press("q")
    assert app.return_code == 0


def test_increases_and_quantiles_are_those_between_two_scrapes() -> None:
    old, new = Scrape(metrics(4), 0.0), Scrape(metrics(8), 4.0)
    assert increase(old, new, "vllm:generation_tokens_total") == 4000
    assert increase(old, new, "unknown") == 0
    first_token = "vllm:time_to_first_token_seconds"
    # Four requests below 0.1 s and four between 0.1 and 0.2 s.
    assert quantile(old, new, first_token, 0.25) == pytest.approx(0.05)
    assert quantile(old, new, first_token, 0.75) == pytest.approx(0.15)
    assert quantile(old, old, first_token, 0.5) is None and quantile(old, new, "unknown", 0.5) is None


def test_a_quantile_above_all_bounds_is_the_highest_bound() -> None:
    empty, full = (Scrape(f'h_bucket{{le="1"}} 0\nh_bucket{{le="+Inf"}} {n}\n', 0.0) for n in (0, 2))
    assert quantile(empty, full, "h", 0.5) == 1


def test_without_textual_the_error_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "handlers.commands.top.screen", None)
    monkeypatch.setattr("handlers.commands.top.cli._LIBRARY", "handlers.commands.top.screen")
    assert verbatim.run(["top"]) == 2
    assert "pip install 'verbatim-server[top]'" in capsys.readouterr().err
