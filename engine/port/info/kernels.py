"""The report on compiled code: what of it serves the loaded model, and why the rest does not; no torch."""

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from engine.port.errors import KernelsMissing

KernelName = Literal[
    "decode_attention",
    "chunk_attention",
    "varlen_attention",
    "linear",
    "int8",
    "fp8",
    "int4",
    "stored_groups",
    "layer_fusion",
    "layer_stacking",
    "decode_path",
    "decode_graphs",
    "mixed_graphs",
    "launch_ahead",
    "adapters",
    "ranking",
]


class Obstacle(msgspec.Struct, frozen=True):
    """The reason why a kernel is not used, or not by every layer.

    reason: a phrase, such as "takes bfloat16, not float32". is_lack: whether this processor and this model
    could use the kernel: something is missing that can be had (a compiler), or results differed from those
    of torch.
    """

    reason: str
    is_lack: bool = False


class Kernel(msgspec.Struct, frozen=True):
    """One use of compiled code.

    scope: how much of the model it serves, such as "24 of 24 layers"; empty if that goes without saying.
    obstacle: why it is off, or why it does not serve all; None if nothing more could be used.
    """

    name: KernelName
    in_use: bool
    scope: str = ""
    obstacle: Obstacle | None = None


def kernel(name: KernelName, obstacle: Obstacle | None) -> Kernel:
    """Return the report on a kernel that is in use unless something stands in its way."""
    return Kernel(name, obstacle is None, obstacle=obstacle)


def quantized_kernels(
    quantize: str | None, obstacle: Obstacle | None, *, has_stored_layers: bool
) -> Iterator[Kernel]:
    """Yield the reports on products of layers that are quantized, as of EngineConfig, or stored so."""
    if quantize == "fp8":
        yield Kernel("fp8", True)
    elif quantize is not None:
        yield kernel("int8" if quantize == "int8" else "int4", obstacle)
    if has_stored_layers:
        yield kernel("stored_groups", obstacle)


def kernel_of_layers(name: KernelName, num_served: int, num_layers: int, obstacle: Obstacle | None) -> Kernel:
    """Return the report on a kernel that serves some layers. obstacle: why not the others, if any."""
    scope = f"{num_served} of {num_layers} layers" if num_served else ""
    serves_all = 0 < num_served == num_layers
    return Kernel(name, num_served > 0, scope, None if serves_all else obstacle)


def by_obstacle(kernels: Iterable[Kernel]) -> dict[Obstacle, list[Kernel]]:
    """Group the kernels that have an obstacle by it, in order."""
    groups: dict[Obstacle, list[Kernel]] = {}
    for each in kernels:
        if each.obstacle is not None:
            groups.setdefault(each.obstacle, []).append(each)
    return groups


def check_none_is_missing(kernels: Iterable[Kernel]) -> None:
    """Raise KernelsMissing if this processor and this model could use compiled code that they do not use."""
    lacks = {obstacle: group for obstacle, group in by_obstacle(kernels).items() if obstacle.is_lack}
    if lacks:
        reasons = (f"{not_in_use(group)}: {obstacle.reason}" for obstacle, group in lacks.items())
        raise KernelsMissing(f"compiled code that could be used is not; {'; '.join(reasons)}")


def in_use(kernels: Iterable[Kernel]) -> str:
    """List the kernels that are in use, as "decode attention, layer fusion (3 of 3 layers)"."""
    return ", ".join(
        _label(each) + (f" ({each.scope})" if each.scope else "") for each in kernels if each.in_use
    )


def not_in_use(kernels: Iterable[Kernel]) -> str:
    """List kernels that have an obstacle, as "linear, the rest of layer fusion"."""
    return ", ".join(("the rest of " if each.in_use else "") + _label(each) for each in kernels)


def _label(kernel: Kernel) -> str:
    return kernel.name.replace("_", " ")
