"""The facts about a model's linear layers: as they are once it is loaded, or as a dry run expects them."""

from collections.abc import Mapping
from typing import NamedTuple

from torch import nn
from transformers import PreTrainedModel

from engine.config import EngineConfig
from engine.linear.merged_linear import Mergeable
from engine.linear.packed_linear import expected_linear_kernel, linear_dtype, linear_kernel, linear_obstacle
from engine.linear.panel_linear import Bfloat16Products
from engine.linear.plain_linear import is_plain
from engine.linear.products import products_of
from engine.linear.rounded.fp8_linear import fp8_layers
from engine.linear.rounded.quantization import expected_num_layers
from engine.linear.rounded.stored_groups import expected_stored_layers, stored_layers
from engine.model.loading.loader import keeps_float16
from engine.model.loading.planning.plan import PlannedModel
from engine.native.obstacles import lacks_library
from engine.port.info.kernels import Kernel, quantized_kernels


class LinearFacts(NamedTuple):
    """The numbers of linear layers by the kind of their weights, and the compiled code that computes them.

    num_rounded: by the name of the rounding at load. num_stored: of those that keep a checkpoint's integers,
    by their bits. dtype, products: as `linear_dtype` and `bfloat16_products` of `ModelInfo`. kernels: the
    reports.
    """

    num_rounded: Mapping[str, int]
    num_stored: Mapping[int, int]
    dtype: str | None
    products: Bfloat16Products | None
    kernels: tuple[Kernel, ...]


def linear_facts(
    model: nn.Module,
    num_rounded: Mapping[str, int],
    products: Bfloat16Products | None,
    *,
    quantize: str | None,
) -> LinearFacts:
    """Return the facts about a model whose layers are packed. The arguments are as in `LinearFacts`.

    quantize: as in `EngineConfig`.
    """
    num_stored = stored_layers(model)
    kernels = _kernels(linear_kernel(model), num_stored, quantize)
    return LinearFacts(num_rounded, num_stored, linear_dtype(model), products, kernels)


def expected_linear_facts(
    model: PreTrainedModel, mergeable: Mergeable, plan: PlannedModel, config: EngineConfig
) -> LinearFacts:
    """Return the facts about a model once it is loaded, if no layer is refused.

    model: may have no data. mergeable: as of `find_mergeable`.
    """
    num_stored = expected_stored_layers(model, mergeable)
    kernel = expected_linear_kernel(
        model, plan.device, plan.dtype, mergeable, is_rounded=config.quantize is not None
    )
    dtype, products = None, None
    if config.quantize is None and any(map(is_plain, model.modules())):
        if keeps_float16(plan, config):
            dtype = "float16"
        elif linear_obstacle(plan.device, plan.dtype) is None:
            products = products_of(config.bfloat16_products)
    num_rounded: Mapping[str, int] = {}
    if config.quantize == "fp8":
        num_rounded = {"fp8": sum(1 for _ in fp8_layers(model))}
    elif config.quantize:
        num_rounded = expected_num_layers(model, mergeable, config.quantize)
    return LinearFacts(
        num_rounded=num_rounded,
        num_stored=num_stored,
        dtype=dtype,
        products=products,
        kernels=_kernels(kernel, num_stored, config.quantize),
    )


def _kernels(linear: Kernel, num_stored: Mapping[int, int], quantize: str | None) -> tuple[Kernel, ...]:
    return (linear, *quantized_kernels(quantize, lacks_library(), has_stored_layers=bool(num_stored)))
