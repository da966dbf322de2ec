"""The block pool's books always balance."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from engine.scheduling.block_pool import BlockPool, BlockTable

BLOCK_SIZE = 4


def assert_balanced(pool: BlockPool, tables: list[BlockTable]) -> None:
    owners = Counter(block for table in tables for block in table.block_ids)
    assert pool.num_free + len(owners) == pool.num_blocks
    for block, count in owners.items():
        assert pool.is_shared(block) == (count > 1)


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("grow"), st.integers(0, 9), st.integers(1, 12)),
            st.tuples(st.just("fork"), st.integers(0, 9), st.integers(0, 20)),
            st.tuples(st.just("release"), st.integers(0, 9), st.just(0)),
        ),
        max_size=60,
    )
)
def test_every_block_is_free_or_has_as_many_references_as_owners(steps: list[tuple[str, int, int]]) -> None:
    pool = BlockPool(num_blocks=24, block_size=BLOCK_SIZE)
    tables = [BlockTable(pool)]
    num_tokens = {tables[0]: 0}
    for action, choice, amount in steps:
        table = tables[choice % len(tables)]
        written = num_tokens[table]
        if action == "grow" and table.num_missing(written + amount, write_from=written) <= pool.num_free:
            missing, free = table.num_missing(written + amount, write_from=written), pool.num_free
            table.grow(written + amount, write_from=written)
            num_tokens[table] = written + amount
            assert free - pool.num_free == missing
            assert len(table.block_ids) == pool.num_blocks_for(written + amount)
            assert not any(pool.is_shared(block) for block in table.block_ids[written // BLOCK_SIZE :])
        elif action == "fork":
            child = table.fork(min(amount, written))
            tables.append(child)
            num_tokens[child] = min(amount, written)
            assert len(child.block_ids) == pool.num_blocks_for(num_tokens[child])
        elif action == "release":
            table.release()
            num_tokens[table] = 0
        assert_balanced(pool, tables)
    for table in tables:
        table.release()
    assert pool.num_free == pool.num_blocks


def test_a_shared_block_is_copied_before_its_second_owner_writes() -> None:
    pool = BlockPool(num_blocks=4, block_size=BLOCK_SIZE)
    parent = BlockTable(pool)
    parent.grow(6, write_from=0)
    child = parent.fork(6)
    first, second = parent.block_ids
    assert child.grow(7, write_from=6) == (second, child.block_ids[1])
    assert child.block_ids[0] == first
    assert parent.grow(7, write_from=6) is None
    assert parent.block_ids == [first, second]


def test_a_fork_at_the_end_of_a_block_copies_nothing() -> None:
    pool = BlockPool(num_blocks=4, block_size=BLOCK_SIZE)
    parent = BlockTable(pool)
    parent.grow(BLOCK_SIZE, write_from=0)
    child = parent.fork(BLOCK_SIZE)
    assert child.grow(BLOCK_SIZE + 1, write_from=BLOCK_SIZE) is None
    assert child.block_ids[0] == parent.block_ids[0]


def test_a_table_that_has_more_blocks_than_asked_for_misses_none() -> None:
    table = BlockTable(BlockPool(num_blocks=4, block_size=BLOCK_SIZE))
    table.grow(9, write_from=0)
    assert table.num_missing(3, write_from=9) == 0


def test_blocks_are_reused_in_the_order_they_were_freed() -> None:
    pool = BlockPool(num_blocks=3, block_size=BLOCK_SIZE)
    blocks = [pool.allocate() for _ in range(3)]
    for block in (blocks[2], blocks[0]):
        pool.release(block)
    assert [pool.allocate(), pool.allocate()] == [blocks[2], blocks[0]]
