"""The forms of groups that the blocks of a GGUF file become."""

from collections.abc import Mapping
from typing import Final

from engine.weights.grouped_weight import GroupForm

FORMS: Final[Mapping[str, GroupForm]] = {
    "Q4_0": GroupForm(4, 32, has_mins=False),
    "Q4_1": GroupForm(4, 32, has_mins=True),
    "Q5_0": GroupForm(5, 32, has_mins=False),
    "Q5_1": GroupForm(5, 32, has_mins=True),
    "Q8_0": GroupForm(8, 32, has_mins=False),
    "Q4_K": GroupForm(4, 32, has_mins=True),
    "Q5_K": GroupForm(5, 32, has_mins=True),
    "Q6_K": GroupForm(6, 16, has_mins=False),
}
"""The forms of blocks, by ggml's name for their kind."""
