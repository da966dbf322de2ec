"""The contract's WebSockets, over the connections of a real server and a scripted engine."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Final, NamedTuple

import orjson
from pydantic import TypeAdapter
from websockets.asyncio.client import ClientConnection, connect

from generated.open_responses import models as m
from handlers.composition import build_app
from handlers.serving.server_run import server_config
from handlers.settings.settings import Settings
from tests.support.scripted.engine import Script, ScriptedEngine
from tests.support.servers.running_app import listening
from tests.unit.handlers.contracts.open_responses.api import PATH
from tests.unit.handlers.contracts.openai.api import MODEL

EVENT: Final = TypeAdapter[Any](m.ResponseStreamingEvent)
_ENDS: Final = ("response.completed", "response.incomplete", "response.failed", "error")


class Turn(NamedTuple):
    """The events that one message is answered with, which must be valid."""

    events: list[Any]

    @property
    def last(self) -> Any:
        return self.events[-1]

    @property
    def error(self) -> m.WebSocketErrorEvent:
        return m.WebSocketErrorEvent.model_validate(self.last)

    @property
    def response(self) -> m.ResponseResource:
        assert self.last["type"] in _ENDS[:3], self.last
        return m.ResponseResource.model_validate(self.last["response"])


class Socket:
    """One WebSocket of a client."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    async def send(self, **fields: Any) -> None:
        await self.connection.send(orjson.dumps(message(**fields)).decode())

    async def turn(self) -> Turn:
        """Return the answer to the next message that is not answered yet."""
        events: list[Any] = []
        while not events or events[-1]["type"] not in _ENDS:
            text = await self.connection.recv()
            assert isinstance(text, str)
            events.append(orjson.loads(text))
            if "status" not in events[-1]:
                EVENT.validate_json(text)
                assert events[-1]["sequence_number"] == len(events) - 1
        return Turn(events)

    async def ask(self, **fields: Any) -> Turn:
        await self.send(**fields)
        return await self.turn()


class Served(NamedTuple):
    """A server that runs."""

    url: str
    engine: ScriptedEngine

    def prompt(self, at: int = -1) -> str:
        """Return the text of the prompt of one of the engine's requests."""
        tokens = self.engine.requests[at].prompt.token_ids
        return self.engine.tokenizer.decode(tokens, skip_special_tokens=False)

    @asynccontextmanager
    async def connect(self, path: str = PATH, **options: Any) -> AsyncGenerator[Socket, None]:
        async with connect(f"{self.url.replace('http', 'ws', 1)}{path}", **options) as connection:
            yield Socket(connection)


@asynccontextmanager
async def serving(script: Script | ScriptedEngine, **settings: Any) -> AsyncGenerator[Served, None]:
    """Serve with `settings` over an engine."""
    engine = script if isinstance(script, ScriptedEngine) else ScriptedEngine(script)
    chosen = Settings(access_log=False, **settings)
    config = server_config(chosen, build_app(chosen, engine))
    config.port, config.lifespan = 0, "on"
    async with listening(config) as port:
        yield Served(f"http://127.0.0.1:{port}", engine)


def message(**fields: Any) -> dict[str, Any]:
    """Return a message."""
    return {"type": "response.create", "model": MODEL, "input": "Hi", **fields}
