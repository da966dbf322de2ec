"""The times of tokens that a server computes."""

import pytest

from engine.port.events import TokenEvent
from engine.port.request import SamplingParams, StopConditions
from engine.remote import sequence_events
from engine.remote.sequence_events import CachedTokens, SequenceEvents
from engine.remote.wire.verbatim import VerbatimApi
from tests.support.engine_requests import generation_request
from tests.unit.engine.port.text.tiny_tokenizers import byte_level

STARTED_S = 100.0
TICK_S = 2.0**-10


class Clock:
    """The clock of the events' times, which goes on whenever it is looked at."""

    now_s = STARTED_S

    def perf_counter(self) -> float:
        self.now_s += TICK_S
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(sequence_events, "time", clock)
    return clock


def events_into(found: list[TokenEvent]) -> SequenceEvents:
    request = generation_request(
        request_id="a",
        token_ids=[1, 2],
        sampling=SamplingParams(),
        stopping=StopConditions(max_tokens=9, ignore_eos=True),
    )
    tokenizer = byte_level()
    reader = VerbatimApi().reader(request, tokenizer)
    return SequenceEvents(request, 0, tokenizer, reader, found.append, lambda: 3, CachedTokens())


def event(*token_ids: int, start: bytes = b"null") -> bytes:
    ids = ",".join(map(str, token_ids)).encode()
    return b'{"choices": [{"token_ids": [%b], "start": %b}]}' % (ids, start)


def test_the_first_tokens_time_begins_when_the_server_began(clock: Clock) -> None:
    found: list[TokenEvent] = []
    events = events_into(found)
    clock.now_s += 0.75
    events.put([event(5, start=b'{"queue_s": 0.25, "cached_tokens": 1}')])
    clock.now_s += 0.125
    events.put([event(6)])
    assert [each.step_s for each in found] == [0.5 + TICK_S, 0.125 + TICK_S]
    assert (found[0].queue_s, found[0].wait_s, found[0].batch_size) == (0.25, 0.25, 3)


def test_a_queue_that_seems_longer_than_the_whole_leaves_no_negative_time(clock: Clock) -> None:
    """The server's clock and this one need not agree to the microsecond."""
    found: list[TokenEvent] = []
    events_into(found).put([event(5, start=b'{"queue_s": 0.25}')])
    assert found[0].step_s == 0.0


def test_tokens_that_come_together_have_the_time_of_one_step(clock: Clock) -> None:
    """The server may have sent them in one event, or in several that were read at once."""
    found: list[TokenEvent] = []
    events = events_into(found)
    clock.now_s += 1.0
    events.put([event(5), event(6, 7), event(8)])
    clock.now_s += 0.5
    events.put([b"[DONE]"])
    clock.now_s += 0.5
    events.put([event(9)])
    assert [each.step_s for each in found] == [1.0 + TICK_S, 0.0, 0.0, 0.0, 1.0 + 2 * TICK_S]
