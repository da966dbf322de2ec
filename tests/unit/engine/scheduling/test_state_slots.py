"""The books of state slots balance, and snapshots give way to sequences, the one idle longest first.

tests/unit/engine/scheduling/test_scheduler.py tries them with a scheduler under random workloads.
"""

from engine.scheduling.state_slots import Snapshot, StateSlots


def snapshot(slots: StateSlots, key: bytes) -> int:
    """Keep a snapshot under this key, and return its slot."""
    begun = slots.begin_snapshot(key, 4)
    assert begun is not None
    slots.finish_snapshot(key)
    return begun.slot


def test_a_sequence_takes_the_slot_of_the_snapshot_that_was_used_least_recently() -> None:
    slots = StateSlots(3)
    own = slots.take()
    first, second = snapshot(slots, b"first"), snapshot(slots, b"second")
    slots.copy(slots.source(b"first"), own)
    assert slots.take() == second
    assert slots.find([b"first", b"second"]) == 1
    assert slots.take() == first
    assert (slots.num_free, len(slots._snapshots)) == (0, 0)


def test_a_snapshot_is_found_once_its_step_has_ended_and_taken_back_if_that_failed() -> None:
    slots = StateSlots(2)
    assert slots.begin_snapshot(b"key", 8) == Snapshot(8, 0, b"key")
    assert slots.find([b"key"]) == 0
    assert slots.begin_snapshot(b"key", 8) is None
    slots.abandon_snapshots()
    assert slots.num_free == 2
    snapshot(slots, b"key")
    assert slots.find([b"before", b"key", b"behind"]) == 2
    assert slots.begin_snapshot(b"key", 8) is None


def test_without_a_slot_nothing_is_kept() -> None:
    slots = StateSlots(1)
    slots.take()
    assert slots.begin_snapshot(b"key", 4) is None


def test_a_forgotten_snapshot_leaves_its_slot() -> None:
    slots = StateSlots(1)
    snapshot(slots, b"key")
    slots.forget([b"key", b"unknown"])
    assert (slots.num_free, len(slots._snapshots), slots.find([b"key"])) == (1, 0, 0)


def test_copies_come_in_the_order_of_their_record_and_once() -> None:
    slots = StateSlots(4)
    kept, own = snapshot(slots, b"key"), slots.take()
    slots.copy(slots.source(b"key"), own)
    slots.copy(own, 3)
    assert slots.take_copies() == [(kept, own), (own, 3)]
    assert slots.take_copies() == []


def test_slots_that_nobody_owns_any_more_are_named_once() -> None:
    slots = StateSlots(3)
    first, second = slots.take(), slots.take()
    slots.release(first)
    slots.release(second)
    assert slots.take() == second
    assert slots.take_released() == [first]
    assert slots.take_released() == []
