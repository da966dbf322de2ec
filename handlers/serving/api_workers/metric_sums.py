"""The sums of the metrics of all API workers, and the path at which workers exchange them."""

import re
from collections.abc import Callable, Container, Iterable
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

PATH = "/processes/"

_FAMILY: Final = re.compile(r"^(?=# HELP )", re.MULTILINE)  # the beginning of a metric family
_GAUGE: Final = re.compile(r"^# TYPE \S+ gauge$", re.MULTILINE)


def summed(texts: Iterable[str]) -> str:
    """Return the sum of metrics in Prometheus' text format. The series of a family stay together, also those
    that not all texts have.
    """
    values: dict[str, float | None] = {}
    families = {"": values}
    for text in texts:
        for line in text.splitlines():
            if line.startswith("# HELP "):
                values = families.setdefault(line, {})
            if line.startswith("#"):
                values.setdefault(line)
            else:
                name, _, value = line.rpartition(" ")
                values[name] = (values.get(name) or 0.0) + float(value)
    lines = (
        name if value is None else f"{name} {value!r}"
        for values in families.values()
        for name, value in values.items()
    )
    return "".join(f"{line}\n" for line in lines)


def without_gauges(text: str) -> str:
    """Return metrics without gauges, which are meaningless after their process has ended."""
    families = _FAMILY.split(text)
    return "".join(family for family in families if not _GAUGE.search(family))


class MetricSumsApp:
    """An ASGI application with a path to which API workers post their metrics, and which returns the sums.

    The counters of workers that have ended stay in the sums, so that no counter ever decreases.
    """

    def __init__(self, app: ASGIApp, engine_text: Callable[[], str], live: Container[str]) -> None:
        """Create the application.

        app: handles all other paths. engine_text: returns the metrics before the sums. live: names of running
        workers.
        """
        self._app = app
        self._engine_text = engine_text
        self._live = live
        self._texts: dict[str, str] = {}  # by name
        self._ended = ""  # the sum of the workers that have ended

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
