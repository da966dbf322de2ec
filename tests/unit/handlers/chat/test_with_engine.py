"""The core on the engine and the embedded model, run so hot that only grammars keep its calls in shape."""

import json
from collections.abc import AsyncIterator

import jsonschema_rs
import pytest

from engine.async_engine import AsyncEngine
from engine.config import EngineConfig
from engine.demo_model import DEMO_MODEL
from engine.port.request import SamplingParams
from handlers.chat.core import ChatCore
from handlers.chat.delta import ChatFinish
from handlers.chat.messages import ChatMessage
from handlers.chat.params import ChatParams, ReasoningStyle
from handlers.chat.reading.result import ChatResult, collect_chat
from handlers.chat.tool_calls.tool_format import ToolFormat
from handlers.chat.tools import ToolCall, ToolChoice, ToolDefinition, ToolMode
from tests.unit.handlers.chat.formats import BY_KIND

SCHEMA = {
    "type": "object",
    "properties": {
        "place": {"$ref": "#/$defs/Place"},
        "days": {"type": "array", "items": {"enum": ["today", "tomorrow"]}, "minItems": 1, "maxItems": 2},
    },
    "required": ["place", "days"],
    "$defs": {"Place": {"type": "string", "minLength": 1, "maxLength": 9}},
}
TOOLS = tuple(ToolDefinition(name=name, parameters=SCHEMA) for name in ("get_weather", "get_tide"))
QUESTION = ChatMessage(role="user", content="What is the weather in Lisbon?")


@pytest.fixture(scope="module")
async def engine() -> AsyncIterator[AsyncEngine]:
    engine = await AsyncEngine.start(EngineConfig(model=str(DEMO_MODEL), num_kv_blocks=256))
    yield engine
    await engine.stop()


async def ask(engine: AsyncEngine, chat: ChatParams, tool_format: str | None = None) -> ChatResult:
    core = ChatCore(
        engine.tokenizer, max_total_tokens=engine.model_info.max_total_tokens, tool_format=tool_format
    )
    prepared = core.prepare(chat)
    return await collect_chat(prepared.outputs(), engine.submit(prepared.request))


def check(call: ToolCall) -> None:
    assert call.name in {tool.name for tool in TOOLS}
    jsonschema_rs.validate(SCHEMA, json.loads(call.arguments))


@pytest.mark.parametrize("reasoning", ReasoningStyle)
async def test_a_demanded_call_is_valid_however_hot_the_model_runs(
    engine: AsyncEngine, reasoning: ReasoningStyle
) -> None:
    chat = ChatParams(
        request_id=f"required-{reasoning.value}",
        messages=(QUESTION,),
        sampling=SamplingParams(temperature=2.0, seed=1),
        max_tokens=200,
        num_sequences=6,
        tools=TOOLS,
        tool_choice=ToolChoice(mode=ToolMode.REQUIRED),
        parallel_tool_calls=False,
        reasoning=reasoning,
    )
    for choice in (await ask(engine, chat)).choices:
        assert (choice.finish, choice.content, len(choice.tool_calls)) == (ChatFinish.TOOL_CALLS, "", 1)
        check(choice.tool_calls[0])


async def test_a_call_that_the_model_chooses_to_make_is_valid_however_hot_it_runs(
    engine: AsyncEngine,
) -> None:
    [begin] = engine.tokenizer.encode("<tool_call>", add_special_tokens=False)
    chat = ChatParams(
        request_id="auto",
        messages=(QUESTION,),
        # The bias makes the model begin a call; how it goes on is its own affair.
        sampling=SamplingParams(temperature=2.0, seed=1, logit_bias={begin: 100.0}),
        max_tokens=200,
        num_sequences=6,
        tools=TOOLS,
        parallel_tool_calls=False,
    )
    for choice in (await ask(engine, chat)).choices:
        assert (choice.finish, choice.content, len(choice.tool_calls)) == (ChatFinish.TOOL_CALLS, "", 1)
        check(choice.tool_calls[0])


@pytest.mark.parametrize("tool_format", BY_KIND)
async def test_a_demanded_call_is_valid_in_every_format(engine: AsyncEngine, tool_format: ToolFormat) -> None:
    chat = ChatParams(
        request_id=f"required-{tool_format.name}",
        messages=(QUESTION,),
        sampling=SamplingParams(temperature=2.0, seed=2),
        max_tokens=300,
        num_sequences=3,
        stop=("a", "e", '"'),
        tools=TOOLS,
        tool_choice=ToolChoice(mode=ToolMode.REQUIRED),
        parallel_tool_calls=False,
    )
    for choice in (await ask(engine, chat, tool_format.name)).choices:
        assert (choice.finish, choice.content, len(choice.tool_calls)) == (ChatFinish.TOOL_CALLS, "", 1)
        check(choice.tool_calls[0])


@pytest.mark.parametrize("max_tokens", [2, 9, 25])
async def test_a_call_that_the_length_cuts_keeps_its_arguments_and_shows_no_markup(
    engine: AsyncEngine, max_tokens: int
) -> None:
    [begin] = engine.tokenizer.encode("<tool_call>", add_special_tokens=False)
    chat = ChatParams(
        request_id=f"cut-{max_tokens}",
        messages=(QUESTION,),
        sampling=SamplingParams(temperature=0.0, logit_bias={begin: 100.0}),
        max_tokens=max_tokens,
        stop=('"', "{"),  # for content, of which there is none
        tools=TOOLS,
        parallel_tool_calls=False,
    )
    [choice] = (await ask(engine, chat)).choices
    assert (choice.finish, choice.content) == (ChatFinish.LENGTH, "")
    for call in choice.tool_calls:
        assert call.arguments.startswith("{") and call.name in {tool.name for tool in TOOLS}
    assert bool(choice.tool_calls) is (max_tokens == 25)
