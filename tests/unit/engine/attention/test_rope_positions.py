"""Positions of several axes, in one piece and in chunks, as transformers computes them."""

from typing import Any

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from transformers import Qwen2_5_VLConfig, Qwen2_5_VLModel

from engine.attention.rope_positions import rope_positions
from engine.media.families import MediaFamily
from engine.media.processed_item import ProcessedItem
from engine.port.request import Media, MediaKind

IMAGE, TEXT = 1, 0


def medium(position: int, height: int, width: int) -> Media:
    num_tokens = height * width
    item = ProcessedItem(b"", (7,) * num_tokens, np.ones(num_tokens, bool), {}, ((1, height, width),))
    return item.placed(position, MediaKind.IMAGE, MediaFamily())


@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(1, 5)), max_size=4),
    st.integers(0, 5),
    st.data(),
)
def test_positions_are_transformers_own_however_a_prompt_is_cut(
    grids: list[tuple[int, int, int]], num_first: int, data: st.DataObject
) -> None:
    kinds = [TEXT] * num_first
    media = []
    for height, width, num_text in grids:
        media.append(medium(len(kinds), height, width))
        kinds += [IMAGE] * (height * width) + [TEXT] * num_text
    kinds += [TEXT] * 3
    expected = positions_of_transformers(kinds, [(height, width) for height, width, _ in grids])
    assert np.array_equal(rope_positions(media, 0, len(kinds), 3), expected)
    start = data.draw(st.integers(0, len(kinds) - 1))
    end = data.draw(st.integers(start + 1, len(kinds)))
    assert np.array_equal(rope_positions(media, start, end, 3), expected[:, start:end])


def positions_of_transformers(kinds: list[int], grids: list[tuple[int, int]]) -> NDArray[np.int64]:
    config = Qwen2_5_VLConfig(text_config={"num_hidden_layers": 1}, vision_config={"depth": 1})
    with torch.device("meta"):
        model: Any = Qwen2_5_VLModel(config)  # its annotations name types that torch's tensors are not
    merge = model.config.vision_config.spatial_merge_size
    thw = torch.tensor([(1, height * merge, width * merge) for height, width in grids]).reshape(-1, 3)
    positions, _ = model.get_rope_index(
        torch.zeros(1, len(kinds), dtype=torch.int64), torch.tensor([kinds]), image_grid_thw=thw
    )
    found: NDArray[np.int64] = positions[:, 0].numpy()
    return found
