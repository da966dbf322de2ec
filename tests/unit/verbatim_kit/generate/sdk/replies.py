"""The replies of the scripted server, and a client that asks it."""

import json
from typing import Any

from tests.unit.verbatim_kit.generate.sdk.scripted import EVENTS, Reply, Script
from verbatim_server_client import openai
from verbatim_server_client.openai import requests

MESSAGES: list[requests.ChatCompletionRequestUserMessage] = [{"role": "user", "content": "Hi"}]
ERROR = {"error": {"message": "Too many", "type": "rate_limit", "param": None, "code": "busy"}}
MODELS = {"object": "list", "data": [{"id": "a", "object": "model", "created": 1, "owned_by": "b"}]}
CHUNK: dict[str, Any] = {
    "id": "1",
    "object": "chat.completion.chunk",
    "created": 1,
    "model": "a",
    "choices": [{"index": 0, "delta": {"content": "Hello\u2028"}, "logprobs": None, "finish_reason": None}],
}


def sse(*events: Any) -> str:
    """Events as they are sent, text as it is."""
    data = (event if isinstance(event, str) else json.dumps(event, ensure_ascii=False) for event in events)
    return "".join(f"data: {line}\n\n" for line in data)


def stream(*events: Any, **changes: Any) -> Reply:
    return Reply(body=sse(*events), media_type=f"{EVENTS}; charset=utf-8", **changes)


def client(script: Script, **options: Any) -> openai.Client:
    return openai.Client(script.url, **options)
