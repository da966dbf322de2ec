"""The conditions that all compiled functions share: device, dtype, instructions, and a library."""

import torch

from engine.kernels import Obstacle
from engine.native.instructions import Instructions, usable_instructions
from engine.native.library import loaded

_DTYPES = (torch.float32, torch.bfloat16)


def find_obstacle(
    device: torch.device,
    dtype: torch.dtype,
    least: Instructions = Instructions.OTHER,
    *,
    dtypes: tuple[torch.dtype, ...] = _DTYPES,
) -> Obstacle | None:
    """Return the reason why compiled code does not serve this device and dtype; None if it does.

    least: the lowest instruction set for which the function exists and is known to be faster than torch.
    """
    if device.type != "cpu":
        return Obstacle(f"serves a CPU, not {device.type}")
    obstacle = lacks_instructions(least)
    if obstacle is None and dtype not in dtypes:
        obstacle = Obstacle(f"takes {' and '.join(map(name_of, dtypes))}, not {name_of(dtype)}")
    return obstacle or lacks_library()


def lacks_instructions(least: Instructions) -> Obstacle | None:
    """Return an obstacle if the processor lacks these instructions, or may not use them."""
    if least is Instructions.OTHER or (usable := usable_instructions()) >= least:
        return None
    return Obstacle(f"needs {least.label}; this processor is used up to {usable.label}")


def lacks_library() -> Obstacle | None:
    """Return an obstacle if there are no compiled functions."""
    library, why_not = loaded()
    return None if library is not None else Obstacle(why_not, is_lack=True)


def name_of(dtype: torch.dtype) -> str:
    """Return the name of the dtype, such as `float32`."""
    return str(dtype).removeprefix("torch.")
