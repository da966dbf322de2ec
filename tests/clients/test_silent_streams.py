"""Makers' own clients read streams that begin with a silence: its status, and the comments that break it."""

import asyncio
import gc
from collections.abc import Callable
from typing import Any

import pytest
from aleph_alpha_client import AsyncClient, CompletionRequest, Prompt
from aleph_alpha_client.completion import StreamChunk
from anthropic import Anthropic
from huggingface_hub import InferenceClient
from openai import OpenAI
from text_generation import Client as TextGeneration

from engine.port.events import FinishReason
from handlers.composition import CONTRACTS, build_app
from handlers.settings.settings import Settings
from tests.support.scripted.engine import ScriptedEngine, says
from tests.support.servers.running_app import running_app

MODEL = "verbatim-demo"
MESSAGES: Any = [{"role": "user", "content": "Hi"}]


def openai_chat(url: str) -> str:
    client = OpenAI(base_url=f"{url}/v1", api_key="-", max_retries=0)
    chunks = client.chat.completions.create(model=MODEL, messages=MESSAGES, stream=True)
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks)


def openai_responses(url: str) -> str:
    client = OpenAI(base_url=f"{url}/v1", api_key="-", max_retries=0)
    events = client.responses.create(model=MODEL, input="Hi", stream=True)
    return "".join(event.delta for event in events if event.type == "response.output_text.delta")


def anthropic(url: str) -> str:
    client = Anthropic(base_url=url, api_key="-", max_retries=0)
    with client.messages.stream(model=MODEL, max_tokens=9, messages=MESSAGES) as stream:
        return "".join(stream.text_stream)


def huggingface_hub(url: str) -> str:
    client = InferenceClient(url)  # it ends its streams when nothing refers to it
    return "".join(client.text_generation("Hi", stream=True))


def huggingface_hub_chat(url: str) -> str:
    client = InferenceClient(base_url=url)
    chunks = client.chat_completion(MESSAGES, stream=True)
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks)


def text_generation(url: str) -> str:
    text = "".join(event.token.text for event in TextGeneration(url).generate_stream("Hi"))
    gc.collect()  # its connection
    return text


def aleph_alpha(url: str) -> str:
    async def read() -> str:
        async with AsyncClient(token="-", host=url, total_retries=0) as client:
            events = client.complete_with_streaming(CompletionRequest(Prompt.from_text("Hi")), MODEL)
            return "".join([event.completion async for event in events if isinstance(event, StreamChunk)])

    return asyncio.run(read())


# text_generation's: what it is built on, and a connection that it leaves to the collector.
@pytest.mark.filterwarnings(
    "ignore::pydantic.warnings.PydanticDeprecatedSince20", "ignore:unclosed <socket:ResourceWarning"
)
@pytest.mark.parametrize(
    ("contract", "ask"),
    [
        ("openai", openai_chat),
        ("openai", openai_responses),
        ("mindie", openai_chat),
        ("anthropic", anthropic),
        ("tgi", huggingface_hub),
        ("tgi", huggingface_hub_chat),
        ("tgi", text_generation),
        ("hf", huggingface_hub_chat),
        ("aleph_alpha", aleph_alpha),
    ],
)
async def test_a_client_reads_a_stream_that_is_late(contract: str, ask: Callable[[str], str]) -> None:
    gate, sent = asyncio.Event(), list[bytes]()
    engine = ScriptedEngine(says("a", "b", finish=FinishReason.LENGTH), gate=gate)
    app = build_app(Settings(stream_keep_alive=0.01), engine)

    async def recorded(scope: Any, receive: Any, send: Any) -> None:
        async def record(message: Any) -> None:
            await send(message)
            sent.append(message.get("body", b""))
            if sent.count(filler) == num_fillers:
                gate.set()

        await app(scope, receive, record)

    has_comments = CONTRACTS[contract].contract.has_comments
    filler, num_fillers = (b":\n\n", 3) if has_comments else (b"", 2)  # without, a status and no more
    async with running_app(recorded) as url:
        assert await asyncio.to_thread(ask, f"{url}/{contract}") == "ab"
    assert sent.count(filler) >= num_fillers
