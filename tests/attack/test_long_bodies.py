"""The largest bodies that each contract takes, while `/health` is asked for all the time."""

import json
import threading
from typing import Any, Final

import pytest

from tests.attack.clients.pulse import pulse
from tests.attack.clients.wire import Answer, connect, exchange, read_answer, request_bytes
from tests.conftest import Server
from tests.support.samples.long_bodies import CASES, DENSE, MODEL, TEXT, Case

pytestmark = pytest.mark.measured

# One slow call was the whole fault: `/health` took 3.5 to 10 s. Beats on a loaded machine take some tenths.
_MAX_BEAT_S: Final = 1.5


def _post(server: Server, path: str, body: Any) -> Answer:
    return exchange(server.url, request_bytes(path, body, headers=("anthropic-version: 2023-06-01",)), 120.0)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_others_are_answered_while_a_long_body_is_read(attacked: Server, case: Case) -> None:
    with pulse(attacked.url) as taken:
        answer = _post(attacked, case.path, case.body)
    assert answer.status < 500, answer.body[:300]
    assert taken.slowest_s < _MAX_BEAT_S


def test_a_prompt_that_is_too_long_is_refused_with_a_lower_bound_of_its_tokens(attacked: Server) -> None:
    answer = _post(attacked, "/openai/v1/completions", {"model": MODEL, "prompt": TEXT})
    assert answer.status == 400
    assert "at least" in answer.json()["error"]["message"]
    assert answer.json()["error"]["code"] == "context_length_exceeded"


def test_short_prompts_do_not_wait_for_long_ones(attacked: Server) -> None:
    """Four clients' megabytes took both threads for tokenizing, for half a minute."""
    raw = request_bytes("/tgi/tokenize", {"inputs": DENSE[:200_000]})
    connections = [connect(attacked.url, 120.0) for _ in range(4)]
    answers: list[Answer] = []
    threads = [
        threading.Thread(target=lambda one=one: answers.append(read_answer(one))) for one in connections
    ]
    try:
        for connection in connections:
            connection.sendall(raw)
        for thread in threads:
            thread.start()
        short = _post(attacked, "/tgi/tokenize", {"inputs": "Hello there. " * 200})
        num_ended = len(answers)
        for thread in threads:
            thread.join()
    finally:
        for connection in connections:
            connection.close()
    assert short.status == 200
    assert num_ended < len(connections), "the short prompt waited for all of the long ones"
    assert [answer.status for answer in answers] == [200] * 4


def test_embeddings_and_echoed_log_probabilities_leave_room_for_others(
    attacked: Server, is_whole: bool
) -> None:
    num_texts = 2_048 if is_whole else 256
    texts = {"model": MODEL, "input": ["Hello, how are you?"] * num_texts}
    prompts = {
        "model": MODEL,
        "prompt": ["Hello, how are you? " * 40] * 64,
        "echo": True,
        "logprobs": 5,
        "max_tokens": 1,
    }
    for path, body in (("/openai/v1/embeddings", texts), ("/openai/v1/completions", prompts)):
        with pulse(attacked.url) as taken:
            answer = _post(attacked, path, body)
        assert answer.status in (200, 400, 429), answer.body[:300]
        assert taken.slowest_s < _MAX_BEAT_S
        assert json.loads(answer.body)
