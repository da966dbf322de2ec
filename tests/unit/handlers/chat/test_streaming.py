"""On the embedded model at temperature 0: what is streamed, joined, is the answer that comes whole."""

from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace

from engine.async_engine import AsyncEngine
from engine.config import EngineConfig
from engine.demo_model import DEMO_MODEL
from engine.port.request import SamplingParams
from handlers.chat.core import ChatCore, PreparedChat
from handlers.chat.delta import ChatDelta, ChatFinish
from handlers.chat.messages import ChatMessage
from handlers.chat.params import ChatParams, ReasoningStyle
from handlers.chat.reading.logprobs import scored_tokens
from handlers.chat.reading.result import ChatChoice, ChatResult, collect_chat, join
from handlers.chat.structured_output.response_format import JsonSchema
from handlers.chat.tools import ToolChoice, ToolDefinition, ToolMode

WEATHER = ToolDefinition(
    name="get_weather",
    parameters={"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)
PERSON = JsonSchema(
    {
        "type": "object",
        "properties": {
            "name": {"type": "string", "maxLength": 20},
            "age": {"type": "integer", "maximum": 99},
        },
        "required": ["name", "age"],
    }
)
CASES: dict[str, dict[str, object]] = {
    "words": {},
    "thoughts": {"enable_thinking": True},
    "a schema behind thoughts": {"enable_thinking": True, "response_format": PERSON},
    "a call": {"tools": (WEATHER,)},
    "a demanded call behind thoughts": {
        "tools": (WEATHER,),
        "tool_choice": ToolChoice(mode=ToolMode.REQUIRED),
        "enable_thinking": True,
    },
    "a stop string": {"stop": ("?", ".")},
}


@pytest.fixture(scope="module")
async def engine() -> AsyncIterator[AsyncEngine]:
    # A prompt that is found in the cache is computed in another shape, which rounds otherwise.
    config = EngineConfig(model=str(DEMO_MODEL), num_kv_blocks=256, prefix_caching=False)
    engine = await AsyncEngine.start(config)
    yield engine
    await engine.stop()


def prepare(engine: AsyncEngine, name: str) -> PreparedChat:
    core = ChatCore(engine.tokenizer, max_total_tokens=engine.model_info.max_total_tokens)
    plain = ChatParams(
        request_id=name,
        messages=(ChatMessage(role="user", content="What is the weather in Lisbon?"),),
        sampling=SamplingParams(temperature=0.0, num_logprobs=3),
        max_tokens=200,
        reasoning=ReasoningStyle.SPLIT,
    )
    return core.prepare(replace(plain, **CASES[name]))


async def whole(engine: AsyncEngine, prepared: PreparedChat) -> ChatResult:
    return await collect_chat(prepared.outputs(), engine.submit(prepared.request))


async def streamed(engine: AsyncEngine, prepared: PreparedChat) -> list[ChatDelta]:
    outputs = prepared.outputs()
    return [
        delta async for event in engine.submit(prepared.request) if (delta := outputs.feed(event)) is not None
    ]


def told(choice: ChatChoice) -> tuple[object, ...]:
    """Return the parts of a choice that a client sees, but for the calls' identifiers."""
    calls = [(call.name, call.arguments) for call in choice.tool_calls]
    return choice.content, choice.reasoning, calls, choice.stop_match, choice.finish


@pytest.mark.parametrize("name", CASES)
async def test_what_is_streamed_joins_to_the_whole_answer(engine: AsyncEngine, name: str) -> None:
    prepared = prepare(engine, name)
    [choice] = (await whole(engine, prepared)).choices
    deltas = await streamed(engine, prepared)
    joined = join(deltas)
    assert len(deltas) > 1
    assert told(joined) == told(choice)
    tokenizer = engine.tokenizer
    pieces = [token for delta in deltas for token in scored_tokens(delta.answer_events, tokenizer)]
    tokens = scored_tokens(choice.answer_events, tokenizer)
    assert pieces == list(tokens)


@pytest.mark.parametrize("name", CASES)
async def test_tokens_are_thoughts_or_the_answers_and_their_bytes_are_its_text(
    engine: AsyncEngine, name: str
) -> None:
    prepared = prepare(engine, name)
    result = await whole(engine, prepared)
    [choice] = result.choices
    data = b"".join(token.bytes for token in scored_tokens(choice.answer_events, engine.tokenizer))
    if choice.tool_calls:
        assert all(call.arguments.encode() in data for call in choice.tool_calls)
    elif choice.stop_match is None:
        assert data.decode() == choice.content
    else:
        assert data.decode().startswith(choice.content)
    assert (result.usage.num_reasoning_tokens > 0) is bool(choice.reasoning)
    assert result.usage.num_completion_tokens == len(choice.events)


async def test_a_grammar_begins_where_the_thoughts_end(engine: AsyncEngine) -> None:
    [choice] = (await whole(engine, prepare(engine, "a schema behind thoughts"))).choices
    assert choice.finish is ChatFinish.STOP
    assert choice.reasoning and not choice.reasoning.lstrip().startswith("{")
    assert choice.content.startswith("{") and "age" in choice.content


async def test_thoughts_are_counted_to_the_token(engine: AsyncEngine) -> None:
    result = await whole(engine, prepare(engine, "thoughts"))
    [choice] = result.choices
    [end] = engine.tokenizer.encode("</think>", add_special_tokens=False)
    token_ids = [event.token_id for event in choice.events]
    assert result.usage.num_reasoning_tokens == token_ids.index(end) + 1
