"""A server with files and batches, over a scripted engine."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from httpx import ASGITransport, AsyncClient

from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.scripted.engine import Script, ScriptedEngine
from tests.support.servers.running_app import living
from tests.unit.handlers.contracts.openai.api import chat

ENDED = ("completed", "failed", "expired", "cancelled")
COMPLETIONS = "/v1/chat/completions"


def request_line(name: str, body: Any = None, *, url: str = COMPLETIONS, **fields: Any) -> dict[str, Any]:
    return {"custom_id": name, "method": "POST", "url": url, "body": body or chat(max_tokens=5), **fields}


def jsonl(*lines: Any) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


class Shop:
    """A client of one server. key: what it sends as its API key."""

    def __init__(self, client: AsyncClient, engine: ScriptedEngine, key: str | None = None) -> None:
        self.client = client
        self.engine = engine
        self.headers = {} if key is None else {"authorization": f"Bearer {key}"}

    async def ask(self, method: str, path: str, **request: Any) -> httpx.Response:
        return await self.client.request(method, f"/openai/v1{path}", headers=self.headers, **request)

    async def answer(self, method: str, path: str, **request: Any) -> Any:
        response = await self.ask(method, path, **request)
        assert response.status_code == 200, response.text
        return response.json()

    async def upload(self, content: bytes, purpose: str = "batch", **fields: Any) -> Any:
        files = {"file": ("requests.jsonl", content)}
        return await self.answer("POST", "/files", files=files, data={"purpose": purpose, **fields})

    async def begin(self, *lines: Any, endpoint: str = COMPLETIONS, **fields: Any) -> Any:
        file = await self.upload(jsonl(*lines))
        body = {"input_file_id": file["id"], "endpoint": endpoint, "completion_window": "24h", **fields}
        return await self.answer("POST", "/batches", json=body)

    async def found(self, batch: Any, *states: str) -> Any:
        """The batch as soon as it is in one of the states."""
        async with asyncio.timeout(20):
            while (now := await self.answer("GET", f"/batches/{batch['id']}"))["status"] not in states:
                await asyncio.sleep(0.01)
        return now

    async def lines(self, file_id: str | None) -> list[Any]:
        if file_id is None:
            return []
        response = await self.ask("GET", f"/files/{file_id}/content")
        assert response.status_code == 200, response.text
        assert response.content.endswith(b"\n")
        return [json.loads(line) for line in response.content.splitlines()]


@asynccontextmanager
async def shop(script: Script | ScriptedEngine, **settings: Any) -> AsyncIterator[Shop]:
    """Serve with a lifespan, so that batches run, and yield a client."""
    engine = script if isinstance(script, ScriptedEngine) else ScriptedEngine(script)
    app = build_app(Settings(**settings), engine)
    async with living(app), AsyncClient(transport=ASGITransport(app), base_url="http://test") as client:
        yield Shop(client, engine)
