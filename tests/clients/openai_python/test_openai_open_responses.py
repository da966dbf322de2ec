"""openai-python against Open Responses, whose forms of items and answers it reads as OpenAI's."""

from collections.abc import Iterator

import openai
import pytest
from openai import OpenAI
from openai.resources.responses.responses import ResponsesConnection
from openai.types.responses import Response, ResponseFunctionToolCall, ResponseInputParam

from tests.clients.openai_python.test_openai_responses import ADD_TOOL, MODEL, QUESTION


@pytest.fixture
def client(server_url: str) -> Iterator[OpenAI]:
    with OpenAI(base_url=f"{server_url}/open_responses/v1", api_key="-", max_retries=0) as client:
        yield client


def test_a_response_is_the_same_whole_and_streamed(client: OpenAI) -> None:
    whole = client.responses.create(model=MODEL, input=QUESTION, max_output_tokens=40, temperature=0)
    with client.responses.stream(model=MODEL, input=QUESTION, max_output_tokens=40, temperature=0) as stream:
        pieces = [event.delta for event in stream if event.type == "response.output_text.delta"]
        streamed = stream.get_final_response()
    assert "".join(pieces) == streamed.output_text == whole.output_text != ""


def test_a_tool_is_called_and_its_result_read(client: OpenAI) -> None:
    items: ResponseInputParam = [{"role": "user", "content": "What is 2 plus 3?"}]
    called = client.responses.create(model=MODEL, input=items, tools=[ADD_TOOL], tool_choice="required")
    (call,) = called.output
    assert isinstance(call, ResponseFunctionToolCall) and call.name == "add"
    answered = client.responses.create(
        model=MODEL,
        previous_response_id=called.id,
        input=[{"type": "function_call_output", "call_id": call.call_id, "output": "5"}],
        max_output_tokens=40,
    )
    assert answered.previous_response_id == called.id and answered.status in ("completed", "incomplete")


# openai 3.57 connects in a way that websockets 17.4 gives up.
@pytest.mark.filterwarnings(r"ignore:connect\(\) must be used as a context manager:DeprecationWarning")
def test_a_conversation_over_a_websocket_continues_what_is_not_stored(client: OpenAI) -> None:
    with client.responses.connect() as connection:
        connection.response.create(model=MODEL, input=QUESTION, store=False, max_output_tokens=40)
        first = _last(connection)
        connection.response.create(
            model=MODEL, input="And then?", store=False, previous_response_id=first.id, max_output_tokens=40
        )
        second = _last(connection)
    assert first.output_text and second.output_text
    assert second.previous_response_id == first.id
    assert first.usage and second.usage and second.usage.input_tokens > first.usage.input_tokens


def _last(connection: ResponsesConnection) -> Response:
    for event in connection:
        if event.type in ("response.completed", "response.incomplete"):
            return event.response
        assert event.type != "error", event
    raise AssertionError("the connection ended before the response")


def test_an_error_is_the_clients_own_and_names_the_field(client: OpenAI) -> None:
    with pytest.raises(openai.BadRequestError) as caught:
        client.responses.create(model=MODEL, input=QUESTION, temperature=3)
    assert caught.value.param == "temperature"
    with pytest.raises(openai.NotFoundError):
        client.responses.create(model="other", input=QUESTION)
