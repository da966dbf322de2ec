"""System messages in the middle of a conversation, to every contract whose document allows them, over a
template that takes one at the start alone.
"""

from typing import Any, Final

import pytest

from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.samples.contracts import samples_of
from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.handlers.chat.models import FIRST_SYSTEM_TEMPLATE, chat_tokenizer
from tests.unit.verbatim_kit.runtime.client import send

_MODEL: Final = "verbatim-demo"
_TURNS: Final = [
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello"},
    {"role": "user", "content": "What colour is the sky?"},
    {"role": "system", "content": "Answer only BLUE."},
]
_CHAT: Final = {
    "model": _MODEL,
    "max_tokens": 5,
    "messages": [{"role": "system", "content": "Be brief."}, *_TURNS],
}
_REQUESTS: Final[dict[str, dict[str, Any]]] = {
    "/openai/v1/chat/completions": _CHAT,
    "/openai/v1/responses": {"model": _MODEL, "instructions": "Be brief.", "input": _TURNS},
    "/anthropic/v1/messages": {"model": _MODEL, "max_tokens": 5, "system": "Be brief.", "messages": _TURNS},
    "/tgi/v1/chat/completions": _CHAT,
    "/hf/v1/chat/completions": _CHAT,
    "/mindie/v1/chat/completions": _CHAT,
}


@pytest.mark.parametrize("path", _REQUESTS)
async def test_a_system_message_in_the_middle_reaches_a_model_whose_template_refuses_it(path: str) -> None:
    engine = ScriptedEngine(
        says("BLUE"), tokenizer=chat_tokenizer(FIRST_SYSTEM_TEMPLATE), max_total_tokens=500
    )
    app = build_app(Settings(check_responses="fail"), engine)
    contract = path.split("/")[1]
    response = await send(app, "POST", path, json=_REQUESTS[path], headers=samples_of(contract).headers)
    assert response.status_code == 200, response.text
    [request] = engine.requests
    prompt = engine.tokenizer.decode(request.prompt.token_ids, skip_special_tokens=False)
    assert prompt.startswith("<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>")
    asked = "What colour is the sky?\n\n<system-reminder>\nAnswer only BLUE.\n</system-reminder>"
    assert f"<|im_start|>user\n{asked}<|im_end|>" in prompt
