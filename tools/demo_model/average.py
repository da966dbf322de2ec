"""The weighted mean of exported models, where no refresh alone keeps all that the others know.

Models that were trained on from the same weights lie near enough to one another for their mean to work, and
often better than each of them (Wortsman et al. 2022, arXiv 2203.05482).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

WEIGHTS_FILE = "model.safetensors"


class Part(NamedTuple):
    """A model of a mean: its directory and its share."""

    directory: Path
    share: float


def average(parts: Sequence[Part], to: Path) -> None:
    """Write the mean of the parts' weights into the exported model in `to`, whose other files stay.

    parts: their shares sum to 1. Sums are in float32. Raises ValueError if the shares do not, or if the
    models differ in shape.
    """
    if abs(sum(part.share for part in parts) - 1) > 1e-6:
        raise ValueError("the shares must sum to 1")
    models = [load_file(part.directory / WEIGHTS_FILE) for part in parts]
    shapes = [{name: weight.shape for name, weight in model.items()} for model in models]
    if any(other != shapes[0] for other in shapes):
        raise ValueError("the models differ in their weights' names or shapes")
    means = {}
    for name, weight in models[0].items():
        mean = torch.zeros(weight.shape)
        for part, model in zip(parts, models, strict=True):
            mean += part.share * model[name].float()
        means[name] = mean.to(weight.dtype)
    with safe_open(parts[0].directory / WEIGHTS_FILE, "pt") as file:
        metadata = file.metadata()
    save_file(means, to / WEIGHTS_FILE, metadata=metadata)
