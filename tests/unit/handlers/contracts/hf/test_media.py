"""Images in Hugging Face's contract."""

from base64 import b64encode
from typing import Any

from tests.support.scripted.media_processor import png, seeing_engine
from tests.unit.handlers.contracts.hf.api import Api

URL = f"data:image/png;base64,{b64encode(png()).decode()}"


def asked(url: str) -> dict[str, Any]:
    parts = [{"type": "text", "text": "See "}, {"type": "image_url", "image_url": {"url": url}}]
    return {"model": "verbatim-demo", "messages": [{"role": "user", "content": parts}]}


async def test_a_chat_and_a_native_prompt_take_images() -> None:
    engine, media = seeing_engine()
    api = Api(engine)
    answer = await api.answer("/v1/chat/completions", asked(URL))
    assert answer["usage"]["prompt_tokens"] == len(engine.request.prompt.token_ids)
    await api.answer("/generate", {"inputs": f"![]({URL})", "parameters": {"max_new_tokens": 5}})
    assert [item.data for item in media.items] == [png()] * 2


async def test_a_part_that_cannot_be_read_is_named() -> None:
    api = Api(seeing_engine()[0])
    response = await api.post("/v1/chat/completions", asked("https://example.com/a.png"))
    assert response.status_code == 400
    assert "messages[0].content[1]: this server fetches no URLs" in response.text
