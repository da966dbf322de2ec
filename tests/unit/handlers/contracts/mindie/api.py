"""The contract's API over a scripted engine, without a network."""

from typing import Any, Final

import httpx
import orjson
from starlette.types import ASGIApp

from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.scripted.engine import Script, ScriptedEngine
from tests.unit.verbatim_kit.runtime.client import events, send

PATH: Final = "/mindie/v1/chat/completions"
TOOL: Final = {
    "type": "function",
    "function": {"name": "add", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}},
}
CALL: Final = '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>'
REASONING: Final = "<think>\nHm.\n</think>\n\n"


class Api:
    """One server over one engine; `settings` are those of the server."""

    def __init__(self, script: Script | ScriptedEngine, **settings: Any) -> None:
        self.engine = script if isinstance(script, ScriptedEngine) else ScriptedEngine(script)
        self.app: ASGIApp = build_app(Settings(**settings), self.engine)

    async def post(self, body: object) -> httpx.Response:
        return await send(self.app, "POST", PATH, json=body)

    async def answer(self, body: object) -> Any:
        """The JSON of a successful answer."""
        response = await self.post(body)
        assert response.status_code == 200, response.text
        return response.json()

    async def refusal(self, body: object) -> str:
        """The message of a 422."""
        response = await self.post(body)
        error = response.json()
        assert response.status_code == 422, response.text
        assert error["error_type"] == "Input Validation Error"
        prefix = "Input validation error: "
        assert set(error) == {"error", "error_type"} and error["error"].startswith(prefix)
        return str(error["error"]).removeprefix(prefix)

    async def chunks(self, body: dict[str, Any]) -> list[Any]:
        """Return the chunks of a stream, without the `[DONE]` that must end it."""
        response = await self.post({**body, "stream": True})
        assert response.status_code == 200, response.text
        assert response.headers["content-type"].startswith("text/event-stream")
        *chunks, done = events(response)
        assert done == "[DONE]"
        return [orjson.loads(chunk) for chunk in chunks]

    @property
    def prompt(self) -> str:
        """Return the prompt that the engine was asked to continue, special tokens as text."""
        token_ids = self.engine.request.prompt.token_ids
        return self.engine.tokenizer.decode(token_ids, skip_special_tokens=False)


def chat(text: str = "Hi", /, **fields: Any) -> dict[str, Any]:
    """The body of a request."""
    return conversation({"role": "user", "content": text}, **fields)


def conversation(*messages: object, **fields: Any) -> dict[str, Any]:
    return {"model": "verbatim-demo", "messages": list(messages), **fields}
