"""Each size of a request may reach its limit, and parsing stops at the next byte or piece."""

from collections.abc import Callable

import pytest

from tests.unit.verbatim_kit.http.echo import LIMITS
from verbatim_kit.http.reading.early_answer import TOO_MANY_CHUNKS, EarlyAnswer
from verbatim_kit.http.reading.request_sizes import RequestSizes
from verbatim_kit.http.reading.stop_parsing import StopParsing

INCOMPLETE = LIMITS.max_url_bytes + LIMITS.max_header_bytes


def stopped(step: Callable[[], None]) -> EarlyAnswer | None:
    with pytest.raises(StopParsing) as raised:
        step()
    return raised.value.answer


def message(step: Callable[[], None]) -> str:
    answer = stopped(step)
    assert answer is not None
    return answer.message


def headers_of(num_bytes: int) -> list[tuple[bytes, bytes]]:
    """One header whose line has that many bytes."""
    return [(b"x", b"a" * (num_bytes - len(b"x: \r\n")))]


def test_an_incomplete_piece_is_bounded_over_its_reads() -> None:
    sizes = RequestSizes(LIMITS)
    sizes.begin_read(INCOMPLETE - 1)
    sizes.end_read(INCOMPLETE - 1, is_in_head=True)
    sizes.begin_read(1)
    sizes.end_read(1, is_in_head=True)
    sizes.begin_read(1)
    assert message(lambda: sizes.end_read(1, is_in_head=True)) == "The headers are longer than 4000 bytes"


@pytest.mark.parametrize("count", [RequestSizes.count_chunk, RequestSizes.discard_chunk])
def test_a_read_that_brings_content_begins_the_count_of_what_is_incomplete_again(
    count: Callable[[RequestSizes, int], None],
) -> None:
    sizes = RequestSizes(LIMITS)
    sizes.begin_read(INCOMPLETE)
    sizes.end_read(INCOMPLETE, is_in_head=False)
    sizes.begin_read(1)
    count(sizes, 100)
    sizes.end_read(1, is_in_head=False)
    sizes.begin_read(INCOMPLETE)
    sizes.end_read(INCOMPLETE, is_in_head=False)
    sizes.begin_read(1)
    assert stopped(lambda: sizes.end_read(1, is_in_head=False)) is not None


def test_the_url_may_reach_its_limit() -> None:
    sizes = RequestSizes(LIMITS)
    sizes.check_url(b"/" * LIMITS.max_url_bytes)
    assert message(lambda: sizes.check_url(b"/" * (LIMITS.max_url_bytes + 1))) == (
        "The URL is longer than 1000 bytes"
    )


def test_the_headers_may_reach_their_limit() -> None:
    sizes = RequestSizes(LIMITS)
    sizes.begin_read(LIMITS.max_header_bytes + 1)  # the reads of a head hold more than its headers
    sizes.check_header_bytes(headers_of(LIMITS.max_header_bytes))
    assert message(lambda: sizes.check_header_bytes(headers_of(LIMITS.max_header_bytes + 1))) == (
        "The headers are longer than 4000 bytes"
    )


def test_the_number_of_headers_and_of_trailers_may_reach_its_limit() -> None:
    sizes = RequestSizes(LIMITS)
    sizes.check_num_headers(LIMITS.max_headers)
    assert message(lambda: sizes.check_num_headers(LIMITS.max_headers + 1)) == (
        "The request has more than 20 headers"
    )
    for _ in range(LIMITS.max_headers):
        sizes.count_trailer()
    assert message(sizes.count_trailer) == "The request has more than 20 headers"


def test_only_small_chunks_are_counted_and_each_body_anew() -> None:
    sizes = RequestSizes(LIMITS)
    for _ in range(2):
        sizes.begin_body()
        for _ in range(65_536):
            sizes.count_chunk(15)
        sizes.count_chunk(16)
    assert stopped(lambda: sizes.count_chunk(15)) == TOO_MANY_CHUNKS


def test_what_is_dropped_after_an_answer_is_bounded_and_each_chunk_costs_a_call() -> None:
    sizes = RequestSizes(LIMITS)
    assert not sizes.discard(LIMITS.max_discarded_bytes)
    assert sizes.discard(1)
    sizes.begin_body()
    for _ in range(LIMITS.max_discarded_bytes // 257):
        sizes.discard_chunk(1)
    assert stopped(lambda: sizes.discard_chunk(1)) is None
