"""The bench of a front: when a token came, what is asked, and what its table says."""

import json

import pytest

from tools.bench.comparison.contender import Failed
from tools.bench.comparison.front import (
    BEFORE,
    CHAT,
    FRONT,
    TOKENS,
    Load,
    Measured,
    Prompt,
    Server,
    Servers,
    rows,
    ways,
)
from tools.bench.http.connection import Answer

SERVERS = Servers(front=Server(1, 10), vllm=Server(2, 20))


def answer(*arrivals: bytes) -> Answer:
    told = Answer()
    told.arrivals = [(float(at), data) for at, data in enumerate(arrivals)]
    return told


@pytest.mark.parametrize(
    "name, before, first",
    [
        (FRONT, b'data: {"delta":{"role":"assistant","content":""}}\n\n', b'{"delta":{"content":"Hi"}}'),
        (CHAT, b'data: {"delta":{"role":"assistant","content":""}}\n\n', b'{"delta":{"content":"Hi"}}'),
        (TOKENS, b'data: {"choices":[{"token_ids":[]}]}\n\n', b'{"choices":[{"token_ids":[5]}]}'),
    ],
)
def test_an_event_without_a_token_is_not_the_first_token(name: str, before: bytes, first: bytes) -> None:
    [way] = [each for each in ways(SERVERS) if each.name == name]
    assert way.first(answer(b"HTTP/1.1 200 OK\r\n\r\n", before, b"data: " + first + b"\n\n")) == 2
    with pytest.raises(Failed, match=name):
        way.first(answer(b"HTTP/1.1 200 OK\r\n\r\n", before))


def test_all_ways_ask_for_the_same_tokens() -> None:
    prompt = Prompt("Hi", [1, 2])
    bodies = {way.name: json.loads(way.request(prompt, 7).partition(b"\r\n\r\n")[2]) for way in ways(SERVERS)}
    assert bodies[FRONT] == bodies[CHAT]
    assert bodies[CHAT]["max_tokens"] == 7 and bodies[CHAT]["messages"][0]["content"] == "Hi"
    assert bodies[TOKENS]["sampling_params"]["max_tokens"] == 7 and bodies[TOKENS]["token_ids"] == [1, 2]
    assert [way.port for way in ways(SERVERS)] == [10, 20, 20]


def test_another_version_is_asked_the_same_and_counted_by_itself() -> None:
    both = SERVERS._replace(before=Server(3, 30))
    front, before = ways(both)[:2]
    assert (before.name, before.port) == (BEFORE, 30)
    assert before.request(Prompt("Hi", [1]), 7) == front.request(Prompt("Hi", [1]), 7)
    assert [both.front_of(way.name).group for way in ways(both)] == [1, 3, 1, 1]


def test_rounds_are_compared_one_by_one() -> None:
    front = [Measured(90.0, 0.012, 40.0, 100.0, 5.0), Measured(200.0, 0.022, 44.0, 100.0, 5.0)]
    chat = [Measured(100.0, 0.010, 0.0, 200.0, 5.0), Measured(100.0, 0.021, 0.0, 220.0, 5.0)]
    own, theirs = rows(Load(32, 128), {FRONT: front, CHAT: chat})
    assert (own["ratio"], own["first_more_ms"], own["front_us"]) == (1, 0, 42)
    assert own["front_least_us"] == 40
    assert (theirs["ratio"], theirs["lowest"], theirs["highest"]) == (1.45, 0.9, 2.0)
    assert theirs["first_more_ms"] == pytest.approx(1.5)
    assert theirs["vllm_us"] == 210
