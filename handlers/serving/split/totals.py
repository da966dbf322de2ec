"""The sums of the metrics of several processes, and the path by which these exchange them."""

from collections.abc import Callable, Iterable, Iterator

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

PATH = "/processes/"


def summed(texts: Iterable[str], ended: Iterable[str] = ()) -> str:
    """Return the sum of metrics in the text exposition format, whose series are the same in all texts.

    ended: the texts of processes that are no more, whose gauges are left out: what they tell has ended too.
    """
    values: dict[str, float | None] = {}
    for lines in (*map(str.splitlines, texts), *map(_without_gauges, ended)):
        for line in lines:
            if line.startswith("#"):
                values.setdefault(line)
            else:
                name, _, value = line.rpartition(" ")
                values[name] = (values.get(name) or 0.0) + float(value)
    written = (name if value is None else f"{name} {value!r}" for name, value in values.items())
    return "".join(f"{line}\n" for line in written)


def _without_gauges(text: str) -> Iterator[str]:
    is_gauge = False
    for line in text.splitlines():
        if line.startswith("# HELP "):  # the first line of a family
            is_gauge = False
        elif line.startswith("# TYPE "):
            is_gauge = line.endswith(" gauge")
        if line.startswith("#") or not is_gauge:
            yield line


class TotalsApp:
    """An application with a path at which processes leave their metrics, and get the sums of all.

    The counts of processes that have ended are kept, so that no counter ever falls.
    """

    def __init__(
        self, app: ASGIApp, engine_text: Callable[[], str], is_running: Callable[[str], bool]
    ) -> None:
        """engine_text: the metrics that come before the sums. is_running: of a process, by its name."""
        self._app = app
        self._engine_text = engine_text
        self._is_running = is_running
        self._texts: dict[str, str] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(PATH):
            await self._app(scope, receive, send)
            return
        self._texts[scope["path"].removeprefix(PATH)] = (await Request(scope, receive).body()).decode()
        running, ended = list[str](), list[str]()
        for name, text in self._texts.items():
            (running if self._is_running(name) else ended).append(text)
        await PlainTextResponse(self._engine_text() + summed(running, ended))(scope, receive, send)
