"""The tools of this suite work: a server that is not attacked answers, and its pulse is taken."""

import pytest

from tests.attack.clients.pulse import pulse
from tests.attack.clients.wire import exchange, request_bytes
from tests.conftest import Server

pytestmark = pytest.mark.measured


def test_a_well_formed_request_is_answered(attacked: Server) -> None:
    answer = exchange(attacked.url, request_bytes("/generate", {"inputs": "Hello"}))
    assert answer.status == 200
    assert answer.json()["generated_text"]


def test_the_pulse_of_a_server_at_rest_is_fast(attacked: Server) -> None:
    with pulse(attacked.url) as taken:
        assert taken.wait_for(10)
    assert taken.slowest_s < 1.0
