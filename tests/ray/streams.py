"""Long streams of every kind of every contract, and how each tells that it is whole or that it failed."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import httpx

MODEL: Final = "verbatim-demo"
_MESSAGES: Final = [{"role": "user", "content": "Tell me a long story."}]
_CHAT: Final = {"model": MODEL, "messages": _MESSAGES, "stream": True}

Events = list[dict[str, Any]]


def _has_error(event: dict[str, Any]) -> bool:
    return "error" in event


class Long(NamedTuple):
    """A request for a stream.

    is_whole: whether the events are all of a stream of so many tokens. is_error: whether an event is the
    contract's error.
    """

    path: str
    body: Callable[[int], dict[str, Any]]
    is_whole: Callable[[Events, int], bool]
    headers: Mapping[str, str] = {}
    has_done: bool = False
    is_error: Callable[[dict[str, Any]], bool] = _has_error


class Ended(NamedTuple):
    """The end of a stream: whole, with its contract's error, or neither, which is a fault."""

    name: str
    is_whole: bool
    is_error: bool
    at: float
    text: str

    @property
    def is_sound(self) -> bool:
        return self.is_whole != self.is_error


def _native(num_tokens: int) -> dict[str, Any]:
    # A contract without `ignore_eos` goes on as long as a grammar demands it.
    grammar = {"type": "regex", "value": f"[a-z ]{{{8 * num_tokens}}}"}
    return {"inputs": "Once", "parameters": {"max_new_tokens": num_tokens, "grammar": grammar}}


def _has_generated_text(events: Events, num_tokens: int) -> bool:
    return events[-1]["generated_text"] is not None


def _has_finish(events: Events, num_tokens: int) -> bool:
    return any(choice.get("finish_reason") for event in events for choice in event.get("choices", ()))


def _num_token_ids(events: Events) -> int:
    return sum(len(choice["token_ids"]) for event in events for choice in event["choices"])


def _endless(num_tokens: int) -> dict[str, Any]:
    return {**_CHAT, "max_tokens": num_tokens, "ignore_eos": True}


LONG: Final[Mapping[str, Long]] = {
    "openai": Long("/openai/v1/chat/completions", _endless, _has_finish, has_done=True),
    "mindie": Long("/mindie/v1/chat/completions", _endless, _has_finish, has_done=True),
    "tgi": Long("/tgi/generate_stream", _native, _has_generated_text),
    "hf": Long("/hf/generate_stream", _native, _has_generated_text),
    "triton": Long(  # no mark ends its streams
        f"/triton/v2/models/{MODEL}/generate_stream",
        lambda n: {"text_input": "Once", "parameters": {"stream": True, "max_tokens": n, "ignore_eos": True}},
        lambda events, num_tokens: len(events) == num_tokens,
    ),
    "aleph_alpha": Long(
        "/aleph_alpha/chat/completions", lambda n: {**_CHAT, "max_tokens": n}, _has_finish, has_done=True
    ),
    "anthropic": Long(
        "/anthropic/v1/messages",
        lambda n: {**_CHAT, "max_tokens": n},
        lambda events, num_tokens: events[-1]["type"] == "message_stop",
        {"anthropic-version": "2023-06-01"},
    ),
    "tokens": Long(
        "/tokens/inference/v1/generate",
        lambda n: {
            "token_ids": [5, 6, 7],
            "sampling_params": {"max_tokens": n, "ignore_eos": True},
            "stream": True,
        },
        lambda events, num_tokens: _num_token_ids(events) == num_tokens and _has_finish(events, num_tokens),
        has_done=True,
    ),
    "responses": Long(  # OpenAI's second kind of stream, whose errors are events of a type
        "/openai/v1/responses",
        lambda n: {"model": MODEL, "input": _MESSAGES, "stream": True, "max_output_tokens": n},
        lambda events, num_tokens: events[-1]["type"] in ("response.completed", "response.incomplete"),
        is_error=lambda event: event["type"] in ("error", "response.failed"),
    ),
}


async def read(
    client: httpx.AsyncClient,
    name: str,
    num_tokens: int,
    clock: Callable[[], float],
    on_first: Callable[[], None],
) -> Ended:
    """Read a stream to its end. on_first: called when its first bytes are there."""
    long = LONG[name]
    text = ""
    try:
        async with client.stream(
            "POST", long.path, json=long.body(num_tokens), headers=long.headers
        ) as answer:
            assert answer.status_code == 200, await answer.aread()
            async for piece in answer.aiter_text():
                text += piece
                on_first()
    except httpx.HTTPError as error:
        return Ended(name, False, False, clock(), f"{text[-200:]} {error!r}")
    return _ended(name, text, num_tokens, clock())


def _ended(name: str, text: str, num_tokens: int, at: float) -> Ended:
    long = LONG[name]
    data = [
        line.removeprefix("data: ").removeprefix("data:")
        for line in text.splitlines()
        if line.startswith("data:")
    ]
    is_done = not long.has_done or (bool(data) and data.pop() == "[DONE]")
    events = [json.loads(each) for each in data]
    is_error = bool(events) and long.is_error(events[-1])
    is_whole = is_done and bool(events) and not is_error and long.is_whole(events, num_tokens)
    return Ended(name, is_whole, is_error and is_done, at, text[-200:])
