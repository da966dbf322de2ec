"""The embedded model, served: in 8 bits it answers as it does otherwise."""

import httpx
import pytest

from tests.conftest import LIMITS, running_server
from tests.support.selection.instructions import needs_compiler

QUESTIONS = ["What is the capital of France?", "Hello! Who are you?", "What is the capital of Italy?"]


def answers(url: str) -> list[str]:
    """Greedy ones, to each question."""
    texts = []
    for question in QUESTIONS:
        body = {
            "model": "verbatim-demo",
            "messages": [{"role": "user", "content": question}],
            "temperature": 0,
            "max_tokens": 12,
        }
        answer = httpx.post(f"{url}/v1/chat/completions", json=body, timeout=60)
        assert answer.status_code == 200, answer.text
        texts.append(answer.json()["choices"][0]["message"]["content"])
    return texts


@pytest.fixture(scope="module")
def plain(server_url: str) -> list[str]:
    return answers(server_url)


def test_the_embedded_model_answers(plain: list[str]) -> None:
    assert "Paris" in plain[0]


@pytest.mark.long
@needs_compiler
def test_in_8_bits_it_answers_the_same(plain: list[str]) -> None:
    with running_server(*LIMITS, "--quantize", "int8") as server:
        assert answers(server.url) == plain
        metrics = httpx.get(f"{server.url}/metrics").text
    assert "verbatim_int8_layers 0" not in metrics and "verbatim_int8_layers " in metrics


@pytest.mark.long
@needs_compiler
def test_in_4_bits_it_answers_too() -> None:
    with running_server(*LIMITS, "--quantize", "int4") as server:
        assert "Paris" in answers(server.url)[0]
        metrics = httpx.get(f"{server.url}/metrics").text
    assert "verbatim_int4_layers 0" not in metrics and "verbatim_int4_layers " in metrics
