"""A layer is served by torch's varlen attention only if a call of it gives what our own attention gives."""

import inspect

import pytest
import torch
from msgspec.structs import replace
from torch.nn.attention.varlen import varlen_attn_out

from engine.attention.kv_cache.geometry import IndexGeometry, KVGeometry, LayerGeometry, QueryGeometry
from engine.attention.varlen.choice import VarlenChoice, choose_layers
from engine.attention.varlen.library import FORMS, AttnOut, VarlenLibrary, torch_varlen
from engine.attention.window import Window
from engine.port.info.kernels import Obstacle
from tests.support.varlen_emulation import Kernel, emulated

CPU = torch.device("cpu")
CUDNN, FLASH = FORMS
# What torch chooses among: pages of any size without windows, and pages of 256 tokens.
AS_CUDNN = Kernel(takes_windows=False)
AS_FLASH = Kernel(page_multiple=256, needs_key_starts=True)

FULL = LayerGeometry(0, 2, 16, 16, queries=QueryGeometry(4))
SLIDING = replace(FULL, window=Window(9))
INDEXED = replace(FULL, top_k=7, index_keys=IndexGeometry(8, torch.float32))
CAPPED = replace(FULL, queries=QueryGeometry(4, has_softcap=True))


def choose(
    *layers: LayerGeometry, library: VarlenLibrary, dtype: torch.dtype = torch.float32, block_size: int = 16
) -> VarlenChoice:
    numbered = tuple(replace(layer, index=index) for index, layer in enumerate(layers))
    return choose_layers(KVGeometry(numbered, dtype), library, block_size, CPU)


def layers_of(choice: VarlenChoice) -> list[int]:
    return [] if choice.served is None else sorted(choice.served.layers)


def test_pages_stay_small_where_a_kernel_takes_them() -> None:
    choice = choose(FULL, FULL, library=emulated(AS_CUDNN, AS_FLASH))
    assert choice.served is not None and choice.served.form == CUDNN
    assert (choice.block_size, layers_of(choice)) == (16, [0, 1])
    assert (choice.kernel.in_use, choice.kernel.scope) == (True, "2 of 2 layers")
    assert choice.kernel.obstacle is None


@pytest.mark.parametrize(("wanted", "block_size"), [(16, 256), (256, 256), (300, 512)])
def test_pages_are_large_where_no_kernel_takes_smaller_ones(wanted: int, block_size: int) -> None:
    choice = choose(FULL, library=emulated(AS_FLASH), block_size=wanted)
    assert choice.served is not None and choice.served.form == FLASH
    assert (choice.block_size, layers_of(choice)) == (block_size, [0])


def test_the_form_that_serves_most_layers_is_chosen() -> None:
    choice = choose(FULL, SLIDING, library=emulated(AS_CUDNN, AS_FLASH))
    assert (choice.block_size, layers_of(choice)) == (256, [0, 1])
    without_flash = choose(FULL, SLIDING, library=emulated(AS_CUDNN))
    assert (without_flash.block_size, layers_of(without_flash)) == (16, [0])
    assert without_flash.kernel.scope == "1 of 2 layers"
    assert without_flash.kernel.obstacle == Obstacle(
        "cuDNN raises: RuntimeError: window_size must be (-1, -1) or causal (-1, 0)"
    )


@pytest.mark.parametrize("queries", [QueryGeometry(4), QueryGeometry(4, has_sinks=True)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_layers_with_sinks_and_of_16_bits_are_served(queries: QueryGeometry, dtype: torch.dtype) -> None:
    library = emulated(Kernel(), dtypes=(torch.float32, torch.bfloat16, torch.float16))
    choice = choose(replace(FULL, queries=queries), SLIDING, library=library, dtype=dtype)
    assert layers_of(choice) == [0, 1]


@pytest.mark.parametrize(
    ("layer", "reason"),
    [
        (INDEXED, "has no choice of keys by an index"),
        (CAPPED, "has no soft cap of scores"),
        (replace(FULL, window=Window(8, is_aligned=True)), "has no windows that begin at multiples"),
        (replace(FULL, value_dim=8), "takes keys and values of one size, not of 16 and 8"),
        (replace(FULL, key_dim=264, value_dim=264), "a multiple of 8, not of 264"),
        (replace(FULL, key_dim=12, value_dim=12), "a multiple of 8, not of 12"),
        (replace(FULL, queries=None), "takes layers that attend once in a pass"),
    ],
)
def test_what_it_has_no_parameters_for_is_left_out_with_its_reason(layer: LayerGeometry, reason: str) -> None:
    choice = choose(layer, library=emulated(Kernel()))
    assert choice.served is None and choice.block_size == 16 and not choice.kernel.in_use
    assert choice.kernel.obstacle is not None and reason in choice.kernel.obstacle.reason
    mixed = choose(layer, FULL, library=emulated(Kernel()))
    assert layers_of(mixed) == [1] and mixed.kernel.obstacle == choice.kernel.obstacle


def test_types_that_it_does_not_take_are_left_out() -> None:
    choice = choose(FULL, library=emulated(Kernel(), dtypes=(torch.bfloat16, torch.float16)))
    assert choice.kernel.obstacle == Obstacle("takes bfloat16 and float16, not float32")


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_kernel_whose_window_is_wrong_by_a_key_is_left_out(dtype: torch.dtype) -> None:
    library = emulated(Kernel(skew=1), dtypes=(torch.float32, torch.bfloat16))
    choice = choose(FULL, SLIDING, library=library, dtype=dtype)
    assert layers_of(choice) == [0]
    assert choice.kernel.obstacle is not None and choice.kernel.obstacle.is_lack
    assert "gives other results than torch's own operations, by" in choice.kernel.obstacle.reason


def test_a_kernel_that_gives_nan_is_left_out() -> None:
    library = emulated(Kernel(), Kernel(needs_key_starts=True))

    def nan_in_long_chunks(*args: object, **named: object) -> object:
        out, lse = library.attn_out(*args, **named)  # type: ignore[arg-type]  # as they come
        if len(out) > 200:
            out[-1] = torch.nan
        return out, lse

    broken = library._replace(attn_out=nan_in_long_chunks)  # type: ignore[arg-type]  # likewise
    choice = choose(FULL, library=broken)
    assert choice.served is None and choice.kernel.obstacle is not None and choice.kernel.obstacle.is_lack


def test_a_cpu_has_none() -> None:
    assert torch_varlen(CPU) is None


def test_the_function_has_the_parameters_that_are_given_to_it() -> None:
    theirs = inspect.signature(varlen_attn_out).parameters
    ours = [name for name in inspect.signature(AttnOut.__call__).parameters if name != "self"]
    assert ours == list(theirs)
