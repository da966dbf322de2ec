"""State slots are copied in order, and a cache over a slot is transformers' own."""

import torch

from engine.state.geometry import StateGeometry, StateTensor
from engine.state.store import StateStore

CONV = StateTensor(1, "conv_states", 0, (2, 3), torch.float32, kernel_size=3)
RECURRENT = StateTensor(1, "recurrent_states", 0, (4,), torch.float32)


def new_store() -> StateStore:
    return StateStore(StateGeometry((CONV, RECURRENT)), 4, torch.device("cpu"))


def fill(store: StateStore, slot: int, value: float) -> None:
    store.of_slot(1, slot, is_fresh=False).update_recurrent_state(torch.full((1, 4), value), 1)


def recurrent(store: StateStore, slot: int) -> list[float]:
    state = store.of_slot(1, slot, is_fresh=False).get_recurrent_state(1)
    assert state is not None
    values: list[float] = state[0].tolist()
    return values


def test_copies_follow_one_another() -> None:
    store = new_store()
    fill(store, 0, 5.0)
    fill(store, 1, 6.0)
    store.copy([(0, 2), (1, 0), (2, 3)])
    assert [recurrent(store, slot)[0] for slot in range(4)] == [6.0, 6.0, 5.0, 5.0]


def test_a_sequence_that_begins_sees_no_state_of_the_slots_last_owner() -> None:
    store = new_store()
    fill(store, 0, 5.0)
    cache = store.of_slot(1, 0, is_fresh=True)
    assert cache.get_recurrent_state(1) is None
    cache.update_conv_state(torch.ones(1, 2, 2), 1)
    conv = store.of_slot(1, 0, is_fresh=False).get_conv_state(1)
    assert conv is not None
    assert conv[0].tolist() == [[0.0, 1.0, 1.0]] * 2
    assert recurrent(store, 0) == [0.0] * 4


def test_gathered_states_return_to_their_slots_alone() -> None:
    store = new_store()
    for slot in range(4):
        fill(store, slot, float(slot))
    slots = torch.tensor([3, 1])
    cache = store.gather(1, slots)
    state = cache.get_recurrent_state(1)
    assert state is not None
    state += 10
    assert recurrent(store, 3)[0] == 3.0
    store.scatter(1, slots, cache)
    assert [recurrent(store, slot)[0] for slot in range(4)] == [0.0, 11.0, 2.0, 13.0]
