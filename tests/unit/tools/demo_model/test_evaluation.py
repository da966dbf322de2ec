"""The judge of replies: what counts as ended, as a stray call and as right."""

import json

import pytest

from tools.demo_model.dialogue import Call, Dialogue, Round, Tool
from tools.demo_model.evaluation import KINDS, Trial, has_ended, has_stray_call, is_right, trials

END = "<|im_end|>"
CALL = '<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
WEATHER: Tool = {"name": "weather"}


def trial(*tools: Tool, thinking: bool = False, calls: tuple[Call, ...] = ()) -> Trial:
    asked = Round("Weather?", "", "I do not know.", ("do not know",), calls)
    return Trial([], Dialogue("", (asked,), tools=tools), asked, thinking)


def test_a_reply_that_runs_to_the_bound_is_wrong() -> None:
    assert has_ended(f"I do not know.{END}") and not has_ended("I do not know.")
    assert is_right(trial(), f"I do not know.{END}")
    assert not is_right(trial(), "I do not know.")


@pytest.mark.parametrize("reply", [f"{CALL}{END}", f"I do not know. <tool_call>{END}"])
def test_a_call_without_tools_is_stray(reply: str) -> None:
    assert has_stray_call(trial(), reply)
    assert not is_right(trial(), reply)


def test_a_call_in_a_thought_is_stray_too() -> None:
    reply = f"<think>\n{CALL}\n</think>\n\nI do not know.{END}"
    assert has_stray_call(trial(thinking=True), reply)
    assert not is_right(trial(thinking=True), reply)


def test_a_call_of_a_given_tool_is_not_stray() -> None:
    wanted = trial(WEATHER, calls=(Call("weather", {"city": "Oslo"}),))
    assert not has_stray_call(wanted, f"{CALL}{END}")
    assert is_right(wanted, f"{CALL}{END}")


def test_tools_for_something_else_must_not_be_called() -> None:
    assert not is_right(trial(WEATHER), f"{CALL}{END}")
    assert is_right(trial(WEATHER), f"I do not know.{END}")


def test_an_empty_thought_is_wrong_with_thinking_on() -> None:
    assert not is_right(trial(thinking=True), f"<think>\n\n</think>\n\nI do not know.{END}")


@pytest.mark.parametrize("kind", KINDS)
def test_the_scripts_own_answers_are_right(kind: str) -> None:
    for asked in trials(kind, num_prompts=20, thinking=False):
        last = asked.expected
        calls = "".join(
            f'<tool_call>\n{{"name": "{call.name}", "arguments": {arguments}}}\n</tool_call>'
            for call in last.calls
            for arguments in [json.dumps(dict(call.arguments))]
        )
        assert is_right(asked, f"{calls or last.answer}{END}"), last
