"""The contract's API over a scripted engine, without a network."""

from typing import Any

import httpx
import orjson
from starlette.types import ASGIApp

from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.scripted.engine import Script, ScriptedEngine
from tests.unit.verbatim_kit.runtime.client import events, send


class Api:
    """One server over one engine; `settings` are those of the server."""

    def __init__(self, script: Script | ScriptedEngine, **settings: Any) -> None:
        self.engine = script if isinstance(script, ScriptedEngine) else ScriptedEngine(script)
        self.app: ASGIApp = build_app(Settings(**{"root": ("tgi",), **settings}), self.engine)

    async def post(self, path: str, body: object) -> httpx.Response:
        return await send(self.app, "POST", path, json=body)

    async def get(self, path: str) -> httpx.Response:
        return await send(self.app, "GET", path)

    async def info(self) -> Any:
        return (await self.get("/info")).json()

    async def answer(self, path: str, body: object) -> Any:
        """The JSON of a successful answer."""
        response = await self.post(path, body)
        assert response.status_code == 200, response.text
        return response.json()

    async def refusal(self, path: str, body: object) -> tuple[int, str, str]:
        """Status, error_type and message."""
        response = await self.post(path, body)
        error = response.json()
        assert set(error) == {"error", "error_type"}
        return response.status_code, error["error_type"], error["error"]

    async def events(self, path: str, body: object) -> list[Any]:
        """Return the events of a stream; `[DONE]` as it stands."""
        response = await self.post(path, body)
        assert response.status_code == 200, response.text
        assert response.headers["content-type"].startswith("text/event-stream")
        return [data if data == "[DONE]" else orjson.loads(data) for data in events(response)]


def generate_body(inputs: str = "Hi", /, **parameters: Any) -> dict[str, Any]:
    """The body of a request of `/generate`."""
    return {"inputs": inputs, "parameters": parameters}


def chat(text: str = "Hi", /, **fields: Any) -> dict[str, Any]:
    """The body of a chat request."""
    return {"messages": [{"role": "user", "content": text}], **fields}
