"""The chat template, rendered the way transformers renders it."""

from typing import Any

import pytest
from transformers import PreTrainedTokenizerBase

from tools.demo_model.corpus import render
from tools.demo_model.recipe import FROM_NOTHING
from tools.demo_model.scribe import Scribe, Split
from tools.demo_model.skills.mixture import dialogue

TOOL = {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}
NO_THOUGHT = "<think>\n\n</think>\n\n"


def rendered(tokenizer: PreTrainedTokenizerBase, messages: list[dict[str, Any]], **options: Any) -> str:
    text = tokenizer.apply_chat_template(messages, tokenize=False, **options)
    assert isinstance(text, str)
    return text


def test_a_prompt_without_thinking_ends_in_an_empty_think_block(tokenizer: PreTrainedTokenizerBase) -> None:
    text = rendered(tokenizer, [{"role": "user", "content": "Hi"}], add_generation_prompt=True)
    assert text == f"<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n{NO_THOUGHT}"


def test_with_thinking_the_model_opens_the_block_itself(tokenizer: PreTrainedTokenizerBase) -> None:
    messages = [{"role": "user", "content": "Hi"}]
    text = rendered(tokenizer, messages, add_generation_prompt=True, enable_thinking=True)
    assert text == "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"


@pytest.mark.parametrize("tool", [TOOL, {"type": "function", "function": TOOL}])
def test_tools_are_listed_in_the_system_turn(
    tokenizer: PreTrainedTokenizerBase, tool: dict[str, Any]
) -> None:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
    assert rendered(tokenizer, messages, tools=[tool]) == (
        "<|im_start|>system\nBe brief.\n\n# Tools\n<tools>\n"
        '{"name": "get_weather", "parameters": '
        '{"type": "object", "properties": {"city": {"type": "string"}}}}\n'
        "</tools><|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
    )


@pytest.mark.parametrize("arguments", [{"city": "Köln"}, '{"city": "Köln"}'])
def test_calls_and_results_render_in_hermes_form(
    tokenizer: PreTrainedTokenizerBase, arguments: object
) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "get_weather", "arguments": arguments}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": None, "tool_calls": [call, call]},
        {"role": "tool", "tool_call_id": "1", "content": "sunny"},
        {"role": "tool", "tool_call_id": "1", "content": [{"type": "text", "text": "rainy"}]},
    ]
    block = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Köln"}}\n</tool_call>'
    assert rendered(tokenizer, messages) == (
        f"<|im_start|>user\nWeather?<|im_end|>\n<|im_start|>assistant\n{NO_THOUGHT}{block}\n{block}<|im_end|>\n"
        "<|im_start|>user\n<tool_response>\nsunny\n</tool_response>\n<tool_response>\nrainy\n</tool_response>"
        "<|im_end|>\n"
    )


def test_thoughts_of_earlier_rounds_are_dropped(tokenizer: PreTrainedTokenizerBase) -> None:
    messages = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "<think>\nA greeting.\n</think>\n\nHello!"},
        {"role": "user", "content": "Bye"},
        {"role": "assistant", "content": "Goodbye!", "reasoning_content": "A farewell."},
    ]
    text = rendered(tokenizer, messages)
    assert f"assistant\n{NO_THOUGHT}Hello!<|im_end|>" in text
    assert "assistant\n<think>\nA farewell.\n</think>\n\nGoodbye!<|im_end|>" in text


def test_a_final_message_can_be_continued(tokenizer: PreTrainedTokenizerBase) -> None:
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello, my"}]
    assert rendered(tokenizer, messages, continue_final_message=True).endswith(f"{NO_THOUGHT}Hello, my")


def test_training_renders_as_transformers_does(tokenizer: PreTrainedTokenizerBase) -> None:
    scribe = Scribe(0, Split.SEEN)
    for _ in range(50):
        talk = dialogue(scribe, FROM_NOTHING.curriculum[-1])
        assert render(talk) == rendered(tokenizer, talk.messages(), tools=list(talk.tools) or None)
