"""A cache of bounded bytes forgets what was unused for longest."""

from engine.media.byte_cache import ByteCache


def test_what_was_unused_for_longest_is_dropped() -> None:
    cache: ByteCache[str, int] = ByteCache(10)
    cache.put("a", 1, 4)
    cache.put("b", 2, 4)
    assert cache.get("a") == 1
    cache.put("c", 3, 4)
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (1, None, 3)
    assert cache.num_bytes == 8
    assert (cache.num_hits, cache.num_misses) == (3, 1)


def test_a_value_larger_than_all_is_not_kept_and_drops_nothing() -> None:
    cache: ByteCache[str, int] = ByteCache(10)
    cache.put("a", 1, 10)
    cache.put("b", 2, 11)
    assert (cache.get("a"), cache.get("b")) == (1, None)


def test_a_value_is_counted_once_though_two_threads_made_it() -> None:
    cache: ByteCache[str, int] = ByteCache(10)
    cache.put("a", 1, 4)
    cache.put("a", 1, 4)
    assert cache.num_bytes == 4
