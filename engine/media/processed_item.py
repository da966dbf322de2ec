"""A medium as the model's processor makes it: token ids that keep its place, and arrays for the encoder."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.media.families import MediaFamily
from engine.port.request import Media, MediaKind, RopeAxes

Arrays: TypeAlias = Mapping[str, NDArray[Any]]
"""Arrays by the names of the encoder's arguments, among others."""

# The keys of `Media.features`.
ARRAYS = "arrays"
EMBEDDED = "embedded"


@dataclass(frozen=True, slots=True)
class ProcessedItem:
    """One file after the model's processor.

    digest: of the file, its kind and the processor's settings. token_ids: those that keep its place.
    is_embedded: bool [num_tokens], whether a row of the encoder's output takes the place of the token's
        embedding; the others separate these.
    arrays: what the processor made, by the names of the encoder's arguments. grids: the patches of each
        image in time, height and width after merging, where positions have axes. time_step: between positions
        of patches that follow one another in time.
    newlines_before, newlines_after: line feeds around these tokens, which a tokenizer may join with those of
        the prompt.
    """

    digest: bytes
    token_ids: tuple[int, ...]
    is_embedded: NDArray[np.bool_]
    arrays: Arrays
    grids: tuple[tuple[int, int, int], ...] = ()
    time_step: float = 1.0
    newlines_before: int = 0
    newlines_after: int = 0

    @property
    def num_bytes(self) -> int:
        """The memory that it takes, roughly."""
        return 8 * len(self.token_ids) + sum(array.nbytes for array in self.arrays.values())

    def placed(self, position: int, kind: MediaKind, family: MediaFamily) -> Media:
        """Return the medium at this position of a prompt. family: that of its model."""
        return Media(
            digest=self.digest,
            position=position,
            num_tokens=len(self.token_ids),
            kind=kind,
            features={ARRAYS: self.arrays, EMBEDDED: self.is_embedded},
            seen_together=tuple(self._embedded_ranges()) if kind in family.sees_both_ways else (),
            together_in_windows=family.in_windows,
            rope=self._rope_axes() if self.grids else None,
        )

    def _embedded_ranges(self) -> list[tuple[int, int]]:
        """Return the half-open ranges of tokens that are embedded."""
        edges = np.flatnonzero(np.diff(self.is_embedded.astype(np.int8), prepend=0, append=0))
        return [(int(first), int(last)) for first, last in edges.reshape(-1, 2)]

    def _offsets(self, grid: tuple[int, int, int]) -> NDArray[np.int64]:
        """Return the positions of a grid's patches on each axis, from its first on."""
        offsets = np.indices(grid).reshape(3, -1)
        offsets[0] = offsets[0].astype(np.float32) * np.float32(self.time_step)  # as transformers rounds
        return offsets

    def _rope_axes(self) -> RopeAxes:
        """Return the tokens' positions: a grid's are those of its patches, then it takes its longer side."""
        parts: list[NDArray[np.int64]] = []
        position, grids = 0, iter(self.grids)
        for is_embedded, group in groupby(self.is_embedded.tolist()):
            if is_embedded:
                grid = next(grids)
                parts.append(self._offsets(grid) + position)
                position += max(grid[1:])
            else:
                num_tokens = len(list(group))
                parts.append(np.broadcast_to(np.arange(num_tokens) + position, (3, num_tokens)))
                position += num_tokens
        offsets = np.concatenate(parts, axis=1)
        assert offsets.shape[1] == len(self.token_ids), "the grids have as many patches as there are tokens"
        return RopeAxes(tuple(map(tuple, offsets.tolist())), position)
