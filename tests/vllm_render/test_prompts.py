"""The prompts of all chat templates of the tests, beside those that vLLM's own renderer makes of them.

`make test-vllm-render` takes `vllm-rs` out of vLLM's wheel, which renders prompts without an engine.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from shutil import copy, copytree
from typing import Any, Final, NamedTuple, cast

import httpx
import pytest

from engine.demo_model import DEMO_MODEL
from engine.port.text.tokenizer import Tokenizer
from engine.port.text.tokenizer_files import TokenizerFiles
from tests.support.scripted.engine import ScriptedEngine, says
from tests.support.token_servers.real_server import running
from tests.unit.handlers.chat.models import (
    FIRST_SYSTEM_TEMPLATE,
    HERMES_TEMPLATE,
    LLAMA_TEMPLATE,
    PLAIN_TEMPLATE,
    THINKING_TEMPLATE,
    chat_tokenizer,
)
from tests.unit.handlers.chat.prompt.control.families import FAMILIES, tokenizer_of
from tests.unit.handlers.chat.tool_calls.templates import TEMPLATES
from tests.unit.handlers.contracts.openai.api import MODEL, Api

PATH: Final = "/v1/chat/completions/render"
HELLO: Final = {"role": "user", "content": "Grüße, 日本 {x}"}
CITY: Final = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOL: Final = {
    "type": "function",
    "function": {"name": "weather", "description": "Weather of a city", "parameters": CITY},
}
CALL: Final = {
    "id": "call12345",
    "type": "function",
    "function": {"name": "weather", "arguments": '{"city": "Zürich", "days": 3, "near": ["a", "b"]}'},
}
CALLED: Final = [
    HELLO,
    {"role": "assistant", "content": "I look.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call12345", "content": '{"sky": "clear"}'},
]
TURNS: Final = [HELLO, {"role": "assistant", "content": " Hello! "}, {"role": "user", "content": "2+2?"}]
PARTS: Final = [{"type": "text", "text": text} for text in "ab"]
CASES: Final[Mapping[str, dict[str, Any]]] = {
    "a message": {"messages": [HELLO]},
    "turns": {"messages": TURNS},
    "a system message": {"messages": [{"role": "system", "content": "Be brief."}, *TURNS]},
    "parts": {"messages": [{"role": "user", "content": PARTS}]},
    "tools": {"messages": [HELLO], "tools": [TOOL]},
    "tools that may not be called": {"messages": [HELLO], "tools": [TOOL], "tool_choice": "none"},
    "a call and its result": {"messages": CALLED, "tools": [TOOL]},
    "thinking": {"messages": [HELLO], "chat_template_kwargs": {"enable_thinking": True}},
    "no thinking": {"messages": [HELLO], "chat_template_kwargs": {"enable_thinking": False}},
    "an effort": {"messages": [HELLO], "reasoning_effort": "low"},
    "thoughts": {"messages": [HELLO, {"role": "assistant", "content": "a", "reasoning": "b"}, HELLO]},
    "no generation prompt": {"messages": TURNS, "add_generation_prompt": False},
}


# Where vLLM's prompt is another, and why; docs/vllm.md has the reasons at length.
_ADDED: Final = (
    "a template without tools gets them, their calls and results in words here; vLLM leaves them out"
)
_BLANKS: Final = "vLLM's tokenizer keeps blanks that the special token before them takes (`rstrip`)"
_ARGUMENTS: Final = "vLLM hands the arguments as an object to a template that wants text, and fails"
DIFFERENT: Final[Mapping[tuple[str, str], str]] = {
    **{("phi3", case): _BLANKS for case in CASES},
    **{
        (template, case): _ADDED
        for template in ("gemma", "deepseek", "command-r", "plain")
        for case in ("tools", "a call and its result")
    },
    ("llama", "a call and its result"): _ADDED,
    **{(f"calls of {name}", "a call and its result"): _ARGUMENTS for name in ("deepseek_v3", "deepseek_v31")},
    ("plain", "a system message"): "it begins the user's turn here, and vLLM refuses it",
    (
        "calls of kimi_k2",
        "a call and its result",
    ): "calls have the model's own ids here, and the client's in vLLM",
    ("calls of lfm2", "a call and its result"): "vLLM's Jinja writes lists as JSON, and not as Python",
}

MADE: Final[Mapping[str, Callable[[], Tokenizer]]] = {
    **{name: partial(tokenizer_of, name) for name in FAMILIES},
    "first system": partial(chat_tokenizer, FIRST_SYSTEM_TEMPLATE),
    "hermes": partial(chat_tokenizer, HERMES_TEMPLATE),
    "llama": partial(chat_tokenizer, LLAMA_TEMPLATE),
    "plain": partial(chat_tokenizer, PLAIN_TEMPLATE),
    "opened thoughts": partial(chat_tokenizer, THINKING_TEMPLATE),
    **{f"calls of {name}": partial(chat_tokenizer, template) for name, template in TEMPLATES.items()},
}


class Renderers(NamedTuple):
    """vLLM's renderer and our server, with the same files."""

    template: str
    url: str
    ours: Api


@pytest.fixture(scope="module", params=["the demo model", *MADE])
def renderers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Renderers]:
    model = tmp_path_factory.mktemp("model")
    if request.param in MADE:
        cast(Any, MADE[request.param]().hf).save_pretrained(model)
        copy(DEMO_MODEL / "config.json", model)
    else:
        copytree(DEMO_MODEL, model, dirs_exist_ok=True)
    tokenizer = Tokenizer(TokenizerFiles(model), vocab_size=2**16, end_token_ids=())
    engine = ScriptedEngine(says("a"), tokenizer=tokenizer, max_total_tokens=3000)
    options = ("--served-model-name", MODEL, "--tool-call-parser", "hermes", "--reasoning-parser", "none")
    command = (os.environ["VLLM_RS"], "render", str(model), *options, "--exclude-tools-when-tool-choice-none")
    with running(command, {}, tmp_path_factory.mktemp("log") / "vllm-rs") as url:
        _wait(url)
        yield Renderers(request.param, url, Api(engine))


def _wait(url: str) -> None:
    for _ in range(600):
        with suppress(httpx.TransportError):
            httpx.get(f"{url}/health").raise_for_status()
            return
        time.sleep(0.1)
    pytest.fail("vllm-rs does not answer within a minute")


@pytest.mark.parametrize("case", CASES)
async def test_a_prompt_is_vllms_token_for_token(renderers: Renderers, case: str) -> None:
    body = {"model": MODEL, "max_tokens": 5, **CASES[case]}
    theirs = httpx.post(renderers.url + PATH, json=body).json()
    ours = await renderers.ours.answer(f"/openai{PATH}", body)
    is_equal = theirs.get("token_ids") == ours["token_ids"]
    assert is_equal is ((renderers.template, case) not in DIFFERENT), (theirs, ours["token_ids"])
