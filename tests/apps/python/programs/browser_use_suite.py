"""browser-use's answers: its agent's schema, as it asks for it in each step, without a browser."""

import os

import pytest
from browser_use import ChatOpenAI, Tools
from browser_use.agent.views import AgentOutput
from browser_use.llm.messages import UserMessage

URL = os.environ["SERVER"]
MODEL = os.environ["MODEL"]


@pytest.fixture
def chat() -> ChatOpenAI:
    return ChatOpenAI(model=MODEL, base_url=f"{URL}/v1", api_key="none", max_retries=0)


async def test_a_step_of_the_agent_has_its_schema(chat: ChatOpenAI) -> None:
    action = Tools().registry.create_action_model()
    output = AgentOutput.type_with_custom_actions(action)
    answer = await chat.ainvoke([UserMessage(content="Open 'https://example.org'.")], output_format=output)
    assert answer.completion.action
