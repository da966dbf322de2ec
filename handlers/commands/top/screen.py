"""The screen: reads the server's metrics each second, and shows them."""

import asyncio
from collections import deque
from collections.abc import Iterable
from time import monotonic
from typing import ClassVar, Final

import aiohttp
from rich.table import Table
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.widgets import Footer, Header, Sparkline, Static
from typing_extensions import override

from handlers.commands.top.scrape import Scrape, increase, quantile

_TIMEOUT: Final = aiohttp.ClientTimeout(total=5)
_WINDOW: Final = 60  # scrapes; latencies are those of the requests that ended meanwhile
_PANELS: Final = {
    "load": "load",
    "latencies": "latencies of the last minute, ms",
    "refusals": "refused or failed",
}
_LATENCIES: Final = {
    "queue": "vllm:request_queue_time_seconds",
    "first token": "vllm:time_to_first_token_seconds",
    "between tokens": "vllm:inter_token_latency_seconds",
    "whole request": "vllm:e2e_request_latency_seconds",
}


class Top(App[None]):
    """The application. It shows a server that does not answer as down, and goes on when it is back."""

    TITLE = "verbatim top"
    CSS = """
    .panel { border: round $primary; padding: 0 1; height: auto }
    #speeds { height: 6 }
    .down .panel { border: round $error; color: $text-muted }
    """
    BINDINGS: ClassVar[list[BindingType]] = [("q", "quit", "Quit")]

    def __init__(self, base_url: str, api_key: str | None = None, period_s: float = 1.0) -> None:
        super().__init__()
        self._url = base_url.rstrip("/").removesuffix("/v1")
        self._headers = {} if api_key is None else {"authorization": f"Bearer {api_key}"}
        self._period_s = period_s
        self._scrapes: deque[Scrape] = deque(maxlen=_WINDOW)
        self._speeds = deque([0.0] * _WINDOW, maxlen=_WINDOW)

    @override
    def compose(self) -> ComposeResult:
        yield Header(icon="")
        yield Sparkline(id="speeds", classes="panel")
        for name in _PANELS:
            yield Static(id=name, classes="panel")
        yield Footer()

    def on_mount(self) -> None:
        for name, title in {**_PANELS, "speeds": "generated tokens/s, last minute"}.items():
            self.query_one(f"#{name}").border_title = title
        self.run_worker(self._watch())

    async def _watch(self) -> None:
        async with aiohttp.ClientSession(headers=self._headers, timeout=_TIMEOUT) as session:
            while True:
                try:
                    async with session.get(f"{self._url}/metrics", raise_for_status=True) as answer:
                        scrape = Scrape(await answer.text(), monotonic())
                except (aiohttp.ClientError, TimeoutError, ValueError) as error:
                    self._scrapes.clear()  # a server that starts again counts from 0
                    self.sub_title = f"{self._url} is down: {error!r}"
                else:
                    self._show(scrape)
                    self.sub_title = f"{self._url} is up"
                self.screen.set_class(not self._scrapes, "down")
                await asyncio.sleep(self._period_s)

    def _show(self, new: Scrape) -> None:
        self._scrapes.append(new)
        oldest, last = self._scrapes[0], self._scrapes[max(0, len(self._scrapes) - 2)]
        seconds = new.at_s - last.at_s or 1.0
        speed = increase(last, new, "vllm:generation_tokens_total") / seconds
        self._speeds.append(speed)
        self.query_one(Sparkline).data = [*self._speeds]
        num_steps = increase(oldest, new, "tgi_batch_next_size_count")
        batch = increase(oldest, new, "tgi_batch_next_size_sum") / num_steps if num_steps else None
        load = {
            "running": _number(new.value("vllm:num_requests_running")),
            "queued": _number(new.value("vllm:num_requests_waiting")),
            "sequences in a step": _number(batch),
            "KV cache in use, %": _number(new.value("vllm:kv_cache_usage_perc"), 100),
            "generated tokens/s": _number(speed),
            "prompt tokens/s": _number(increase(last, new, "vllm:prompt_tokens_total") / seconds),
        }
        self._fill("load", load.items())
        rows = [
            (label, *(_number(quantile(oldest, new, name, share), 1e3) for share in (0.5, 0.9, 0.99)))
            for label, name in _LATENCIES.items()
        ]
        self._fill("latencies", [("", "p50", "p90", "p99"), *rows])
        refusals = new.by_label("verbatim_request_errors_total", "error").items()
        self._fill("refusals", [(name, _number(count)) for name, count in refusals if count])

    def _fill(self, panel: str, rows: Iterable[tuple[str, ...]]) -> None:
        table = Table.grid(padding=(0, 2))
        for row in rows:
            table.add_row(*row)
        self.query_one(f"#{panel}", Static).update(table)


def _number(value: float | None, factor: float = 1.0) -> str:
    return "-" if value is None else f"{value * factor:,.1f}".removesuffix(".0")
