"""Qwen-Agent's assistant with a tool of its own, by native calls and by calls that its prompt asks for."""

import os
from typing import Any

import pytest
from qwen_agent.agents import Assistant
from qwen_agent.tools.base import BaseTool, register_tool

URL = os.environ["SERVER"]
MODEL = os.environ["MODEL"]


@register_tool("get_weather")
class Weather(BaseTool):
    description = "Return the weather in a city."
    parameters = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}

    def call(self, params: str | dict[str, Any], **_: Any) -> str:
        return f"sunny in {self._verify_json_format_args(params)['city']}"


@pytest.mark.parametrize("is_thinking", [False, True])
def test_an_assistant_calls_its_tool_and_reads_the_result(is_thinking: bool) -> None:
    assistant = Assistant(
        llm={
            "model": MODEL,
            "model_type": "oai",
            "model_server": f"{URL}/v1",
            "api_key": "none",
            "generate_cfg": {
                "use_raw_api": True,
                "extra_body": {"chat_template_kwargs": {"enable_thinking": is_thinking}},
            },
        },
        function_list=["get_weather"],
    )
    messages: list[dict[str, Any]] = [{"role": "user", "content": "How is the weather in 'Lyon'?"}]
    *_, answers = assistant.run(messages)
    assert "sunny in Lyon" in answers[-1]["content"]
    further = [*messages, *answers, {"role": "user", "content": "Thanks!"}]
    *_, answers = assistant.run(further)
    assert answers[-1]["content"].startswith("Hello!")
