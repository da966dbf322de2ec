"""A window shows a token its last neighbours, or, aligned, those of its own run."""

import torch

from engine.attention.kv_cache.geometry import KVGeometry, LayerGeometry
from engine.attention.window import Window


def test_a_window_slides_with_each_token_and_a_run_begins_at_a_multiple_of_its_size() -> None:
    positions = torch.arange(7)
    assert Window(3).first_key(positions).tolist() == [-2, -1, 0, 1, 2, 3, 4]
    assert Window(3, is_aligned=True).first_key(positions).tolist() == [0, 0, 0, 3, 3, 3, 6]
    assert Window(3, is_aligned=True).first_key(5) == 3


def test_layers_say_which_tokens_they_see() -> None:
    windows = [Window(8192, is_aligned=True), None, Window(8192, is_aligned=True), Window(512)]
    layers = tuple(LayerGeometry(index, 1, 8, 8, window) for index, window in enumerate(windows))
    assert KVGeometry(layers, torch.float32).in_words() == (
        "runs of 8,192 tokens in 2 layers",
        "full in 1 layer",
        "a window of 512 tokens in 1 layer",
    )
