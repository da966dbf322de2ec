"""The sums of the metrics of several processes, and the path by which these exchange them."""

import re
from collections.abc import Callable, Container, Iterable
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

PATH = "/processes/"

_FAMILY: Final = re.compile(r"^(?=# HELP )", re.MULTILINE)  # the beginning of one
_GAUGE: Final = re.compile(r"^# TYPE \S+ gauge$", re.MULTILINE)


def summed(texts: Iterable[str]) -> str:
    """Return the sum of metrics in the text exposition format, whose series are the same in all texts."""
    values: dict[str, float | None] = {}
    for text in texts:
        for line in text.splitlines():
            if line.startswith("#"):
                values.setdefault(line)
            else:
                name, _, value = line.rpartition(" ")
                values[name] = (values.get(name) or 0.0) + float(value)
    lines = (name if value is None else f"{name} {value!r}" for name, value in values.items())
    return "".join(f"{line}\n" for line in lines)


def without_gauges(text: str) -> str:
    """Return metrics without those of the present, which end with their process."""
    families = _FAMILY.split(text)
    return "".join(family for family in families if not _GAUGE.search(family))


class MetricSumsApp:
    """An application with a path at which processes leave their metrics, and get the sums of all.

    The counters of processes that have ended are kept, so that no counter ever falls, as one sum.
    """

    def __init__(self, app: ASGIApp, engine_text: Callable[[], str], live: Container[str]) -> None:
        """Begin without texts. engine_text: metrics before the sums. live: the names of running processes."""
        self._app = app
        self._engine_text = engine_text
        self._live = live
        self._texts: dict[str, str] = {}  # by name
        self._ended = ""  # the sum of those that have ended

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(PATH):
            await self._app(scope, receive, send)
            return
        name = scope["path"].removeprefix(PATH)
        text = (await Request(scope, receive).body()).decode()
        if name in self._live:
            self._texts[name] = text
        self._add_up_ended()
        text = self._engine_text() + summed((*self._texts.values(), self._ended))
        await PlainTextResponse(text)(scope, receive, send)

    def _add_up_ended(self) -> None:
        for name in [name for name in self._texts if name not in self._live]:
            self._ended = summed((self._ended, without_gauges(self._texts.pop(name))))
