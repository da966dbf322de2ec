"""One engine behind every contract: the same words, whichever contract asks."""

from typing import Any

import httpx
import pytest

PROMPT = "Once upon a time"
QUESTION = [{"role": "user", "content": "What is the capital of France?"}]
MODEL = "verbatim-demo"


def post(url: str, body: dict[str, Any]) -> Any:
    response = httpx.post(url, json=body, timeout=60)
    assert response.status_code == 200, response.text
    return response.json()


def continuations(url: str) -> dict[str, str]:
    native = {"inputs": PROMPT, "parameters": {"max_new_tokens": 16}}
    triton = {"text_input": PROMPT, "max_tokens": 16, "temperature": 0, "exclude_input_in_output": True}
    completion = {"model": MODEL, "prompt": PROMPT, "max_tokens": 16, "temperature": 0}
    complete = {"model": MODEL, "prompt": PROMPT, "maximum_tokens": 16, "temperature": 0}
    generate = f"{url}/triton/v2/models/{MODEL}/generate"
    token_ids = [one["id"] for one in post(f"{url}/tgi/tokenize", {"inputs": PROMPT})]
    tokens = {"token_ids": token_ids, "sampling_params": {"max_tokens": 16, "temperature": 0}}
    continued = post(f"{url}/tokens/inference/v1/generate", tokens)["choices"][0]["token_ids"]
    return {
        "tgi": post(f"{url}/tgi/generate", native)["generated_text"],
        "hf": post(f"{url}/hf/generate", native)["generated_text"],
        "openai": post(f"{url}/openai/v1/completions", completion)["choices"][0]["text"],
        "triton": post(generate, triton)["text_output"],
        "aleph_alpha": post(f"{url}/aleph_alpha/complete", complete)["completions"][0]["completion"],
        "tokens": post(f"{url}/aleph_alpha/detokenize", {"model": MODEL, "token_ids": continued})["result"],
    }


def message(url: str, body: dict[str, Any]) -> str:
    """The same request in Anthropic's terms, whose version of the API is a header."""
    headers = {"anthropic-version": "2023-06-01"}
    response = httpx.post(f"{url}/anthropic/v1/messages", json=body, headers=headers, timeout=60)
    assert response.status_code == 200, response.text
    return str(response.json()["content"][0]["text"])


def response(url: str) -> str:
    body = {"model": MODEL, "input": QUESTION, "max_output_tokens": 40, "temperature": 0}
    return str(post(f"{url}/open_responses/v1/responses", body)["output"][0]["content"][0]["text"])


def answers(url: str) -> dict[str, str]:
    body = {"model": MODEL, "messages": QUESTION, "max_tokens": 40, "temperature": 0}
    paths = {name: f"{name}/v1/chat/completions" for name in ("openai", "tgi", "hf", "mindie")}
    paths["aleph_alpha"] = "aleph_alpha/chat/completions"
    chats = {
        name: post(f"{url}/{path}", body)["choices"][0]["message"]["content"] for name, path in paths.items()
    }
    return {**chats, "anthropic": message(url, body), "open_responses": response(url)}


@pytest.mark.parametrize("asked", [continuations, answers])
def test_every_contract_tells_the_same_greedy_text(server_url: str, asked: Any) -> None:
    texts = asked(server_url)
    assert len({*texts.values()}) == 1, texts
    assert all(texts.values())
