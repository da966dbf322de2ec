"""Agents of OpenAI's Agents SDK: tools, handoffs, typed answers and streams, over both of OpenAI's APIs."""

import os

import pytest
from agents import (
    Agent,
    Model,
    ModelSettings,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    SQLiteSession,
    function_tool,
)
from openai import AsyncOpenAI
from openai.types.shared import Reasoning
from pydantic import BaseModel

URL = os.environ["SERVER"]
MODEL = os.environ["MODEL"]


class City(BaseModel):
    """A city."""

    name: str
    num_people: int


@function_tool
def get_weather(city: str) -> str:
    """Return the weather in a city."""
    return f"sunny in {city}"


@pytest.fixture(params=[OpenAIChatCompletionsModel, OpenAIResponsesModel])
def model(request: pytest.FixtureRequest) -> Model:
    client = AsyncOpenAI(base_url=f"{URL}/v1", api_key="none", max_retries=0)
    made: Model = request.param(MODEL, client)
    return made


async def test_an_agent_answers_and_counts_its_tokens(model: Model) -> None:
    result = await Runner.run(Agent(name="a", model=model, instructions="Be brief."), "Hi!")
    assert result.final_output.startswith("Hello!")
    usage = result.context_wrapper.usage
    assert usage.requests == 1
    assert usage.total_tokens == usage.input_tokens + usage.output_tokens > 0


@pytest.mark.parametrize("choice", [None, "auto", "required", "get_weather"])
async def test_an_agent_calls_its_tool_and_reads_the_result(model: Model, choice: str | None) -> None:
    settings = ModelSettings(tool_choice=choice, parallel_tool_calls=False, temperature=0.5, max_tokens=100)
    agent = Agent(name="a", model=model, tools=[get_weather], model_settings=settings)
    result = await Runner.run(agent, "How is the weather in 'Lyon'?")
    assert "sunny in Lyon" in result.final_output


async def test_an_agent_hands_over_to_another(model: Model) -> None:
    other = Agent(name="meteorologist", model=model, tools=[get_weather])
    first = Agent(name="first", model=model, handoffs=[other])
    result = await Runner.run(first, "Let the meteorologist say something.")
    assert result.last_agent is other


async def test_an_answer_has_its_type(model: Model) -> None:
    agent = Agent(name="a", model=model, output_type=City)
    result = await Runner.run(agent, "How large is 'Lyon', of 500000 people?")
    assert result.final_output == City(name="Lyon", num_people=500000)


async def test_a_stream_calls_tools_and_ends(model: Model) -> None:
    agent = Agent(name="a", model=model, tools=[get_weather])
    result = Runner.run_streamed(agent, "How is the weather in 'Lyon'?")
    kinds = [event.type async for event in result.stream_events()]
    assert {"raw_response_event", "run_item_stream_event"} <= set(kinds)
    assert "sunny in Lyon" in result.final_output


async def test_a_session_is_a_conversation(model: Model) -> None:
    agent = Agent(name="a", model=model, tools=[get_weather])
    session = SQLiteSession("one")
    await Runner.run(agent, "How is the weather in 'Lyon'?", session=session)
    result = await Runner.run(agent, "Thanks!", session=session)
    assert result.final_output.startswith("Hello!")
    assert len(await session.get_items()) > 4


async def test_settings_of_reasoning_are_taken(model: Model) -> None:
    settings = ModelSettings(
        reasoning=Reasoning(effort="low", summary="auto"), verbosity="low", store=False, top_p=0.9
    )
    result = await Runner.run(Agent(name="a", model=model, model_settings=settings), "Hi!")
    assert result.final_output.startswith("Hello!")
