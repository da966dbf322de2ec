"""With `quantize` logits stay near those of the model as it is, and greedy tokens mostly the same."""

from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import pytest
import torch
from torch import Tensor, nn
from typing_extensions import override

from engine.build import build_core
from engine.config import INT4_GROUPS, EngineConfig
from engine.core.core import EngineCore
from engine.demo_model import DEMO_MODEL
from engine.linear.merged_linear import merge_linears
from engine.linear.rounded import quantization
from engine.linear.rounded.grouped_linear import GroupedLinear
from engine.linear.rounded.int8_linear import Int8Head, Int8Linear
from engine.linear.rounded.quantization import Rounding, quantize_linears
from engine.model.checks.reference_pass import reference_logits, relative_difference
from engine.model.loading.loader import LoadedModel, load_model
from engine.native.library import Loaded
from engine.port.errors import ModelNotSupported
from engine.port.events import TokenEvent
from engine.port.request import SamplingParams, StopConditions
from tests.support.engine_requests import generation_request
from tests.support.selection.effort import usually
from tests.support.selection.instructions import needs_compiler
from tests.support.tiny_models.config import tiny_config
from tests.support.tiny_models.text import ARCHITECTURES, REPRESENTATIVES, save_tiny_model, tiny_model

QUANTIZATIONS = ("int8", "int4", "int4-g128", "int4-asym", "int4-g64-asym")
# Largest relative error of a layer's outputs for random weights.
MAX_LAYER_ERROR = {"int8": 0.02, "int4": 0.1, "int4-g128": 0.12, "int4-asym": 0.09, "int4-g64-asym": 0.1}
# That of the demo model's logits, whose layers have 256 inputs.
MAX_ERROR = {"int8": 0.05, "int4": 0.25, "int4-g128": 0.3, "int4-asym": 0.22, "int4-g64-asym": 0.25}
# That of the head by itself, of which rounding to bfloat16 is a third.
MAX_HEAD_ERROR = 0.01
# That of half the tokens of tiny random models, whose attention and experts magnify any rounding. Wrong
# arithmetic gives more than 1.
MAX_RANDOM_ERROR = {"int8": 0.15, "int4": 0.6, "int4-g128": 0.6, "int4-asym": 0.6, "int4-g64-asym": 0.6}
# Smallest share of greedy tokens that are those of the model as it is, given the same tokens before.
MIN_AGREEMENT = {"int8": 0.97, "int4": 0.85, "int4-g128": 0.8, "int4-asym": 0.85, "int4-g64-asym": 0.85}
TEXTS = [
    "Hello! My name is Ada. What is yours?",
    "What is the capital of France?",
    "Write a short story about a fox and a river.",
    '{"name": "Ada", "numbers": [1, 2, 3]}',
]


def error(actual: Tensor, expected: Tensor) -> float:
    return float((actual - expected).norm() / expected.norm())


@needs_compiler
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize("quantize", QUANTIZATIONS)
def test_a_layers_error_is_bounded_and_a_row_does_not_depend_on_the_others(
    quantize: str, has_bias: bool, dtype: torch.dtype
) -> None:
    torch.manual_seed(0)
    linear = nn.Module.to(nn.Linear(896, 333, bias=has_bias), dtype)
    rows = torch.randn(2, 7, 896).to(dtype)
    rows[0, 2] *= 1000
    rows[1, 3] = 0
    with torch.inference_mode():
        quantized = quantization.QUANTIZATIONS[quantize][0].layer(linear)
        expected, actual = linear(rows).flatten(0, 1).float(), quantized(rows).flatten(0, 1).float()
        for row in range(14):
            assert (actual[row] - expected[row]).norm() <= MAX_LAYER_ERROR[quantize] * expected[row].norm()
            alone = quantized(rows.flatten(0, 1)[row : row + 1])
            assert torch.equal(alone[0].float(), actual[row])
        assert quantized(rows[:0]).shape == (0, 7, 333)


@needs_compiler
@pytest.mark.by_turns("architecture", "quantize")
@pytest.mark.parametrize("architecture", usually(ARCHITECTURES, REPRESENTATIVES))
@pytest.mark.parametrize("quantize", QUANTIZATIONS)
def test_the_logits_of_every_architecture_are_near(quantize: str, architecture: str) -> None:
    model = tiny_model(architecture)
    tokens = list(range(3, 60))
    expected = reference_logits(model, tokens)
    merge_linears(model)
    quantized = quantize_linears(model, quantize)
    assert not quantized.refused
    assert quantized.num_weights > 0 or architecture == "gpt2"  # whose layers are no nn.Linear
    assert relative_difference(reference_logits(model, tokens), expected) < MAX_RANDOM_ERROR[quantize]


def load_demo() -> LoadedModel:
    return load_model(EngineConfig(model=str(DEMO_MODEL), device="cpu"), lambda line: None)


@needs_compiler
@torch.inference_mode()
@pytest.mark.parametrize("quantize", QUANTIZATIONS)
@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_the_head_rounds_its_weight_and_hardly_its_rows(
    dtype: Literal["bfloat16", "float32"], quantize: str
) -> None:
    config = EngineConfig(model=str(DEMO_MODEL), device="cpu", dtype=dtype)
    loaded = load_model(config, lambda line: None)
    get_head: Any = loaded.model.get_output_embeddings  # transformers gives it no type
    head = get_head()
    rows = torch.randn(50, head.in_features, dtype=head.weight.dtype)
    expected = head(rows)
    quantize_linears(loaded.model, quantize)
    quantized = get_head()
    assert isinstance(quantized, Int8Head)
    assert error(quantized(rows), expected) < MAX_HEAD_ERROR


@needs_compiler
@pytest.mark.parametrize("quantize", usually(QUANTIZATIONS, ("int8", "int4-asym")))
def test_the_demo_model_predicts_the_same_tokens(quantize: str) -> None:
    """Each position of some texts is asked for its best next token."""
    plain, quantized = load_demo(), load_demo()
    quantize_linears(quantized.model, quantize)
    num_agreeing = num_positions = 0
    for text in TEXTS:
        tokens = plain.tokenizer.encode(text)
        expected, actual = reference_logits(plain.model, tokens), reference_logits(quantized.model, tokens)
        assert error(actual, expected) < MAX_ERROR[quantize]
        num_agreeing += int((expected.argmax(-1) == actual.argmax(-1)).sum())
        num_positions += len(tokens)
    assert num_agreeing >= MIN_AGREEMENT[quantize] * num_positions


def generate(core: EngineCore, prompts: list[tuple[int, ...]]) -> list[list[int]]:
    for arrival, prompt in enumerate(prompts):
        core.add(
            arrival,
            generation_request(
                request_id=str(arrival),
                token_ids=prompt,
                sampling=SamplingParams(temperature=0.0),
                stopping=StopConditions(max_tokens=20),
            ),
        )
    tokens: list[list[int]] = [[] for _ in prompts]
    while core.has_work:
        for arrival, event in core.step():
            assert isinstance(event, TokenEvent), event
            tokens[arrival].append(event.token_id)
    return tokens


@needs_compiler
@pytest.mark.parametrize("quantize", usually(QUANTIZATIONS, ("int8", "int4-asym")))
def test_the_engine_writes_the_same_alone_and_in_a_batch(quantize: str, tmp_path: Path) -> None:
    directory = save_tiny_model(tmp_path, "qwen2", has_end_token=False, hidden_size=64)
    said: list[str] = []
    config = tiny_config(directory, dtype="float32", quantize=quantize)
    built = build_core(config, said.append)
    core, info = built.core, built.info
    assert info.quantization == quantize
    prompts = [tuple(range(start, start + 9)) for start, _ in pairwise(range(0, 80, 10))]
    together = generate(core, prompts)
    assert together == [generate(core, [prompt])[0] for prompt in prompts]
    kinds = ("int8", "int4", "int4-asym")  # 64 inputs are no group of 128, and 32 are no group of 64
    assert any(line.startswith("quantized") and any(kind in line for kind in kinds) for line in said)


@needs_compiler
@pytest.mark.parametrize(
    "quantize",
    [
        *("int8", "int4-asym"),
        *(pytest.param(name, marks=pytest.mark.long) for name in ("int4", "int4-g128", "int4-g64-asym")),
    ],
)
def test_the_layers_of_a_deep_model_are_fused_in_float32(quantize: str, tmp_path: Path) -> None:
    """A difference in the last place changes which of 255 numbers is nearest, and layers add that up."""
    depth = 12
    directory = save_tiny_model(
        tmp_path,
        "qwen2",
        hidden_size=512,
        intermediate_size=1024,
        num_hidden_layers=depth,
        layer_types=["full_attention"] * depth,
    )
    config = tiny_config(directory, dtype="float32", quantize=quantize)
    kernels = {each.name: each for each in build_core(config, lambda line: None).info.kernels}
    assert kernels["layer_fusion"].scope == f"{depth} of {depth} layers"


class WrongFrom(Int8Linear):
    """Its outputs are a tenth too large where it has as many inputs as this."""

    num_inputs = 0

    @override
    def forward(self, rows: Tensor) -> Tensor:
        return super().forward(rows) * (1.1 if self.in_features >= self.num_inputs else 1.0)


class WrongGroups(GroupedLinear):
    """Its outputs are a fifth too large."""

    @override
    def forward(self, rows: Tensor) -> Tensor:
        return super().forward(rows) * 1.2


@needs_compiler
@pytest.mark.parametrize(("architecture", "num_kept"), [("llama", 6), ("gpt_neox", 3)])
def test_a_layer_that_differs_from_the_plain_one_stays_as_it_is(
    architecture: str, num_kept: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those with most inputs do."""
    directory = save_tiny_model(tmp_path, architecture)
    monkeypatch.setitem(quantization.QUANTIZATIONS, "int8", (Rounding("int8", WrongFrom, 0.05),))
    monkeypatch.setattr(WrongFrom, "num_inputs", 64)
    said: list[str] = []
    config = tiny_config(directory, dtype="float32", quantize="int8")
    info = build_core(config, said.append).info
    kept = [line for line in said if "stays as it is: in int8 its outputs differ by" in line]
    assert len(set(kept)) == num_kept
    assert info.num_int8_layers > 0
    shares = f"quantized {info.num_int8_layers} of {info.num_int8_layers + num_kept} linear layers"
    assert any(line.startswith(shares) for line in said)


@needs_compiler
def test_a_model_of_which_no_layer_can_be_quantized_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = (Rounding("int8", WrongFrom, 0.05),)
    monkeypatch.setitem(quantization.QUANTIZATIONS, "int8", wrong)
    monkeypatch.setattr(quantization, "HEAD", wrong)
    config = EngineConfig(model=str(save_tiny_model(tmp_path)), device="cpu", quantize="int8")
    with pytest.raises(ModelNotSupported, match=r"those of \S+ differ by (9|1\d)\.\d%"):
        build_core(config, lambda line: None)


@needs_compiler
def test_a_layer_that_4_bits_do_not_fit_has_8(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Rounding("int4", WrongGroups, 0.15, group_size=32)
    int8 = quantization.QUANTIZATIONS["int8"]
    monkeypatch.setitem(quantization.QUANTIZATIONS, "int4", (wrong, *int8))
    said: list[str] = []
    directory = save_tiny_model(tmp_path, "llama", hidden_size=64)
    config = tiny_config(directory, quantize="int4")
    info = build_core(config, said.append).info
    assert info.num_int4_layers == 0 < info.num_int8_layers
    wider = [line for line in said if "has int8: in int4 its outputs differ by 2" in line]
    assert len(wider) == info.num_int8_layers - 1  # the head has 8 bits whatever others have


@needs_compiler
def test_layers_whose_inputs_are_no_whole_groups_have_8_bits(tmp_path: Path) -> None:
    directory = save_tiny_model(tmp_path, "llama", hidden_size=64, intermediate_size=100)
    said: list[str] = []
    config = tiny_config(directory, quantize="int4")
    info = build_core(config, said.append).info
    wider = [line for line in said if "down_proj has int8: its 100 inputs are no whole groups of 32" in line]
    assert len(wider) == info.num_int8_layers - 1 > 0
    assert info.num_int4_layers == 3 * len(wider)


@needs_compiler
@pytest.mark.parametrize("suffix", ["", "-asym"])
def test_layers_have_the_largest_groups_that_their_inputs_allow(suffix: str, tmp_path: Path) -> None:
    """Sizes are 256 inputs of the MLP's first layer, 192 of its second, 32 of attention's output."""
    directory = save_tiny_model(tmp_path, "llama", hidden_size=256, intermediate_size=192, head_dim=8)
    said: list[str] = []
    config = tiny_config(directory, quantize=f"int4-g128{suffix}")
    built = build_core(config, said.append)
    core, info = built.core, built.info
    core.close()
    (line,) = (line for line in said if line.startswith("quantized"))
    for kind in (f"int4-g128{suffix} (6)", f"int4{suffix} (3)", f"int4-g64{suffix} (3)", "int8 (1)"):
        assert kind in line
    for name, form, num_inputs in (("down_proj", f"int4-g64{suffix}", 192), ("o_proj", f"int4{suffix}", 32)):
        reason = f"{name} has {form}: its {num_inputs} inputs are no whole groups of 128"
        assert sum(line.endswith(reason) for line in said) == 3
    assert (info.quantization, info.num_int4_layers, info.num_int8_layers) == (config.quantize, 12, 1)


def test_each_form_has_the_same_groups_wherever_it_is_named() -> None:
    assert list(quantization.QUANTIZATIONS) == ["int8", *INT4_GROUPS]
    for name, (group_size, has_mins) in INT4_GROUPS.items():
        first = quantization.QUANTIZATIONS[name][0]
        assert (first.name, first.group_size) == (name, group_size)
        assert name.endswith("-asym") == has_mins


def test_without_compiled_code_int8_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "engine.native.obstacles.loaded", lambda: Loaded(None, "no C++ compiler is found (g++)")
    )
    config = EngineConfig(model=str(save_tiny_model(tmp_path)), device="cpu", quantize="int8")
    refusal = r"quantize int8 needs compiled code, which is missing: no C\+\+ compiler is found \(g\+\+\)"
    with pytest.raises(ModelNotSupported, match=refusal):
        build_core(config, lambda line: None)


def test_what_cannot_be_quantized_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="quantize must be int8, int4, .* or absent, not gptq"):
        EngineConfig(model="m", quantize="gptq")
    config = EngineConfig(model=str(save_tiny_model(tmp_path)), device="cuda", quantize="int8")
    monkeypatch.setattr("engine.assembly.prepared_model.choose_device", torch.device)
    with pytest.raises(ModelNotSupported, match="on a CPU only, not on cuda"):
        build_core(config, lambda line: None)
