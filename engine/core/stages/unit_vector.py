"""The normalization of embedding vectors; no torch."""

import numpy as np
from numpy.typing import NDArray


def unit_vector(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the vector [n] scaled to an L2 norm of 1; a vector of zeros is returned unchanged."""
    norm = np.linalg.norm(vector)
    return vector / norm if norm > 0 else vector
