"""Chunks cut no range of a medium that sees itself, steps begin few media, and every prompt is computed all
the same.
"""

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.port.request import Media, Prompt
from engine.scheduling.block_pool import BlockPool
from engine.scheduling.media_limits import encoded_end, whole_end
from engine.scheduling.scheduler import Scheduler
from tests.support.selection.effort import trials

NUM_TOKENS = 40
MAX_STEPS = 400


@st.composite
def media_of_a_prompt(draw: st.DrawFn) -> tuple[Media, ...]:
    media: list[Media] = []
    position = draw(st.integers(0, 6))
    while position < 30 and len(media) < 4:
        num_tokens = draw(st.integers(1, 9))
        first = draw(st.integers(0, num_tokens - 1))
        ranges = ((first, draw(st.integers(first + 1, num_tokens))),) if draw(st.booleans()) else ()
        media.append(Media(digest=b"", position=position, num_tokens=num_tokens, seen_together=ranges))
        position += num_tokens + draw(st.integers(0, 6))
    return tuple(media)


def cuts_a_range(media: tuple[Media, ...], place: int) -> bool:
    return any(
        one.position + first < place < one.position + last
        for one in media
        for first, last in one.seen_together
    )


@settings(deadline=None, max_examples=trials(100, whole=500))
@given(
    st.lists(media_of_a_prompt(), min_size=1, max_size=5),
    st.integers(1, 12),
    st.booleans(),
    st.none() | st.integers(1, 20),
)
def test_no_chunk_cuts_a_range_no_step_begins_many_media_and_all_prompts_are_computed(
    prompts: list[tuple[Media, ...]],
    max_batch_tokens: int,
    prefix_caching: bool,
    max_media_tokens: int | None,
) -> None:
    pool = BlockPool(60, 4)
    scheduler = Scheduler(
        pool,
        max_batch_tokens=max_batch_tokens,
        max_num_sequences=4,
        prefix_caching=prefix_caching,
        max_media_tokens=max_media_tokens,
    )
    left = set()
    for arrival, media in enumerate(prompts):
        prompt = Prompt(tuple(range(NUM_TOKENS)), media)
        sequence = scheduler.new_sequence(order=(0, arrival, 0), prompt=prompt)
        scheduler.add(sequence)
        left.add(sequence)
    for _ in range(MAX_STEPS):
        schedule = scheduler.schedule()
        assert schedule.entries
        num_beyond = schedule.num_rows - max_batch_tokens
        begun = []
        for sequence, start, end in schedule.entries:
            assert start < end
            assert not cuts_a_range(sequence.media, end)
            begun += [one.num_tokens for one in sequence.media if start <= one.position < end]
        assert num_beyond <= 8
        assert len(begun) <= 1 or sum(begun) <= (max_media_tokens or max_batch_tokens)
        scheduler.complete(schedule)
        for sequence in {entry.sequence for entry in schedule.entries if entry.reaches_end}:
            scheduler.remove(sequence)
            left.remove(sequence)
        if not left:
            break
    assert not left
    assert pool.num_free == 60


def test_a_chunk_ends_before_a_range_that_it_would_cut_or_reaches_its_end() -> None:
    media = (Media(digest=b"", position=4, num_tokens=6, seen_together=((1, 5),)),)
    assert whole_end(media, 0, 7, may_exceed=True) == 5
    assert whole_end(media, 5, 7, may_exceed=True) == 9
    assert whole_end(media, 5, 7, may_exceed=False) == 5
    assert whole_end(media, 7, 8, may_exceed=True) == 9
    assert [whole_end(media, 0, end, may_exceed=True) for end in (4, 5, 9, 12)] == [4, 5, 9, 12]


def test_a_chunk_ends_before_a_medium_that_is_too_much_for_its_step() -> None:
    media = tuple(Media(digest=b"", position=position, num_tokens=5) for position in (2, 10, 20))
    assert encoded_end(media, 0, 30, num_begun=0, limit=10) == (20, 10)
    assert encoded_end(media, 0, 30, num_begun=0, limit=4) == (10, 5)
    assert encoded_end(media, 0, 30, num_begun=4, limit=8) == (2, 4)
    assert encoded_end(media, 3, 10, num_begun=4, limit=4) == (10, 4)
