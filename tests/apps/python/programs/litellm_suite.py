"""Loops of litellm over three of the APIs, and mini-swe-agent, which is made of one."""

import json
import os
from typing import Any, Final

import litellm
import pytest
from minisweagent.agents.default import DefaultAgent
from minisweagent.environments.local import LocalEnvironment
from minisweagent.models.litellm_model import LitellmModel

URL = os.environ["SERVER"]
MODEL = os.environ["MODEL"]

# What a provider's name stands for in litellm, and where that finds the server.
_PROVIDERS: Final = {"openai": f"{URL}/v1", "hosted_vllm": f"{URL}/v1", "anthropic": URL}
_END: Final = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
_WEATHER: Final = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Return the weather in a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
}


_THINKING: Final[dict[str, dict[str, Any]]] = {
    "openai": {"reasoning_effort": "low", "allowed_openai_params": ["reasoning_effort"]},
    "hosted_vllm": {"reasoning_effort": "low"},
    "anthropic": {
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "allowed_openai_params": ["thinking"],
    },
}


@pytest.mark.parametrize("provider", _PROVIDERS)
@pytest.mark.parametrize("is_thinking", [False, True])
def test_a_loop_sends_back_the_messages_that_it_was_given(provider: str, is_thinking: bool) -> None:
    """litellm's messages have fields of its own, such as `provider_specific_fields`."""
    given = _THINKING[provider] if is_thinking else {}
    messages: list[Any] = [{"role": "user", "content": "How is the weather in 'Lyon'?"}]
    for _ in range(3):
        answer = litellm.completion(
            model=f"{provider}/{MODEL}",
            api_base=_PROVIDERS[provider],
            api_key="none",
            messages=messages,
            tools=[_WEATHER],
            max_tokens=2048,
            **given,
        )
        message = answer.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            break
        for call in message.tool_calls:
            assert json.loads(call.function.arguments) == {"city": "Lyon"}
            messages.append({"role": "tool", "tool_call_id": call.id, "content": "sunny in Lyon"})
    assert "sunny in Lyon" in messages[-1].content


@pytest.mark.parametrize("provider", _PROVIDERS)
def test_an_agent_runs_its_command_and_submits(provider: str) -> None:
    model = LitellmModel(
        model_name=f"{provider}/{MODEL}",
        model_kwargs={"api_base": _PROVIDERS[provider], "api_key": "none", "max_tokens": 2048},
        cost_tracking="ignore_errors",
    )
    agent = DefaultAgent(
        model,
        LocalEnvironment(),
        system_template="You work in a shell.",
        instance_template="Run in bash '{{ task }}'.",
        step_limit=3,
    )
    ended = agent.run(f"echo {_END} && echo marmalade")
    assert ended == {"exit_status": "Submitted", "submission": "marmalade\n"}
