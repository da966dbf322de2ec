"""The linear layers whose weights may be merged, packed and rounded."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeGuard

from torch import Tensor, nn
from typing_extensions import override


def is_plain(module: nn.Module) -> TypeGuard[nn.Linear]:
    """Return whether a module is `nn.Linear` itself, with floating-point numbers in memory as its weights.

    A subclass may compute something else, and so may a parameter of another class: where torchao quantizes a
    weight, the layer stays `nn.Linear` and the dtype that of the plain weight.
    """
    return type(module) is nn.Linear and all(
        type(parameter) is nn.Parameter and parameter.is_floating_point()
        for parameter in module.parameters(recurse=False)
    )


class ReadLinear(nn.Linear):
    """A linear layer whose weight or bias modelling code also reads, as Mamba's; it stays."""


class _Watched(nn.Linear):
    """A linear layer that becomes a `ReadLinear` once its weight or bias is read."""

    @override
    def forward(self, rows: Tensor) -> Tensor:
        return nn.functional.linear(rows, self._parameters["weight"], self._parameters["bias"])  # type: ignore[arg-type]  # a linear layer has a weight

    @override
    def __getattr__(self, name: str) -> Any:
        if name in ("weight", "bias"):
            self.__class__ = ReadLinear  # type: ignore[assignment]  # to have torch's own attributes again
        return nn.Module.__getattr__(self, name)


@contextmanager
def readers_observed(linears: Iterable[nn.Linear]) -> Iterator[None]:
    """Make a `ReadLinear` of each of these plain linear layers whose weight or bias is read within the block,
    in addition to calling it.
    """
    watched = list(linears)
    for linear in watched:
        linear.__class__ = _Watched
    try:
        yield
    finally:
        for linear in watched:
            if type(linear) is _Watched:
                linear.__class__ = nn.Linear  # type: ignore[assignment]  # as it was
