"""The names that requests must give for a server to have what they ask for."""

from collections.abc import Mapping
from typing import Final

DEMO_MODEL: Final = "verbatim-demo"

# Parameters that name the model, and those that the server has one value of.
_OF_MODEL: Final = ("model", "model_name", "model_id")
_CONSTANT: Final[Mapping[str, str]] = {"model_version": "1"}


def names_of(model: str) -> dict[str, str]:
    """Values of parameters, and of a body's `model`, for a server that serves this model."""
    return {**dict.fromkeys(_OF_MODEL, model), **_CONSTANT}
