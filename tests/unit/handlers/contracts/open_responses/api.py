"""The contract's API over a scripted engine, without a network."""

from typing import Any, Final

import orjson

from tests.unit.handlers.contracts.openai.api import MODEL, Api
from tests.unit.verbatim_kit.runtime.client import events

PATH: Final = "/open_responses/v1/responses"


class OpenResponses(Api):
    """One server over one engine, of which responses are asked in this form."""

    async def answered(self, **fields: Any) -> Any:
        return await self.answer(PATH, request(**fields))

    async def streamed(self, **fields: Any) -> list[Any]:
        """Return the events before `[DONE]`, after a look at their names and numbers."""
        response = await self.post(PATH, request(stream=True, **fields))
        assert response.status_code == 200, response.text
        *frames, done = events(response)
        assert done == "[DONE]"
        streamed = []
        for number, frame in enumerate(frames):
            name, data = frame.split("\n")
            event = orjson.loads(data.removeprefix("data: "))
            assert (name, event["sequence_number"]) == (f"event: {event['type']}", number)
            streamed.append(event)
        return streamed


def request(**fields: Any) -> dict[str, Any]:
    """Return the body of a request."""
    return {"model": MODEL, "input": "Hi", **fields}


def message(role: str, content: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": content, **fields}
