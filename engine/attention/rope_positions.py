"""Positions for a rotary embedding of several axes (M-RoPE, Wang et al. 2024, arXiv 2409.12191).

A token of text has the same position on all axes. A medium's tokens have one for each axis, and a medium
takes fewer positions than it has tokens, so that all tokens after it come earlier than their number says.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.port.request import Media


def rope_positions(media: Sequence[Media], start: int, end: int, num_axes: int) -> NDArray[np.int64]:
    """Return the positions of a sequence's tokens `start` to `end` on each axis, [num_axes, end - start].

    media: those of the sequence, by position.
    """
    rows = np.arange(start, end)
    positions = np.broadcast_to(rows, (num_axes, end - start)).copy()
    for one in media:
        if one.rope is None or one.position >= end:
            continue
        # Of the tokens from `start` on: those of the medium, then those after it.
        first, last = max(one.position, start), max(min(one.end, end), start)
        begins_at = _position_of(media, one)
        if first < last:
            offsets = [axis[first - one.position : last - one.position] for axis in one.rope.offsets]
            positions[:, first - start : last - start] = begins_at + np.array(offsets)
        positions[:, last - start :] = rows[last - start :] - one.end + begins_at + one.rope.extent
    return positions


def _position_of(media: Sequence[Media], of: Media) -> int:
    """Return the position, on all axes, of the first token of one of these media."""
    before = (one for one in media if one.rope is not None and one.position < of.position)
    return of.position + sum(one.rope.extent - one.num_tokens for one in before if one.rope is not None)
