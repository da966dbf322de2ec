"""Thinking budgets of chats: how a model's thought is closed, and what its answer and its usage are."""

from collections.abc import AsyncIterator
from typing import Final

import pytest
from msgspec.structs import replace

from engine.async_engine import AsyncEngine
from engine.config import EngineConfig
from engine.demo_model import DEMO_MODEL
from engine.port.request import SamplingParams
from handlers.chat.core import ChatCore
from handlers.chat.delta import ChatFinish
from handlers.chat.messages import ChatMessage
from handlers.chat.params import ChatParams, ReasoningStyle
from handlers.chat.prompt.dialect import Dialect
from handlers.chat.reading.reasoning import ReasoningStart
from handlers.chat.reading.result import ChatResult, collect_chat
from handlers.chat.structured_output.response_format import JsonSchema
from tests.unit.engine.port.text.tiny_tokenizers import byte_level
from tests.unit.handlers.chat.models import HERMES_TEMPLATE, PLAIN_TEMPLATE, THINKING_TEMPLATE, chat_tokenizer
from tests.unit.handlers.chat.tool_calls.templates import TEMPLATES

SCHEMA: Final = JsonSchema(
    {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}
)


def shows(thought: str) -> str:
    """Return a template that writes the thoughts of messages in this way, before their contents."""
    return (
        "{%- for message in messages %}{{- message.role + ':' }}"
        "{%- if message.reasoning_content %}{{- " + thought + " }}{%- endif %}"
        "{{- message.content }}{%- endfor %}"
    )


@pytest.mark.parametrize(
    ("template", "closing"),
    [
        (HERMES_TEMPLATE, "\n</think>\n\n"),  # it writes no thoughts, so it is what most models write
        (shows("'<think>\\n' + message.reasoning_content + '\\n</think>\\n\\n'"), "\n</think>\n\n"),
        (shows("'<think>' + message.reasoning_content + '</think>\\n'"), "</think>\n"),
        (shows("'<think>' + message.reasoning_content + ' .</think>x'"), "</think>"),
        (shows("'<think>' + message.reasoning_content + '</think>\\n\\n\\n\\n'"), "</think>\n\n"),
        (shows("'[THINK]' + message.reasoning_content + '[/THINK]'"), "[/THINK]"),
        (TEMPLATES["openai"], "<|end|><|start|>assistant"),
    ],
)
def test_a_thought_is_closed_as_the_template_closes_it(template: str, closing: str) -> None:
    bound = Dialect.of(chat_tokenizer(template).hf).thinking_budget(7, ReasoningStart.OPEN)
    assert bound is not None
    assert (bound.max_tokens, bound.closing, bound.is_open) == (7, closing, True)


@pytest.mark.parametrize(
    ("template", "prompt", "is_open"),
    [
        (HERMES_TEMPLATE, "<|im_start|>assistant\n", False),
        (HERMES_TEMPLATE, "<|im_start|>assistant\n<think>\n", True),
        (HERMES_TEMPLATE, "<|im_start|>assistant\n<think>\nWell, " + "and " * 90, True),
        (HERMES_TEMPLATE, "<|im_start|>assistant\n<think>\n\n</think>\n\n", None),
        (HERMES_TEMPLATE, "<think>a</think>b<|im_end|><|im_start|>assistant\n", False),
        (TEMPLATES["openai"], "<|start|>assistant", False),
        (TEMPLATES["openai"], "<|start|>assistant<|channel|>analysis<|message|>Well", True),
        (TEMPLATES["openai"], "<|start|>assistant<|channel|>final<|message|>Well", None),
    ],
)
def test_a_prompt_in_tokens_says_whether_a_thought_is_open(
    template: str, prompt: str, is_open: bool | None
) -> None:
    tokenizer = chat_tokenizer(template)
    core = ChatCore(tokenizer, max_total_tokens=1000)
    bound = core.thinking_budget(tokenizer.encode(prompt, add_special_tokens=False), 3)
    assert (bound and bound.is_open) == is_open


def params(**fields: object) -> ChatParams:
    given = ChatParams(
        request_id="r",
        messages=(ChatMessage(role="user", content="What is 12 plus 30?"),),
        sampling=SamplingParams(temperature=0.0),
        max_tokens=80,
        enable_thinking=True,
        reasoning=ReasoningStyle.SPLIT,
        thinking_budget=4,
    )
    return replace(given, **fields)


@pytest.mark.parametrize(
    ("template", "fields"),
    [
        (HERMES_TEMPLATE, {"enable_thinking": False}),
        # The grammar binds the answer from its first token.
        (THINKING_TEMPLATE, {"reasoning": ReasoningStyle.INLINE, "response_format": SCHEMA}),
        (THINKING_TEMPLATE, {"begins_answer": True}),
        (THINKING_TEMPLATE, {"thinking_budget": None}),
    ],
)
def test_a_chat_without_thoughts_has_nothing_to_bound(template: str, fields: dict[str, object]) -> None:
    core = ChatCore(chat_tokenizer(template), max_total_tokens=1000)
    assert core.prepare(params()).request.sampling.thinking_budget is not None
    assert core.prepare(params(**fields)).request.sampling.thinking_budget is None


def test_a_model_that_does_not_think_aloud_has_nothing_to_bound() -> None:
    tokenizer = byte_level()
    tokenizer.hf.chat_template = PLAIN_TEMPLATE
    core = ChatCore(tokenizer, max_total_tokens=1000)
    assert core.prepare(params()).request.sampling.thinking_budget is None
    assert core.thinking_budget([1, 2], 3) is None


def test_a_template_that_reads_the_budget_is_given_it() -> None:
    template = HERMES_TEMPLATE + "{%- if thinking_budget %}{{- 'budget ' ~ thinking_budget }}{%- endif %}"
    core = ChatCore(chat_tokenizer(template), max_total_tokens=1000)
    assert core.prepare(params(thinking_budget=512)).prompt_text.endswith("budget 512")


@pytest.fixture(scope="module")
async def engine() -> AsyncIterator[AsyncEngine]:
    engine = await AsyncEngine.start(EngineConfig(model=str(DEMO_MODEL), num_kv_blocks=256))
    yield engine
    await engine.stop()


async def ask(engine: AsyncEngine, chat: ChatParams) -> ChatResult:
    core = ChatCore(engine.tokenizer, max_total_tokens=engine.model_info.max_total_tokens)
    prepared = core.prepare(chat)
    return await collect_chat(prepared.outputs(), engine.submit(prepared.request))


def num_tokens(engine: AsyncEngine, text: str) -> int:
    return len(engine.tokenizer.encode(text, add_special_tokens=False))


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 5, 8, 13])
async def test_usage_counts_the_thought_and_its_tags_and_the_answer_follows(
    engine: AsyncEngine, limit: int
) -> None:
    result = await ask(engine, params(thinking_budget=limit, num_sequences=3))
    num_closing = num_tokens(engine, "\n</think>")
    num_tags = num_tokens(engine, "<think>") + num_closing
    assert result.usage.num_reasoning_tokens <= 3 * (limit + num_tags)
    for choice in result.choices:
        assert choice.finish is ChatFinish.STOP and choice.content
        assert "think>" not in choice.content + choice.reasoning
    unbound = await ask(engine, params(thinking_budget=None))
    assert unbound.usage.num_reasoning_tokens > 8 + num_tags
    if unbound.usage.num_reasoning_tokens > limit + num_tags:
        # All of it is used: the first tag, the thought, and the tokens that close it.
        assert result.usage.num_reasoning_tokens == 3 * (limit + num_tags)


async def test_a_budget_that_is_not_spent_changes_nothing(engine: AsyncEngine) -> None:
    unbound = await ask(engine, params(thinking_budget=None))
    for limit in (70, 1000):
        bound = await ask(engine, params(thinking_budget=limit))
        assert [choice.content for choice in bound.choices] == [choice.content for choice in unbound.choices]
        assert bound.usage.num_reasoning_tokens == unbound.usage.num_reasoning_tokens


@pytest.mark.parametrize("limit", [0, 2, 6])
async def test_a_structured_answer_follows_a_thought_that_is_closed(engine: AsyncEngine, limit: int) -> None:
    hot = SamplingParams(temperature=1.5, seed=3)
    chat = params(thinking_budget=limit, response_format=SCHEMA, sampling=hot, num_sequences=4)
    result = await ask(engine, chat)
    for choice in result.choices:
        if choice.finish is ChatFinish.STOP:
            assert choice.content.startswith("{") and '"sum"' in choice.content
    assert result.usage.num_reasoning_tokens <= 4 * (limit + 1 + num_tokens(engine, "\n</think>") + 3)


async def test_thoughts_that_stay_in_the_content_are_bound_too(engine: AsyncEngine) -> None:
    result = await ask(engine, params(reasoning=ReasoningStyle.INLINE))
    [choice] = result.choices
    thought, _, answer = choice.content.partition("\n</think>\n\n")
    assert thought.startswith("<think>") and num_tokens(engine, thought) <= 5 and answer
