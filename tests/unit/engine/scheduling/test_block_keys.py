"""A block's key stands for all tokens up to its end and for the tags, and for nothing else."""

from hypothesis import given
from hypothesis import strategies as st

from engine.scheduling.block_keys import BlockKeys, Tags, tags_key

BLOCK_SIZE = 3
token_ids = st.lists(st.integers(0, 1) | st.sampled_from([255, 256, 2**32 - 1]), max_size=12)
texts = st.sampled_from(["", "a", "b", "ab", '","', "adapter", "salt"]) | st.text(max_size=3)
tags = st.lists(st.tuples(texts, texts), max_size=2).map(tuple)


def keys(of: Tags, tokens: list[int]) -> list[bytes]:
    return BlockKeys(of, BLOCK_SIZE).of(tokens, len(tokens) // BLOCK_SIZE)


@given(tags, tags, token_ids, token_ids)
def test_two_keys_are_equal_if_tags_and_all_tokens_up_to_the_blocks_end_are(
    tags: Tags, other_tags: Tags, tokens: list[int], other_tokens: list[int]
) -> None:
    for place, key in enumerate(keys(tags, tokens)):
        for other_place, other in enumerate(keys(other_tags, other_tokens)):
            contents = tags, tokens[: (place + 1) * BLOCK_SIZE]
            assert (key == other) == (
                contents == (other_tags, other_tokens[: (other_place + 1) * BLOCK_SIZE])
            )


@given(tags, tags)
def test_a_tags_kind_is_part_of_it(tags: Tags, other: Tags) -> None:
    assert (tags_key(tags) == tags_key(other)) == (tags == other)
    assert tags_key((("salt", "x"),)) != tags_key((("adapter", "x"),))


@given(token_ids, st.data())
def test_a_chain_that_grows_step_by_step_gives_the_keys_of_one_made_at_once(
    tokens: list[int], data: st.DataObject
) -> None:
    grown = BlockKeys((), BLOCK_SIZE)
    for num_blocks in sorted(data.draw(st.lists(st.integers(0, len(tokens) // BLOCK_SIZE)))):
        grown.of(tokens, num_blocks)
    assert grown.of(tokens, len(tokens) // BLOCK_SIZE) == keys((), tokens)


def test_a_fork_has_its_parents_keys_and_then_its_own() -> None:
    parent = BlockKeys((("salt", "x"),), BLOCK_SIZE)
    parent.of([1, 2, 3], 1)
    child = parent.fork()
    assert child.of([1, 2, 3, 7, 7, 7], 2) == keys((("salt", "x"),), [1, 2, 3, 7, 7, 7])
    assert parent.of([1, 2, 3, 4, 5, 6], 2) == keys((("salt", "x"),), [1, 2, 3, 4, 5, 6])


def test_keys_are_the_same_in_every_process() -> None:
    """Python's own hash is not: it is salted anew at each start."""
    (key,) = keys((("model", "m"),), [1, 2, 3])
    assert key.hex() == "079931b932cf0cabafe941ad5d253a047d76c46a25c48ea8e04280ad8e6c5f14"
