"""The times of tokens, by dynamic time warping over the weights with which a decoder attends to the sound.

The method is that of Whisper's authors, as transformers has it (`return_token_timestamps`): weights of the
heads that follow speech, normalized over the tokens, smoothed over time and averaged; the best monotone path
through them says when each token begins.
"""

import numpy as np
from numpy.typing import NDArray

from engine.port.info.speech_info import SECONDS_PER_TIMESTAMP


def token_times(weights: NDArray[np.float32], median_width: int) -> tuple[float, ...]:
    """Return when each token begins, in seconds from the start of the sound.

    weights: [num_heads, num_tokens, num_positions], each position of one timestamp's length. median_width:
    odd.
    """
    if weights.shape[1] == 0 or weights.shape[2] == 0:
        return tuple(0.0 for _ in range(weights.shape[1]))
    mean = weights.mean(axis=1, keepdims=True)
    deviation = weights.std(axis=1, keepdims=True)
    # A single token deviates from nothing: its weights say nothing about time.
    normal = np.divide(weights - mean, deviation, out=np.zeros_like(weights), where=deviation > 0)
    gains = _smoothed(normal, median_width).mean(axis=0, dtype=np.float32).astype(np.float64)
    times: list[float] = (SECONDS_PER_TIMESTAMP * _starts(gains)).tolist()
    return tuple(times)


def _smoothed(values: NDArray[np.float32], width: int) -> NDArray[np.float32]:
    """Return the medians of `width` neighbours on the last axis, which is mirrored at its ends."""
    half = width // 2
    if values.shape[-1] <= half:
        return values
    padded = np.pad(values, [(0, 0)] * (values.ndim - 1) + [(half, half)], mode="reflect")
    windows = np.lib.stride_tricks.sliding_window_view(padded, width, axis=-1)
    return np.median(windows, axis=-1).astype(np.float32)


def _starts(gains: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the column at which the best path enters each row.

    gains: [num_rows, num_columns]. A path goes from the first of both to the last of both; each step goes one
    row on, one column on, or both, and its sum is the largest. Of equal ways, one column on comes first.
    """
    num_rows, num_columns = gains.shape
    costs = np.full((num_rows + 1, num_columns + 1), np.inf, dtype=np.float32)
    costs[0, 0] = 0.0
    # The three ways to a place: one row and one column on, one row on, one column on.
    ways = np.zeros((num_rows + 1, num_columns + 1), dtype=np.int8)
    # Places on one antidiagonal depend only on the two before it, so that each is computed at once.
    for diagonal in range(2, num_rows + num_columns + 1):
        rows = np.arange(max(1, diagonal - num_columns), min(num_rows, diagonal - 1) + 1)
        columns = diagonal - rows
        both, row, column = costs[rows - 1, columns - 1], costs[rows - 1, columns], costs[rows, columns - 1]
        way = np.where((both < row) & (both < column), 0, np.where((row < both) & (row < column), 1, 2))
        best = np.choose(way, (both, row, column))
        costs[rows, columns] = -gains[rows - 1, columns - 1] + best
        ways[rows, columns] = way
    starts = np.zeros(num_rows, dtype=np.int64)
    place_row, place_column = num_rows, num_columns
    while place_row > 0:
        starts[place_row - 1] = place_column - 1  # of the columns in a row, the first is met last
        way_here = ways[place_row, place_column]
        place_row -= int(way_here != 2)
        place_column -= int(way_here != 1)
    return starts
