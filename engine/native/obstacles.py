"""The conditions that all compiled functions share: device, dtype and a library."""

import torch

from engine.native.library import loaded
from engine.port.info.kernels import Obstacle

_DTYPES = (torch.float32, torch.bfloat16)


def find_obstacle(
    device: torch.device,
    dtype: torch.dtype,
    *,
    dtypes: tuple[torch.dtype, ...] = _DTYPES,
) -> Obstacle | None:
    """Return the reason why compiled code does not serve this device and dtype; None if it does."""
    if device.type != "cpu":
        return Obstacle(f"serves a CPU, not {device.type}")
    if dtype not in dtypes:
        return Obstacle(f"takes {' and '.join(map(name_of, dtypes))}, not {name_of(dtype)}")
    return lacks_library()


def lacks_library() -> Obstacle | None:
    """Return an obstacle if there are no compiled functions."""
    library, why_not = loaded()
    return None if library is not None else Obstacle(why_not, is_lack=True)


def name_of(dtype: torch.dtype) -> str:
    """Return the name of the dtype, such as `float32`."""
    return str(dtype).removeprefix("torch.")
