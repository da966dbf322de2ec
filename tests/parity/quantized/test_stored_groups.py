"""Linear layers that keep a checkpoint's integers compute what its plain weights do, but for rounded rows."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel

from engine.assembly.paged_parts import PagedParts
from engine.assembly.prepared_model import prepare_model
from engine.build import build_parts
from engine.config import EngineConfig
from engine.demo_model import DEMO_MODEL
from engine.dry_run import dry_run
from engine.linear.merged_linear import MergedLinear
from engine.linear.rounded.stored_groups import StoredHead, StoredLinear
from engine.model.checks.reference_pass import reference_logits, relative_difference
from engine.model.checks.self_check import paged_logits
from engine.model.loading.gguf import named_file
from engine.model.loading.gguf.unread_blocks import FORMS, UnreadBlocks
from engine.packed_cache import search
from engine.packed_cache.search import Search
from engine.weights.grouped_weight import GroupedWeight
from handlers.serving.model_table import model_lines
from tests.support.selection.effort import usually
from tests.support.selection.instructions import needs_compiled_bfloat16, needs_compiler
from tests.support.tiny_models.gguf_files import WIDE, write_gguf
from tests.support.tiny_models.text import tiny_model, tiny_tokenizer
from tests.unit.engine.linear.test_unread_linear import of_groups
from tests.unit.engine.model.loading.quantized import makers
from tests.unit.engine.model.loading.quantized.pairs import Pair, compressed, save_pair
from tests.unit.engine.model.loading.quantized.test_formats import TORCHAO, torchao

# Relative errors of logits: of the demo model, and of tiny random ones, which magnify any rounding.
MAX_ERROR = 0.05
MAX_RANDOM_ERROR = 0.15
TOKENS = [5, 250, 7, 7, 31, 2, 90]
GPTQ: dict[str, Any] = {"quant_method": "gptq", "bits": 4, "group_size": 32, "sym": False}
DESC_ACT = GPTQ | {"desc_act": True}
AWQ: dict[str, Any] = {"quant_method": "awq", "bits": 4, "group_size": 32, "version": "gemm"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Descriptions are written beside the test's files, and packed weights of small models kept at once."""
    monkeypatch.setattr(named_file, "_folder", lambda: tmp_path / "descriptions")
    monkeypatch.setattr(search, "FEWEST_BYTES", 1)
    monkeypatch.setattr(Search, "keep_soon", Search.keep)


def config_of(model: Path, **settings: Any) -> EngineConfig:
    return EngineConfig(model=str(model), device="cpu", num_kv_blocks=64, **settings)


def start(model: Path, said: list[str] | None = None, **settings: Any) -> tuple[PagedParts, Tensor]:
    """Return the parts of an engine, and its logits of a few tokens."""
    parts = build_parts(config_of(model, **settings), (said if said is not None else []).append)
    return parts, paged_logits(parts.runner)


def write(path: Path, kind: str | Callable[[str], str], architecture: str = "qwen2", **changes: Any) -> Path:
    sizes = {**WIDE, "num_hidden_layers": 2, **changes}
    return write_gguf(path, tiny_model(architecture, **sizes), tiny_tokenizer(), kind).path


def check_near(model: Path, most: float = MAX_RANDOM_ERROR) -> PagedParts:
    """Compare a model's logits with those of its plain weights of float32, and return its parts."""
    parts, actual = start(model)
    plain, expected = start(model, dtype="float32")
    assert parts.info.stored_layers and not plain.info.stored_layers
    difference = relative_difference(actual, expected)
    assert difference < most, difference
    return parts


@needs_compiler
@pytest.mark.parametrize("kind", usually(FORMS, ("Q4_0", "Q8_0", "Q4_K", "Q6_K")))
def test_a_file_computes_what_its_plain_weights_do(kind: str, tmp_path: Path) -> None:
    info = check_near(write(tmp_path / "a.gguf", kind)).info
    assert info.stored_layers == {FORMS[kind].bits: 2 * 4 + 1}, "qkv, output, gate and up, down; and the head"
    assert info.linear_dtype is None


@needs_compiler
@pytest.mark.parametrize("architecture", usually(["gemma3", "qwen3", "llama"], ("gemma3",)))
@pytest.mark.parametrize("is_tied", [False, True])
def test_other_architectures_do_too(architecture: str, is_tied: bool, tmp_path: Path) -> None:
    own: dict[str, Any] = {"query_pre_attn_scalar": 64} if architecture == "gemma3" else {}
    path = write(tmp_path / "a.gguf", "Q8_0", architecture, tie_word_embeddings=is_tied, **own)
    check_near(path)


@needs_compiler
def test_the_demo_model_says_what_its_plain_weights_say(tmp_path: Path) -> None:
    auto: Any = AutoModelForCausalLM
    demo: PreTrainedModel = auto.from_pretrained(DEMO_MODEL, dtype=torch.float32)
    tokenizer: Any = AutoTokenizer.from_pretrained(DEMO_MODEL)
    path = write_gguf(tmp_path / "a.gguf", demo, tokenizer, "Q8_0").path
    ids = tokenizer("Hello! My name is Ada. What is the capital of France? Tell me a story.").input_ids

    def logits(**settings: Any) -> Tensor:
        return reference_logits(
            prepare_model(config_of(path, **settings), lambda line: None).loaded.model, ids
        )

    actual, expected = logits(), logits(dtype="float32")
    assert relative_difference(actual, expected) < MAX_ERROR
    agreement = (actual.argmax(dim=-1) == expected.argmax(dim=-1)).float().mean()
    assert agreement > 0.9


@needs_compiled_bfloat16
def test_kinds_that_are_merged_become_the_smallest_one_with_room_for_both(tmp_path: Path) -> None:
    """llama.cpp's Q4_K_M has values and half of what comes after the MLP in Q6_K, and the rest in Q4_K."""

    def kind(name: str) -> str:
        if ".0.mlp.down" in name:
            return "F16"
        return "Q6_K" if "v_proj" in name or "embed" in name or "down_proj" in name else "Q4_K"

    path = write(tmp_path / "a.gguf", kind, tie_word_embeddings=True)
    said: list[str] = []
    parts, actual = start(path, said)
    assert relative_difference(actual, start(path, dtype="float32")[1]) < MAX_RANDOM_ERROR
    # Of two layers each: qkv in 6 bits, output, gate and up in 4; down in 6 in one of them; the head in 6.
    assert parts.info.stored_layers == {6: 2 + 1 + 1, 4: 2 * 2}
    assert parts.info.linear_dtype == "float16", "the other one"
    merged = [part for part in parts.runner.model.modules() if isinstance(part, MergedLinear)]
    forms = {part.linear.packed.groups for part in merged if isinstance(part.linear, StoredLinear)}
    assert {(form.bits, form.group_size, form.has_mins) for form in forms if form is not None} == {
        (6, 16, True),
        (4, 32, True),
    }


@needs_compiler
def test_layers_in_stored_groups_are_one_stack_as_others_are(tmp_path: Path) -> None:
    info = check_near(write(tmp_path / "a.gguf", lambda name: "Q5_0" if "v_proj" in name else "Q4_0")).info
    kernels = {kernel.name: kernel for kernel in info.kernels}
    assert kernels["stored_groups"].in_use and kernels["decode_path"].in_use
    assert kernels["layer_stacking"].scope == "2 of 2 layers"
    assert info.stored_layers == {5: 2, 4: 7}


@needs_compiler
@pytest.mark.parametrize(
    ("maker", "description"),
    [
        (partial(makers.gptq, bits=4, group_size=32), GPTQ),
        pytest.param(
            partial(makers.gptq, bits=8, group_size=-1),
            GPTQ | {"bits": 8, "group_size": -1},
            marks=pytest.mark.long,
        ),
        pytest.param(
            partial(makers.gptq, bits=4, group_size=32, order="shared"), DESC_ACT, marks=pytest.mark.long
        ),
        (partial(makers.awq, group_size=32), AWQ),
        (
            partial(makers.packed, bits=8, group_size=16, is_symmetric=False, order="shared"),
            compressed("pack-quantized", num_bits=8, strategy="group", group_size=16, symmetric=False),
        ),
        pytest.param(
            partial(makers.packed, bits=4, group_size=32, is_symmetric=True),
            compressed("pack-quantized", num_bits=4, strategy="group", group_size=32),
            marks=pytest.mark.long,
        ),
        (
            partial(makers.rows_of_8_bits, dtype=torch.int8),
            compressed("int-quantized", num_bits=8, strategy="channel"),
        ),
        (makers.integers_of_rows, {"quant_method": "bitsandbytes", "load_in_8bit": True}),
    ],
)
def test_a_quantized_checkpoint_computes_what_its_plain_weights_do(
    maker: Callable[..., Any], description: dict[str, Any], tmp_path: Path
) -> None:
    pair = save_pair(tmp_path, description, maker, num_hidden_layers=2)
    info = check_near(pair.quantized).info
    assert sum(info.stored_layers.values()) == 2 * 4, "all but the head"
    found = dry_run(config_of(pair.quantized), lambda line: None).info
    assert found is not None
    assert found.stored_layers == info.stored_layers and found.weight_bytes == info.weight_bytes
    for described in (info, found):
        line = next(line for line in model_lines("m", described, None) if line.startswith("  weights"))
        bits = next(iter(info.stored_layers))
        assert f"MiB of {info.stored_format}, kept in {bits} bits in 8 linear layers" in line
        assert ", from " in line


@needs_compiler
@pytest.mark.parametrize(
    "config", ["Int8WeightOnlyConfig", "Int8DynamicActivationIntxWeightConfig", "Int4WeightOnlyConfig"]
)
def test_weights_of_torchaos_classes_compute_what_plain_ones_do(config: str, tmp_path: Path) -> None:
    maker, metadata = TORCHAO[config]
    pair = save_pair(tmp_path, torchao(config), maker, metadata=metadata)
    info = check_near(pair.quantized).info
    assert sum(info.stored_layers.values()) == 2 * 4, "all but the head"
    assert info.stored_format == f"torchao's {config}"


@needs_compiler
def test_memory_is_that_of_the_groups(tmp_path: Path) -> None:
    path = write(tmp_path / "a.gguf", "Q4_0", tie_word_embeddings=True)
    parts, _ = start(path)
    found = dry_run(config_of(path), lambda line: None).info
    assert found is not None
    assert found.weight_bytes == parts.info.weight_bytes
    layers = [part for part in parts.runner.model.modules() if isinstance(part, StoredLinear)]
    packed = sum(layer.packed.panels.nbytes for layer in layers)
    embedding = next(part for part in parts.runner.model.modules() if isinstance(part, nn.Embedding))
    whole = packed + embedding.weight.nbytes
    assert abs(parts.info.weight_bytes - whole) < 0.05 * whole, "panels are padded, and there are norms"


def saved(directory: Path, order: makers.Order, **changes: Any) -> Pair:
    maker = partial(makers.gptq, bits=4, group_size=32, order=order)
    return save_pair(directory, DESC_ACT, maker, **{"num_hidden_layers": 1} | changes)


@needs_compiled_bfloat16
def test_layers_whose_inputs_are_in_one_order_are_merged_and_stacked_as_others_are(tmp_path: Path) -> None:
    pair = saved(tmp_path, "shared", num_hidden_layers=2, dtype=torch.bfloat16)
    said: list[str] = []
    parts, actual = start(pair.quantized, said)
    assert not any("plain weight" in line for line in said)
    kernels = {kernel.name: kernel for kernel in parts.info.kernels}
    assert kernels["layer_fusion"].scope == kernels["layer_stacking"].scope == "2 of 2 layers"
    assert kernels["decode_path"].in_use
    layers = [part for part in parts.runner.model.modules() if isinstance(part, StoredLinear)]
    assert len(layers) == 2 * 4
    for layer in layers:
        assert layer.packed.order is not None
        assert layer.packed.order.sort().values.tolist() == list(range(layer.in_features))
    expected = start(pair.quantized, dtype="bfloat16")[1]
    assert relative_difference(actual, expected) < MAX_RANDOM_ERROR


@needs_compiler
def test_layers_whose_inputs_are_in_several_orders_keep_their_integers_apart(tmp_path: Path) -> None:
    pair = saved(tmp_path, "own", num_hidden_layers=2)
    info = check_near(pair.quantized).info
    assert info.stored_layers == {4: 2 * 7}
    found = dry_run(config_of(pair.quantized), lambda line: None).info
    assert found is not None and found.stored_layers == info.stored_layers
    for described in (info, found):
        kernel = next(kernel for kernel in described.kernels if kernel.name == "layer_fusion")
        assert not kernel.in_use


@needs_compiled_bfloat16
def test_a_second_start_knows_the_order_of_inputs(tmp_path: Path) -> None:
    model = saved(tmp_path, "shared").quantized
    settings: dict[str, Any] = {"packed_cache": str(tmp_path / "cache"), "quantize": "int4"}
    first, expected = start(model, **settings)
    said: list[str] = []
    second, actual = start(model, said, **settings)
    assert any("as packed before" in line for line in said)
    assert torch.equal(actual, expected)
    orders = [
        [part.packed.order for part in parts.runner.model.modules() if isinstance(part, StoredLinear)]
        for parts in (first, second)
    ]
    assert len(orders[0]) == 4
    for order, again in zip(*orders, strict=True):
        assert order is not None and again is not None and torch.equal(order, again)


@needs_compiler
def test_layers_whose_contents_are_no_groups_have_plain_weights_and_are_named(tmp_path: Path) -> None:
    said: list[str] = []
    pair = saved(tmp_path, "uneven")
    parts, actual = start(pair.quantized, said)
    assert not parts.info.stored_layers
    named = [line for line in said if "its inputs are in the order of their activations" in line]
    assert any(line.startswith("model.layers.0.mlp.down_proj has a plain weight:") for line in named)
    expected = start(pair.plain)[1]
    assert relative_difference(actual, expected) < 0.01


@needs_compiler
def test_layers_that_differ_from_the_plain_ones_have_plain_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.gguf", "Q8_0", num_hidden_layers=1)
    of = StoredLinear.of

    def wrong(weight: GroupedWeight, bias: Tensor | None) -> StoredLinear:
        scales = weight.scales if weight.num_inputs == 256 else weight.scales * 1.1
        return of(weight._replace(scales=scales), bias)

    monkeypatch.setattr(StoredLinear, "of", wrong)
    said: list[str] = []
    parts, _ = start(path, said)
    assert any("down_proj has a plain weight: its outputs differ by 10" in line for line in said)
    assert parts.info.stored_layers == {8: 3 + 1}


@needs_compiled_bfloat16
@pytest.mark.parametrize("quantize", [None, "int4"])
def test_a_second_start_takes_packed_groups_and_reads_none(
    quantize: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.gguf", lambda name: "F16" if "down_proj" in name else "Q4_0")
    settings: dict[str, Any] = {"packed_cache": str(tmp_path / "cache"), "quantize": quantize}
    first, expected = start(path, **settings)
    assert first.info.stored_layers == {4: 2 * 3 + 1}
    assert first.info.num_int4_layers == (2 if quantize else 0)

    def fail(self: UnreadBlocks, *_: object) -> None:
        raise AssertionError("what is packed is not read")

    monkeypatch.setattr(UnreadBlocks, "read_groups", fail)
    monkeypatch.setattr(UnreadBlocks, "read_plain", fail)
    said: list[str] = []
    second, actual = start(path, said, **settings)
    assert any("as packed before" in line for line in said)
    assert torch.equal(actual, expected)
    assert second.info == first.info


@needs_compiler
@pytest.mark.parametrize(
    ("bits", "group_size", "has_mins"),
    [(4, 32, False), (4, 128, True), (5, 32, True), (6, 16, False), (8, 16, False)],
)
def test_a_layers_outputs_are_off_by_the_rounding_of_rows_alone(
    bits: Any, group_size: int, *, has_mins: bool
) -> None:
    weight, bias = of_groups(bits, group_size, has_mins=has_mins), torch.randn(40)
    rows = torch.randn(5, weight.num_inputs)
    rows[1] *= 1000
    plain = weight.plain()
    expected = nn.functional.linear(rows.double(), plain.double(), bias.double())
    # Each number of a row is off by half a step at most, and there are 127 steps to its largest.
    half_a_step = rows.abs().amax(dim=1, keepdim=True) / 127 / 2
    bound = half_a_step * plain.abs().sum(dim=1) * 1.01 + 1e-4
    assert bool(((StoredLinear.of(weight, bias)(rows) - expected).abs() <= bound).all())
    fine = StoredHead.of(weight, bias)(rows)
    assert bool(((fine - expected).abs() <= bound / 100 + 1e-5 * expected.abs()).all())
    assert StoredHead.of(weight, bias)(rows[:0]).shape == (0, 40)
