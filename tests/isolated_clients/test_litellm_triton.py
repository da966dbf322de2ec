import litellm
import pytest

MESSAGES = [{"role": "user", "content": "Hello"}]


@pytest.fixture
def options(server_url):
    return {
        "model": "triton/verbatim-demo",
        "api_base": f"{server_url}/v2/models/verbatim-demo/generate",
        "messages": MESSAGES,
        "num_retries": 0,
    }


def test_an_answer_begins_with_its_input(options):
    text = litellm.completion(**options, max_tokens=20).choices[0].message.content
    assert text.startswith("Hello")
    assert len(text) > len("Hello")


def test_what_litellm_asks_for_if_nobody_says_is_no_error(options):
    assert litellm.completion(**options).choices[0].message.content


def test_a_stream_has_many_pieces(options):
    chunks = list(litellm.completion(**options, max_tokens=20, stream=True))
    assert len([chunk for chunk in chunks if chunk.choices[0].delta.content]) > 2


def test_a_model_that_is_not_there_is_an_error_with_the_servers_words(options):
    options["api_base"] = options["api_base"].replace("verbatim-demo", "other")
    with pytest.raises(litellm.BadRequestError, match="unknown model"):
        litellm.completion(**options)
