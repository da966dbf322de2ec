"""Clients that do not read, requests that ask for everything, and more clients than there is room for."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPResponse

import pytest

from tests.attack.clients.deaf import CHAT, ask_and_not_read, chat, gauge, wait_for_gauge
from tests.attack.clients.wire import connect, exchange, read_answer, request_bytes
from tests.conftest import LIMITS, Server, running_server

PERMITS = "verbatim_permits_in_use"
TOKENS_IN_CACHE = "tgi_batch_current_max_tokens"


@pytest.fixture(scope="module")
def patient() -> Iterator[Server]:
    """A server that does not drop a client for minutes."""
    with running_server(*LIMITS, "--client-timeout", "600") as server:
        yield server


def test_clients_that_do_not_read_keep_nobody_out_once_their_tokens_are_made(patient: Server) -> None:
    with ExitStack() as clients:
        for _ in range(16):
            clients.enter_context(ask_and_not_read(patient.url, n=8, max_tokens=100))
        wait_for_gauge(patient.url, TOKENS_IN_CACHE, 0)
        wait_for_gauge(patient.url, PERMITS, 0)
        answer = exchange(patient.url, request_bytes(CHAT, chat(max_tokens=4)))
        assert answer.status == 200, answer.body
        assert answer.json()["usage"]["completion_tokens"] == 4


def test_a_client_that_takes_nothing_is_dropped_and_its_request_ended() -> None:
    with (
        running_server(*LIMITS, "--client-timeout", "2") as server,
        ask_and_not_read(server.url, n=32, max_tokens=450) as client,
    ):
        wait_for_gauge(server.url, PERMITS, 32)
        wait_for_gauge(server.url, PERMITS, 0)
        wait_for_gauge(server.url, TOKENS_IN_CACHE, 0)
        received = bytearray()
        try:
            while piece := client.recv(65536):
                received += piece
        except ConnectionResetError:
            pass
        assert b"[DONE]" not in received


def test_a_request_that_asks_for_every_place_leaves_three_quarters_of_them(patient: Server) -> None:
    with connect(patient.url, 120.0) as greedy:
        greedy.sendall(request_bytes(CHAT, chat(n=128, max_tokens=20, seed=1)))
        wait_for_gauge(patient.url, PERMITS, 32)
        for _ in range(3):
            assert exchange(patient.url, request_bytes(CHAT, chat(n=2, max_tokens=2))).status == 200
            assert gauge(patient.url, PERMITS) <= 32
        answer = read_answer(greedy)
    assert answer.status == 200, answer.body
    choices = answer.json()["choices"]
    assert [choice["index"] for choice in choices] == list(range(128))
    wait_for_gauge(patient.url, PERMITS, 0)
    wait_for_gauge(patient.url, TOKENS_IN_CACHE, 0)


def test_a_search_of_more_beams_than_a_request_may_have_is_refused_by_its_field(patient: Server) -> None:
    body = chat(n=128, use_beam_search=True, temperature=0)
    answer = exchange(patient.url, request_bytes(CHAT, body))
    assert (answer.status, answer.json()["error"]["param"]) == (400, "n")
    body = {"text_input": "Hello", "beam_width": 1_000_000}
    answer = exchange(patient.url, request_bytes("/triton/v2/models/ensemble/generate", body))
    assert answer.status in (400, 404), answer.body


def test_a_full_server_refuses_before_it_has_read_the_body_and_says_when_to_come_back() -> None:
    headers = ("Content-Type: application/json", "Content-Length: 1000000")
    head = request_bytes(CHAT, method="POST", headers=headers)
    with running_server(*LIMITS, "--max-concurrent-requests", "4") as server, ExitStack() as clients:
        for _ in range(4):
            clients.enter_context(connect(server.url)).sendall(
                request_bytes(CHAT, chat(max_tokens=450, stream=True))
            )
        wait_for_gauge(server.url, PERMITS, 4)
        waits = []
        for _ in range(10):
            with connect(server.url) as late:
                late.sendall(head)  # and nothing of the body
                response = HTTPResponse(late)
                response.begin()
                assert response.status == 429, response.read()
                assert json.loads(response.read())["error"]["code"] == "rate_limit_exceeded"
                waits.append(int(response.headers["retry-after"]))
        assert all(1 <= seconds <= 60 for seconds in waits)
