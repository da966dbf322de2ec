"""Vectors as directions; no torch."""

import numpy as np
from numpy.typing import NDArray


def unit_vector(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """The vector [n] scaled to an L2 norm of 1; one of zeros, which has no direction, stays."""
    norm = np.linalg.norm(vector)
    return vector / norm if norm > 0 else vector
