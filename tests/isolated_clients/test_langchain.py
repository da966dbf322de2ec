from typing import Annotated

import pytest
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import BaseModel, Field


@pytest.fixture
def chat(base_url: str) -> ChatOpenAI:
    return ChatOpenAI(
        model="verbatim-demo", base_url=base_url, api_key="none", temperature=0, max_retries=0, max_tokens=200
    )


@tool
def get_weather(city: Annotated[str, "Name of the place"]) -> str:
    """The weather in a place."""
    return f"sunny in {city}"


class Person(BaseModel):
    """Somebody."""

    name: str = Field(max_length=20)
    age: int = Field(ge=0, le=150)


def test_an_invocation_answers_with_usage(chat):
    message = chat.invoke("Hello!")
    assert message.content
    assert message.usage_metadata["output_tokens"] > 0


def test_a_stream_joins_to_the_answer(chat):
    question = "What is the capital of France?"
    assert "".join(chunk.content for chunk in chat.stream(question)) == chat.invoke(question).content


def test_a_tool_loop_comes_to_an_answer(chat):
    bound = chat.bind_tools([get_weather], tool_choice="any")
    question = HumanMessage("What is the weather in Oslo?")
    asked = bound.invoke([question])
    [call] = asked.tool_calls
    assert (call["name"], call["args"]) == ("get_weather", {"city": "Oslo"})
    result = ToolMessage(get_weather.invoke(call["args"]), tool_call_id=call["id"])
    assert chat.bind_tools([get_weather]).invoke([question, asked, result]).content


@pytest.mark.parametrize("method", ["json_schema", "function_calling"])
def test_structured_output_is_the_model_asked_for(chat, method):
    person = chat.with_structured_output(Person, method=method).invoke("Give me JSON for Bo, 7 years old.")
    assert isinstance(person, Person)


def test_the_responses_api_answers_too(base_url):
    chat = ChatOpenAI(
        model="verbatim-demo", base_url=base_url, api_key="none", temperature=0, use_responses_api=True
    )
    assert chat.invoke("Hello!").text


def test_embeddings_are_of_one_length(base_url):
    embeddings = OpenAIEmbeddings(
        model="verbatim-demo", base_url=base_url, api_key="none", check_embedding_ctx_length=False
    )
    first, second = embeddings.embed_documents(["one", "two"])
    assert len(first) == len(second)
