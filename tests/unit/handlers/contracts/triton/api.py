"""The contract's API over a scripted engine, without a network."""

from typing import Any

import httpx
import orjson
from starlette.types import ASGIApp

from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.scripted.engine import Script, ScriptedEngine
from tests.unit.verbatim_kit.runtime.client import events, send

MODEL = "/triton/v2/models/verbatim-demo"


class Api:
    """One server over one engine; `settings` are those of the server. Paths go on from the model's."""

    def __init__(self, script: Script | ScriptedEngine, **settings: Any) -> None:
        self.engine = script if isinstance(script, ScriptedEngine) else ScriptedEngine(script)
        self.app: ASGIApp = build_app(Settings(**settings), self.engine)

    async def post(self, path: str, body: object) -> httpx.Response:
        return await send(self.app, "POST", MODEL + path, json=body)

    async def get(self, path: str) -> httpx.Response:
        return await send(self.app, "GET", path)

    async def answer(self, **members: Any) -> Any:
        """The JSON of a whole answer."""
        response = await self.post("/generate", {"text_input": "Hi", **members})
        assert response.status_code == 200, response.text
        return response.json()

    async def events(self, **members: Any) -> list[Any]:
        """Return the events of a stream."""
        response = await self.post("/generate_stream", {"text_input": "Hi", "stream": True, **members})
        assert response.status_code == 200, response.text
        assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
        return [orjson.loads(data) for data in events(response)]

    async def refusal(self, **members: Any) -> str:
        """The message of a 400."""
        return await self.refusal_of({"text_input": "Hi", **members})

    async def refusal_of(self, body: object, path: str = "/generate") -> str:
        """The same, of a body as it stands."""
        response = await self.post(path, body)
        assert response.status_code == 400, response.text
        (message,) = response.json().values()
        assert set(response.json()) == {"error"}
        return str(message)
