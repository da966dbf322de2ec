"""The clients that are generated from the contracts, whole and in events; `make test-sdk` has the rest."""

from verbatim_server_client import openai, tgi

MODEL = "verbatim-demo"


def test_a_stream_joins_to_the_whole_answer(server_url: str) -> None:
    with tgi.Client(f"{server_url}/tgi") as client:
        parameters: tgi.requests.GenerateParameters = {"max_new_tokens": 8}
        whole = client.generate(inputs="Hello", parameters=parameters)
        with client.generate_stream(inputs="Hello", parameters=parameters) as events:
            assert "".join(event.token.text for event in events) == whole.generated_text


async def test_an_asynchronous_stream_joins_to_the_whole_answer(server_url: str) -> None:
    messages: list[openai.requests.ChatCompletionRequestUserMessage] = [{"role": "user", "content": "Hello!"}]
    async with openai.AsyncClient(f"{server_url}/openai") as client:
        whole = await client.create_chat_completion(model=MODEL, messages=messages, temperature=0)
        stream = client.stream_create_chat_completion(model=MODEL, messages=messages, temperature=0)
        async with stream as events:
            texts = [choice.delta.content or "" async for event in events for choice in event.choices]
    assert "".join(texts) == whole.choices[0].message.content
