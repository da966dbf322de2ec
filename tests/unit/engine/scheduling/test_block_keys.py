"""A block's key stands for all tokens up to its end and for the tags, and for nothing else."""

from hypothesis import given
from hypothesis import strategies as st

from engine.port.request import EmbeddingRequest, Media, Pooling, Prompt
from engine.scheduling.block_keys import BlockKeys, Tags, request_tags, tags_key

BLOCK_SIZE = 3
token_ids = st.lists(st.integers(0, 1) | st.sampled_from([255, 256, 2**32 - 1]), max_size=12)
texts = st.sampled_from(["", "a", "b", "ab", '","', "adapter", "salt"]) | st.text(max_size=3)
tags = st.lists(st.tuples(texts, texts), max_size=2).map(tuple)


def keys(of: Tags, tokens: list[int], media: tuple[Media, ...] = ()) -> list[bytes]:
    return BlockKeys(of, BLOCK_SIZE, media).of(tokens, len(tokens) // BLOCK_SIZE)


@st.composite
def placed_media(draw: st.DrawFn) -> tuple[Media, ...]:
    """Media of few contents, one after another, in a prompt of twelve tokens."""
    media: list[Media] = []
    position = draw(st.integers(0, 4))
    while position < 12 and len(media) < 3:
        num_tokens = draw(st.integers(1, 5))
        media.append(
            Media(digest=draw(st.sampled_from([b"", b"a", b"b"])), position=position, num_tokens=num_tokens)
        )
        position += num_tokens + draw(st.integers(0, 4))
    return tuple(media)


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


@given(placed_media(), placed_media())
def test_keys_differ_from_the_first_block_on_that_holds_other_media(
    media: tuple[Media, ...], other: tuple[Media, ...]
) -> None:
    """The tokens are equal all along, as the placeholders of two images are."""
    tokens = [7] * 12
    for place, (key, other_key) in enumerate(
        zip(keys((), tokens, media), keys((), tokens, other), strict=True)
    ):
        end = (place + 1) * BLOCK_SIZE
        assert (key == other_key) == (begun(media, end) == begun(other, end))


def begun(media: tuple[Media, ...], end: int) -> list[tuple[bytes, int, int]]:
    """Return all that tells media apart of those that begin before a position."""
    return [(one.digest, one.position, one.num_tokens) for one in media if one.position < end]


def test_two_images_with_equal_placeholders_share_what_stands_before_them_alone() -> None:
    tokens = [1, 2, 3, 9, 9, 9, 4, 5, 6]
    cat, dog = (
        keys((), tokens, (Media(digest=name, position=3, num_tokens=3),)) for name in (b"cat", b"dog")
    )
    assert [one == other for one, other in zip(cat, dog, strict=True)] == [True, False, False]


def test_a_fork_keeps_the_media_of_its_parent() -> None:
    media = (Media(digest=b"cat", position=4, num_tokens=1),)
    child = BlockKeys((), BLOCK_SIZE, media).fork()
    assert child.of([1, 2, 3, 9, 9, 9], 2) == keys((), [1, 2, 3, 9, 9, 9], media)


def test_a_prompt_that_sees_itself_shares_nothing_with_one_that_only_begins_alike() -> None:
    """The keys and values of its first tokens depend on its last one."""

    def found(tokens: list[int], whole: tuple[int, int]) -> list[bytes]:
        media = (Media(digest=b"cat", position=2, num_tokens=3, seen_together=(whole,)),)
        request = EmbeddingRequest(request_id="1", prompt=Prompt(tuple(tokens), media), pooling=Pooling.LAST)
        return keys(request_tags(request), tokens, media)

    tokens, others = [1, 2, 9, 9, 9, 3, 4, 5, 6], [1, 2, 9, 9, 9, 3, 4, 5, 7]
    within, whole = (0, 3), (-2, 7)
    assert found(tokens, within)[:2] == found(others, within)[:2]
    assert not {*found(tokens, whole)} & {*found(others, whole)}
    assert found(tokens, whole) == found(tokens, whole)
