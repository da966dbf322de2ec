"""The client of the measured server: streams an answer, and records when its tokens arrived."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Final

import aiohttp
import orjson

_TEXTS: Final = ("content", "reasoning_content", "reasoning", "tool_calls")  # of a chat's delta
_MAX_ERROR_CHARACTERS: Final = 300


class Unusable(Exception):
    """The server cannot be measured."""


@dataclass(slots=True)
class Exchange:
    """One request and its answer. Times are seconds of `time.perf_counter`."""

    started_s: float
    lag_s: float
    """Time for which the request was sent too late, because this program was busy."""
    arrivals_s: list[float] = field(default_factory=list)
    """Times at which events with text arrived. An event may have several tokens."""
    ended_s: float = 0.0
    num_prompt_tokens: int | None = None
    num_output_tokens: int = 0
    error: str | None = None
    status: int | None = None


class Client:
    """Asks one operation of the server."""

    def __init__(self, session: aiohttp.ClientSession, url: str, body: Mapping[str, Any]) -> None:
        """body: the fields that every request has; a prompt and a limit are added."""
        self._session = session
        self._url = url
        self._is_chat = url.endswith("chat/completions")
        self.body = dict(body)

    async def ask(self, prompt: str, num_tokens: int, due_s: float | None = None) -> Exchange:
        """Return the exchange, also if it failed. due_s: when the request should be sent, if not now."""
        text = {"messages": [{"role": "user", "content": prompt}]} if self._is_chat else {"prompt": prompt}
        data = orjson.dumps({**self.body, **text, "max_tokens": num_tokens})
        started_s = perf_counter()
        exchange = Exchange(started_s, 0.0 if due_s is None else started_s - due_s)
        try:
            await self._stream(data, exchange)
        except (aiohttp.ClientError, OSError, ValueError) as error:  # OSError: a timeout too
            exchange.error = f"{type(error).__name__} {error}".strip()
        exchange.ended_s = perf_counter()
        return exchange

    async def _stream(self, data: bytes, exchange: Exchange) -> None:
        headers = {"content-type": "application/json"}
        async with self._session.post(self._url, data=data, headers=headers) as answer:
            exchange.status = answer.status
            if answer.status != 200:
                exchange.error = f"{answer.status} {(await answer.text())[:_MAX_ERROR_CHARACTERS]}"
                return
            async for line in answer.content:
                arrived_s = perf_counter()
                payload = line.removeprefix(b"data:").strip()
                if payload == b"[DONE]":
                    if not exchange.arrivals_s:
                        exchange.error = exchange.error or "an answer without text"
                    return
                if payload and line.startswith(b"data:"):
                    _read(orjson.loads(payload), arrived_s, exchange)
            exchange.error = exchange.error or "the stream ended without [DONE]"


def _read(event: Mapping[str, Any], arrived_s: float, exchange: Exchange) -> None:
    if event.get("error"):
        exchange.error = str(event["error"])[:_MAX_ERROR_CHARACTERS]
    for choice in event.get("choices", ()):
        delta = choice.get("delta") or {}
        if choice.get("text") or any(delta.get(name) for name in _TEXTS):
            exchange.arrivals_s.append(arrived_s)
            exchange.num_output_tokens += 1  # an event may have several; the server's own count comes last
    if usage := event.get("usage"):
        exchange.num_prompt_tokens = usage["prompt_tokens"]
        exchange.num_output_tokens = usage["completion_tokens"]
