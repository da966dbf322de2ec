"""Linear layers whose weights are still in a checkpoint's files, in groups of integers."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Any

import torch
from torch import Tensor, nn
from typing_extensions import override

from engine.linear.plain_linear import ReadLinear
from engine.weights.unread_weight import UnreadWeight


class UnreadLinear(nn.Linear):
    """A linear layer that reads its weight for each call, until it is packed.

    unread: the weight. plain_bias: the bias, if it has one. Once modelling code reads `weight` or `bias`
    in addition to calling it, it becomes a `ReadLinear` with a plain weight.
    """

    def __init__(self, linear: nn.Linear, unread: UnreadWeight) -> None:
        """Take the place of a linear layer.

        linear: a layer with a stand-in for its weight, or with a weight that it shares with an embedding.
        """
        nn.Module.__init__(self)
        assert unread.shape == (linear.out_features, linear.in_features), unread.shape
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self.register_parameter("bias", linear.bias)
        self.unread = unread
        self._plain_dtype = linear.weight.dtype
        self._is_sampled = False
        self.train(linear.training)

    @property
    def plain_bias(self) -> Tensor | None:
        """The bias; None without one."""
        return self._parameters["bias"]

    def read_plain(self) -> nn.Linear:
        """Return the plain layer, with its weight in memory."""
        plain = nn.Linear(self.in_features, self.out_features, bias=False, device="meta")
        plain.weight = self._plain_weight()
        plain.bias = self.plain_bias  # type: ignore[assignment]  # torch's annotation does not know None
        return plain.train(self.training)

    @override
    def forward(self, rows: Tensor) -> Tensor:
        """Return the outputs [..., out_features] of rows [..., in_features], computed in float32.

        Within `sampled`, the first outputs are repeated in the place of the others.
        """
        if rows.is_meta:
            return rows.new_empty(*rows.shape[:-1], self.out_features)
        numbers = rows.float()
        blocks = islice(self.unread.plain_blocks(), 1) if self._is_sampled else self.unread.plain_blocks()
        outputs = torch.cat([nn.functional.linear(numbers, block) for block in blocks], dim=-1)
        if self._is_sampled:
            times = -(-self.out_features // outputs.shape[-1])
            outputs = torch.cat([outputs] * times, dim=-1)[..., : self.out_features]
        if (bias := self.plain_bias) is not None:
            outputs += bias
        return outputs.to(rows.dtype)

    @property
    def plain_dtype(self) -> torch.dtype:
        """The type that the plain weight would have."""
        return self._plain_dtype

    def sampled_outputs(self, rows: Tensor) -> Iterator[tuple[int, Tensor]]:
        """Yield outputs [..., n] from all over the layer in float32, each with the index of the first."""
        for first, block in self.unread.plain_sample():
            yield first, self._outputs(rows, first, block)

    def whole_outputs(self, rows: Tensor) -> Iterator[tuple[int, Tensor]]:
        """Yield all outputs [..., n] in float32, some at a time, each with the index of the first."""
        first = 0
        for block in self.unread.plain_blocks():
            yield first, self._outputs(rows, first, block)
            first += len(block)

    @override
    def __getattr__(self, name: str) -> Any:
        if name in ("weight", "bias"):
            self._parameters["weight"] = self._plain_weight()
            self.__class__ = ReadLinear  # type: ignore[assignment]  # of the same attributes and more
        return nn.Module.__getattr__(self, name)

    def _outputs(self, rows: Tensor, first: int, block: Tensor) -> Tensor:
        """Return those of a part of the weight, of which `first` is the first output."""
        bias = self.plain_bias
        own = None if bias is None else bias[first : first + len(block)].float()
        return nn.functional.linear(rows.float(), block, own)

    def _plain_weight(self) -> nn.Parameter:
        return nn.Parameter(self.unread.read_plain(self._plain_dtype), requires_grad=False)


@contextmanager
def sampled(model: nn.Module) -> Iterator[None]:
    """Let the model's unread layers read no more of their weights than a part within the block.

    It is for comparisons of what is merged with what is not, which differ in the order of outputs and in
    which biases they get, not in numbers. What becomes of each weight is compared with all of it later.
    """
    unread = [module for module in model.modules() if isinstance(module, UnreadLinear)]
    for linear in unread:
        linear._is_sampled = True
    try:
        yield
    finally:
        for linear in unread:
            linear._is_sampled = False


def put_unread_linears(model: nn.Module, unread: Mapping[str, UnreadWeight]) -> None:
    """Make an `UnreadLinear` of each layer whose weight is unread, by the weight's name."""
    for name, weight in unread.items():
        path = name.removesuffix(".weight")
        parent, _, own = path.rpartition(".")
        linear = model.get_submodule(path)
        assert type(linear) is nn.Linear, path
        setattr(model.get_submodule(parent), own, UnreadLinear(linear, weight))


@torch.inference_mode()
def read_plain_linears(model: nn.Module) -> None:
    """Make a plain layer of each `UnreadLinear`, one after the other."""
    for parent in list(model.modules()):
        for name, child in parent.named_children():
            if isinstance(child, UnreadLinear):
                setattr(parent, name, child.read_plain())
