"""Names that requests must use to address a served model."""

from collections.abc import Mapping
from typing import Final

DEMO_MODEL: Final = "verbatim-demo"

# Parameters that hold the model's name, and parameters with a fixed value.
_OF_MODEL: Final = ("model", "model_name", "model_id")
_CONSTANT: Final[Mapping[str, str]] = {"model_version": "1"}


def names_of(model: str) -> dict[str, str]:
    """Return the parameter values (by name, `model` of the body included) for a server of this model."""
    return {**dict.fromkeys(_OF_MODEL, model), **_CONSTANT}
