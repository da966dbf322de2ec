"""The vectors of texts as they are cut and scaled."""

import numpy as np
import pytest

from engine.port.events import Embedding


def of(*entries: float) -> Embedding:
    vector = np.array(entries, dtype=np.float32)
    return Embedding(request_id="1", vector=vector, num_prompt_tokens=3, num_cached_tokens=2, queue_s=0.5)


def test_a_normalized_vector_has_unit_length_and_the_rest_stays() -> None:
    made = of(3, 4).normalized()
    assert made.vector.tolist() == pytest.approx([0.6, 0.8])
    assert made.vector.dtype == np.float32
    assert (made.request_id, made.num_prompt_tokens, made.num_cached_tokens, made.queue_s) == ("1", 3, 2, 0.5)


def test_a_vector_of_zeros_stays_as_it_is() -> None:
    assert of(0, 0, 0, 0).normalized().vector.tolist() == [0.0] * 4


def test_a_truncated_vector_keeps_its_first_entries_at_unit_length() -> None:
    whole = of(3, 4, 12)
    assert whole.truncated(2).vector.tolist() == pytest.approx([0.6, 0.8])
    assert whole.truncated(3).vector.tolist() == pytest.approx([3 / 13, 4 / 13, 12 / 13])
    assert of(0, 0, 5).truncated(2).vector.tolist() == [0.0, 0.0]
    assert whole.vector.tolist() == [3.0, 4.0, 12.0]
