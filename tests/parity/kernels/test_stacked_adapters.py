"""A step of compiled layers computes each row's adapter as the layers' own code does, in any batch."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from engine.fusion.fused_layer import FusedLayer
from engine.fusion.native_adapters import NativeAdapters
from engine.fusion.native_decoder import NativeDecoder
from engine.lora.fused_adapters import fuse_adapters
from engine.lora.sites import Site, open_sites
from engine.model.adapters import LoraAdapter, LowRank, in_panels
from engine.port.info.kernels import Kernel
from tests.parity.kernels.decoding_engine import NUM_LAYERS, Engine, build_engine
from tests.support.selection.instructions import needs_compiled_bfloat16

TOLERANCE = {None: 3e-2, "int8": 8e-2, "int4": 8e-2, "int4-g64-asym": 8e-2}
WIDE = {"head_dim": 64, "hidden_size": 96, "intermediate_size": 160}
# Sizes that are no multiples of a register, nor of a panel: k_proj begins, and ends, within one.
ODD = {"head_dim": 12, "hidden_size": 72, "intermediate_size": 96}
# Inputs in whole groups of 32, as weights of 4 bits have them.
IN_GROUPS = {"head_dim": 24, "hidden_size": 96, "intermediate_size": 160}

pytestmark = needs_compiled_bfloat16

every_arithmetic = pytest.mark.parametrize(
    "arithmetic",
    [
        {"bfloat16_products": "pairs"},
        {"bfloat16_products": "widened"},
        *({"quantize": name} for name in ("int8", "int4", "int4-g64-asym")),
    ],
    ids=["pairs", "widened", "int8", "int4", "int4-g64-asym"],
)


def opened(engine: Engine, **options: bool) -> tuple[Mapping[str, Site], Kernel]:
    sites = open_sites(engine.model)
    return sites, fuse_adapters(engine.runner, sites, is_quantized=False, **options)


def new_adapter(name: str, rank: int, sites: Mapping[str, Site], part: str = "") -> LoraAdapter:
    """One that changes the linear layers with this part in their path, by as much as they give."""
    generator = torch.Generator().manual_seed(rank)

    def low_rank(site: Site) -> LowRank:
        down = torch.randn(rank, site.in_features, generator=generator) / site.in_features**0.5
        up = torch.randn(rank, site.out_features, generator=generator) / rank**0.5
        return LowRank(down.bfloat16(), in_panels(up.bfloat16()))

    layers = {path: low_rank(site) for path, site in sites.items() if part in path}
    assert layers
    return LoraAdapter(name, name, layers)


def by_modules(engine: Engine, sequences: Any, monkeypatch: pytest.MonkeyPatch) -> Tensor:
    """Decode like `Engine.decode`, but by the layers that transformers made."""
    with monkeypatch.context() as context:
        context.setattr(NativeDecoder, "takes", lambda self, num_rows: False)
        context.setattr(FusedLayer, "forward", lambda self, *args, **kwargs: self.layer(*args, **kwargs))
        return engine.decode(sequences)


@pytest.mark.by_turns("architecture", "arithmetic")
@every_arithmetic
@pytest.mark.parametrize(
    ("architecture", "changes"), [("qwen2", WIDE), ("qwen3", {}), ("llama", ODD), ("mistral", {})]
)
def test_one_call_computes_adapters_as_the_layers_do_one_by_one(
    architecture: str,
    changes: dict[str, Any],
    arithmetic: Mapping[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if arithmetic.get("quantize", "").startswith("int4"):
        changes = IN_GROUPS
    engine = build_engine(tmp_path, monkeypatch, architecture, **arithmetic, **changes)
    sites, kernel = opened(engine)
    assert kernel == Kernel("adapters", True, f"{NUM_LAYERS} of {NUM_LAYERS} layers")
    assert len(sites) == 7 * NUM_LAYERS and all(site.is_stacked for site in sites.values())
    adapters = [
        new_adapter("all", 5, sites),
        None,
        new_adapter("keys", 1, sites, "k_proj"),
        new_adapter("mlp", 8, sites, "layers.1.mlp"),
        new_adapter("one", 70, sites, "layers.2.self_attn.o_proj"),
    ]
    for num_rows in (1, 2, 5, 13, 64):
        sequences = engine.sequences(num_rows, adapters)
        logits = engine.decode(sequences)
        expected = by_modules(engine, sequences, monkeypatch)
        differences = (logits - expected).float().norm(dim=-1) / expected.float().norm(dim=-1)
        assert differences.max() < TOLERANCE[arithmetic.get("quantize")]
        if num_rows == 5:
            alone = torch.cat([engine.decode([each]) for each in sorted(sequences, key=len_of)])
            assert torch.equal(alone, logits)
    for sequence in sequences:
        sequence.adapter = None
    plain = engine.decode(sequences)
    assert (logits - plain).float().norm() > 0.2 * plain.float().norm()  # so that a lack would be seen


def len_of(sequence: Any) -> int:
    return int(sequence.num_tokens)


def test_a_step_with_adapters_is_one_call_and_one_without_is_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = build_engine(tmp_path, monkeypatch, "qwen2")
    before = engine.decode(engine.sequences(8))
    sites, _ = opened(engine)
    assert torch.equal(engine.decode(engine.sequences(8)), before)
    sequences = engine.sequences(8, [new_adapter("poet", 3, sites), None])
    monkeypatch.setattr(engine.model, "forward", None)
    assert not torch.equal(engine.decode(sequences), before)


def test_adapters_that_give_something_else_are_left_to_the_layers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = build_engine(tmp_path, monkeypatch, "qwen2")
    of_rows: Any = NativeAdapters.of_rows
    monkeypatch.setattr(NativeAdapters, "of_rows", lambda self, adapters: of_rows(self, adapters[::-1]))
    sites, kernel = opened(engine)
    assert not kernel.in_use and kernel.obstacle is not None and kernel.obstacle.is_lack
    sequences = engine.sequences(3, [new_adapter("poet", 3, sites), None])
    assert torch.equal(engine.decode(sequences), by_modules(engine, sequences, monkeypatch))


def test_what_is_prepared_of_an_adapter_goes_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = build_engine(tmp_path, monkeypatch, "qwen2")
    sites, _ = opened(engine)
    lead = next(part.leads for part in engine.model.modules() if isinstance(part, FusedLayer))
    assert lead is not None
    prepared = lead._decoder._adapters
    assert prepared is not None and len(prepared._prepared) == 0, "the trial's are gone"
    sequences = engine.sequences(2, [new_adapter("poet", 3, sites)])
    engine.decode(sequences)
    assert len(prepared._prepared) == 1
    del sequences
    engine.decode(engine.sequences(1))
    assert len(prepared._prepared) == 0
