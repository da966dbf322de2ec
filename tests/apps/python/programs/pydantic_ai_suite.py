"""Agents of pydantic-ai: tools, structured answers, and streams, over three APIs."""

import os
from collections.abc import AsyncIterator

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry, NativeOutput, RunContext, ToolOutput
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

URL = os.environ["SERVER"]
MODEL = os.environ["MODEL"]


class City(BaseModel):
    """A city."""

    name: str
    num_people: int


@pytest.fixture(params=["chat", "responses", "anthropic"])
async def model(request: pytest.FixtureRequest) -> AsyncIterator[Model]:
    if request.param == "anthropic":
        yield AnthropicModel(MODEL, provider=AnthropicProvider(base_url=URL, api_key="none"))
        return
    provider = OpenAIProvider(base_url=f"{URL}/v1", api_key="none")
    kind = OpenAIChatModel if request.param == "chat" else OpenAIResponsesModel
    yield kind(MODEL, provider=provider)


async def test_an_agent_answers_and_counts_its_tokens(model: Model) -> None:
    result = await Agent(model, instructions="Be brief.").run("Hi!")
    assert result.output.startswith("Hello!")
    used = result.usage
    assert used.requests == 1 and used.input_tokens > 0 and used.output_tokens > 0


async def test_an_agent_calls_its_tool_and_reads_the_result(model: Model) -> None:
    agent = Agent(model)

    @agent.tool
    async def get_weather(context: RunContext[None], city: str) -> str:
        """Return the weather in a city."""
        return f"sunny in {city}"

    result = await agent.run("How is the weather in 'Lyon'?")
    assert "sunny in Lyon" in result.output
    used = result.usage
    assert (used.requests, used.tool_calls) == (2, 1)


async def test_a_tool_that_asks_for_another_try_gets_one(model: Model) -> None:
    agent = Agent(model, retries=2)
    tries: list[str] = []

    @agent.tool_plain
    def get_weather(city: str) -> str:
        """Return the weather in a city."""
        tries.append(city)
        if len(tries) == 1:
            raise ModelRetry("Say the weather of the same city again.")
        return f"sunny in {city}"

    result = await agent.run("How is the weather in 'Lyon'?")
    assert tries[0] == "Lyon"
    assert result.output


@pytest.mark.parametrize("mode", [ToolOutput, NativeOutput])
async def test_an_answer_has_its_type(model: Model, mode: type) -> None:
    if mode is NativeOutput and isinstance(model, AnthropicModel):
        pytest.skip("pydantic-ai knows by their names which of Anthropic's models have it")
    result = await Agent(model, output_type=mode(City)).run("How large is 'Lyon', of 500000 people?")
    assert result.output == City(name="Lyon", num_people=500000)


async def test_a_stream_joins_to_the_answer(model: Model) -> None:
    async with Agent(model).run_stream("Hi!") as result:
        pieces = [piece async for piece in result.stream_text(delta=True, debounce_by=None)]
    assert len(pieces) > 1
    assert "".join(pieces).startswith("Hello!")


async def test_a_stream_calls_tools(model: Model) -> None:
    agent = Agent(model)

    @agent.tool_plain
    def get_weather(city: str) -> str:
        """Return the weather in a city."""
        return f"sunny in {city}"

    async with agent.run_stream("How is the weather in 'Lyon'?") as result:
        output = await result.get_output()
    assert "sunny in Lyon" in output


async def test_a_conversation_goes_on(model: Model) -> None:
    agent = Agent(model)
    first = await agent.run("Hi!")
    second = await agent.run("Hi again!", message_history=first.all_messages())
    assert second.output.startswith("Hello!")
    assert len(second.all_messages()) == 4
