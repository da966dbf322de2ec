"""The refusal of a model in one line for whatever transformers raises for its checkpoint."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from engine.port.errors import ModelNotSupported, one_line

# What to do instead, where weights are in a format that is not read.
ELSEWHERE: Final = "load an unquantized checkpoint of the model, and give --quantize int8 to keep it small"


class NeedsWeights(Exception):
    """Without data it cannot be found out how the model is loaded or run; the message says what needs it."""


class CannotConvert(Exception):
    """Stored tensors that become one of the model's, as those of experts do, do not go together."""


@contextmanager
def refusals(directory: Path) -> Iterator[None]:
    """Raise whatever transformers raises for a checkpoint within the block as ModelNotSupported."""
    try:
        yield
    except (ModelNotSupported, NeedsWeights):
        raise
    except Exception as error:  # torch, safetensors, pickle and modelling code raise all kinds
        if isinstance(error, CannotConvert) or "`CONVERSION` entries" in str(error):  # of a report in the log
            raise ModelNotSupported(
                f"the weights in {directory} do not fit its config.json: tensors that become one, such as "
                "those of all experts of a layer, are of shapes that do not go together"
            ) from error
        raise ModelNotSupported(f"the weights in {directory} cannot be loaded: {one_line(error)}") from error


@contextmanager
def silent() -> Iterator[None]:
    """Suppress transformers' log messages about weights, such as a long table of mismatched ones."""
    log = logging.getLogger("transformers")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)
