"""The sums of the metrics of several processes, and the path by which these exchange them."""

from collections.abc import Callable, Iterable

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

PATH = "/processes/"


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


class TotalsApp:
    """An application with a path at which processes leave their metrics, and get the sums of all.

    The metrics of processes that have ended are kept, so that no counter ever falls.
    """

    def __init__(self, app: ASGIApp, engine_text: Callable[[], str]) -> None:
        """engine_text: the metrics that come before the sums."""
        self._app = app
        self._engine_text = engine_text
        self._texts: dict[str, str] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(PATH):
            await self._app(scope, receive, send)
            return
        self._texts[scope["path"]] = (await Request(scope, receive).body()).decode()
        text = self._engine_text() + summed(self._texts.values())
        await PlainTextResponse(text)(scope, receive, send)
