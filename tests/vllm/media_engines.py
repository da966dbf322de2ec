"""A model that reads files over a real vLLM, beside Verbatim's own engine of it, and what both must share."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from engine.async_engine import AsyncEngine
from engine.config import EngineConfig
from engine.port.engine import Engine
from engine.port.media_item import MediaItem
from engine.remote.config import RemoteConfig
from engine.remote.remote_engine import RemoteEngine
from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.unit.engine.remote.test_media import prompt_of, tokens_of
from tests.unit.verbatim_kit.runtime.client import send
from tests.vllm.conftest import serve

_CHAT = "/openai/v1/chat/completions"


class MediaEngines(NamedTuple):
    """Verbatim's own engine, and the one over vLLM, of a model that reads files. said: at its start."""

    own: Engine
    vllm: Engine
    url: str
    said: list[str]

    async def assert_same_tokens(self, items: Sequence[MediaItem]) -> None:
        """Ask both about the same files."""
        expected, found = prompt_of(self.own, *items), prompt_of(self.vllm, *items)
        assert found.token_ids == expected.token_ids
        assert await tokens_of(self.vllm, found) == await tokens_of(self.own, expected)

    async def same_chats(self, bodies: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the own engine's answers to chats of OpenAI, which are those over vLLM."""
        answers = []
        for engine in (self.own, self.vllm):
            app = build_app(Settings(served_model_name="m"), engine)
            answered = [(await send(app, "POST", _CHAT, json=body)).json() for body in bodies]
            answers.append(
                [{name: one.get(name) for name in ("choices", "usage", "error")} for one in answered]
            )
        own, over_vllm = answers
        assert over_vllm == own
        return own

    async def assert_vllm_computes_what_is_rendered(self, body: dict[str, Any]) -> None:
        """Send vLLM's token API what `/render` of the own engine's server writes."""
        app = build_app(Settings(served_model_name="m"), self.own)
        rendered = (await send(app, "POST", f"{_CHAT}/render", json=body)).json()
        answered = (await send(app, "POST", _CHAT, json=body)).json()
        asked = {name: value for name, value in rendered.items() if value is not None}
        asked["sampling_params"] = {"max_tokens": body["max_tokens"], "temperature": 0, "ignore_eos": True}
        async with httpx.AsyncClient(timeout=120) as client:
            response = await client.post(f"{self.url}/inference/v1/generate", json=asked)
        (choice,) = response.raise_for_status().json()["choices"]
        text = self.own.tokenizer.decode(choice["token_ids"], skip_special_tokens=True)
        assert text == answered["choices"][0]["message"]["content"]


@asynccontextmanager
async def engines_of(model: Path) -> AsyncIterator[MediaEngines]:
    """Yield both engines of a model in float32, over a vLLM of their own."""
    url, process = serve(model.parent / "log", model)
    said: list[str] = []
    try:
        config = RemoteConfig(model=str(model), urls=(url,), start_timeout_s=600)
        remote = await RemoteEngine.start(config, on_progress=said.append)
        # Without prefix caching, since no cached tokens are reported over a server.
        own = await AsyncEngine.start(
            EngineConfig(model=str(model), dtype="float32", num_kv_blocks=256, prefix_caching=False)
        )
        yield MediaEngines(own, remote, url, said)
        await own.stop()
        await remote.stop()
    finally:
        process.terminate()
        process.wait(timeout=60)


def chat_of(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the body of a chat about files. parts: as OpenAI has them."""
    content = [*parts, {"type": "text", "text": "What is it?"}]
    return {
        "model": "m",
        "messages": [{"role": "user", "content": content}],
        "max_tokens": 8,
        "temperature": 0,
    }
