"""Every way to spoil a checkpoint is refused in one line that names what is wrong; none is served.

`make test` spoils a few tensors of one model, `make test-long` every tensor of several.
"""

import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from typing_extensions import override

from engine.config import EngineConfig
from engine.dry_run import dry_run
from engine.model.loading.loader import load_model
from engine.port.errors import ModelNotSupported
from tests.support.selection.effort import IS_WHOLE, trials
from tests.support.tiny_models.text import save_tiny_model

END_TOKEN_ID = 271  # of the tiny tokenizer
WEIGHTS = "model.safetensors"
Tensors = dict[str, Tensor]


@pytest.fixture(
    scope="module", params=["llama", "qwen2", "gemma3", "mixtral", "gpt_oss"] if IS_WHOLE else ["llama"]
)
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("models") / "whole", request.param)


@pytest.fixture
def model(whole: Path, tmp_path: Path) -> Path:
    """A copy to be spoiled."""
    return Path(shutil.copytree(whole, tmp_path / "model"))


def load(model: Path) -> list[str]:
    """Loads the model, which a dry run would serve, and returns what is reported meanwhile."""
    said: list[str] = []
    load_model(EngineConfig(model=str(model), device="cpu"), said.append)
    assert dry_refusal(model) is None
    return said


def dry_refusal(model: Path) -> str | None:
    """The reason for which a dry run refuses the model."""
    return dry_run(EngineConfig(model=str(model), device="cpu"), lambda line: None).refusal


def refusal(model: Path, *, is_of_contents: bool = False) -> str:
    """The one line that refuses the model, the same in a dry run, unless that would have to read contents."""
    with pytest.raises(ModelNotSupported) as refused:
        load_model(EngineConfig(model=str(model), device="cpu"), lambda line: None)
    line = str(refused.value)
    assert dry_refusal(model) == (None if is_of_contents else line)
    assert "\n" not in line and len(line) < 600, line
    assert "Traceback" not in line, line
    return line.replace(str(model), "DIR")


def with_config(model: Path, **changes: Any) -> None:
    path = model / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def write(model: Path, tensors: Tensors) -> None:
    save_file(
        {name: tensor.contiguous() for name, tensor in tensors.items()}, model / WEIGHTS, {"format": "pt"}
    )


def dropped(tensors: Tensors, name: str) -> None:
    del tensors[name]


def renamed(tensors: Tensors, name: str) -> None:
    tensors[name + "_renamed"] = tensors.pop(name)


def one_row_short(tensors: Tensors, name: str) -> None:
    tensors[name] = tensors[name][:-1]


def one_more_dimension(tensors: Tensors, name: str) -> None:
    tensors[name] = tensors[name][None]


def with_nan(tensors: Tensors, name: str) -> None:
    tensors[name] = tensors[name].clone()
    tensors[name].view(-1)[-1] = torch.nan


def with_infinity(tensors: Tensors, name: str) -> None:
    tensors[name] = tensors[name].clone()
    tensors[name].view(-1)[-1] = -torch.inf


def some_of(names: list[str]) -> Iterator[str]:
    """Every so many of the names, so that embeddings, norms, attention and MLPs are among them."""
    return iter(names if IS_WHOLE else names[:: max(1, len(names) // 5)])


@pytest.mark.parametrize(
    "spoil", [dropped, renamed, one_row_short, one_more_dimension, with_nan, with_infinity]
)
def test_a_tensor_that_is_not_as_it_should_be_is_named(
    model: Path, spoil: Callable[[Tensors, str], None]
) -> None:
    tensors = load_file(model / WEIGHTS)
    for name in some_of(list(tensors)):
        spoiled = dict(tensors)
        spoil(spoiled, name)
        write(model, spoiled)
        line = refusal(model, is_of_contents=spoil in (with_nan, with_infinity))
        if "_moe." not in name and ".experts." not in name:  # transformers names these otherwise
            assert name in line, line


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int32])
def test_numbers_that_are_no_weights_are_not_cast(model: Path, dtype: torch.dtype) -> None:
    tensors = load_file(model / WEIGHTS)
    name = "model.layers.1.self_attn.o_proj.weight"
    write(model, tensors | {name: tensors[name].to(dtype)})
    assert f"quantized, and its config.json does not say how: {name} is of" in refusal(model)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("model.layers.1.self_attn.o_proj.bias", "hold tensors inside the model"),
        ("model.layers.1.self_attn.extra_norm.weight", "hold tensors inside the model"),
        ("model.layers.0.self_attn.q_proj.weight_scale", "hold tensors inside the model"),
        ("lm_head.bias", "hold tensors inside the model"),
        ("model.layers.3.input_layernorm.weight", "more layers than its config.json, which says 3"),
    ],
)
def test_a_tensor_that_the_config_does_not_describe_is_not_ignored(
    model: Path, name: str, words: str
) -> None:
    if "gpt_oss" in json.loads((model / "config.json").read_text())["model_type"]:
        pytest.skip("its own projections have biases")
    write(model, load_file(model / WEIGHTS) | {name: torch.ones(48)})
    line = refusal(model)
    assert words in line and name in line


def test_what_is_beside_the_model_is_reported_and_constants_are_not(model: Path) -> None:
    beside = {
        "model.visual.blocks.0.norm.weight": torch.ones(4),
        "mtp.layers.0.proj.weight": torch.ones(4, 4),
        "model.layers.0.self_attn.rotary_emb.inv_freq": torch.ones(8),
    }
    write(model, load_file(model / WEIGHTS) | beside)
    said = [line for line in load(model) if "not used" in line]
    assert said == ["not used: 2 tensors of model.visual, mtp.layers, which are no part of the model"]


def test_every_file_that_is_cut_short_is_named_or_harmless(model: Path) -> None:
    for path in sorted(model.iterdir()):
        if path.suffix == ".jinja":  # any text is a template
            continue
        content = path.read_bytes()
        for size in (0, len(content) // 2, len(content) - 2):
            path.write_bytes(content[:size])
            line = refusal(model)
            assert path.name in line or "no tokenizer" in line, line
        path.write_bytes(content)
    assert load(model)


@pytest.mark.parametrize("content", ["null", "[]", "7", "\0\1\2"])
def test_a_file_that_holds_no_object_is_named(model: Path, content: str) -> None:
    for name in ("config.json", "generation_config.json", "tokenizer_config.json", "tokenizer.json"):
        before = (model / name).read_bytes()
        (model / name).write_text(content)
        assert name in refusal(model)
        (model / name).write_bytes(before)


def test_a_header_that_lies_is_refused(model: Path) -> None:
    content = (model / WEIGHTS).read_bytes()
    lies = [
        content.replace(b'"F32"', b'"F64"', 1),
        content.replace(b'"shape":[48', b'"shape":[84', 1),
        content.replace(b'"data_offsets":[0,', b'"data_offsets":[9,', 1),
        (2**40).to_bytes(8, "little") + content[8:],
        b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7\n",
    ]
    for lie in lies:
        assert lie != content
        (model / WEIGHTS).write_bytes(lie)
        assert f"{WEIGHTS} (" in refusal(model) and "no whole safetensors file" in refusal(model)


def test_a_shard_that_is_missing_is_named(model: Path) -> None:
    (model / WEIGHTS).rename(model / "model-00001-of-00002.safetensors")
    names = dict.fromkeys(
        load_file(model / "model-00001-of-00002.safetensors"), "model-00001-of-00002.safetensors"
    )
    index = model / "model.safetensors.index.json"
    index.write_text(
        json.dumps(
            {"metadata": {}, "weight_map": names | {"lm_head.weight": "model-00002-of-00002.safetensors"}}
        )
    )
    assert "model-00002-of-00002.safetensors is missing" in refusal(model)
    index.write_text(json.dumps({"metadata": {}, "weight_map": names}))
    assert load(model)
    index.write_text(json.dumps({"weight_map": "all of them"}))
    assert "must hold a weight_map" in refusal(model)


def test_an_index_decides_in_which_file_of_the_directory_a_tensor_is(model: Path) -> None:
    tensors = load_file(model / WEIGHTS)
    (model / WEIGHTS).unlink()
    first, second = (f"model-0000{number}-of-00002.safetensors" for number in (1, 2))
    name = "model.norm.weight"
    index = model / "model.safetensors.index.json"

    def stored(twice: Tensor | None = None, places: Mapping[str, str] = {}) -> None:
        own = {each: first for each in tensors} | {name: second}
        save_file(
            {each: tensors[each] for each in own if own[each] == first}
            | ({} if twice is None else {name: twice}),
            model / first,
        )
        save_file({name: tensors[name]}, model / second)
        index.write_text(
            json.dumps({"metadata": {}, "weight_map": own | {"model.norm.weight": second, **places}})
        )

    stored(twice=tensors[name].clone())
    assert load(model)
    stored(twice=tensors[name] + 1)
    assert f"{first} and {second} hold different copies of {name}" in refusal(model)
    stored(places={"model.embed_tokens.weight": second})
    assert f"says that model.embed_tokens.weight is in {second}, and it is in {first}" in refusal(model)
    for outside in (f"../{first}", f"{model}/{first}", f"part/../../{first}"):
        stored(places={name: outside})
        assert f"maps {name} to " in (line := refusal(model)) and "outside of the model's directory" in line


@pytest.mark.parametrize("end", [512, -1, [600, 700], "</s>", [1.5]])
def test_an_end_token_that_the_model_does_not_have_is_refused(model: Path, end: Any) -> None:
    (model / "generation_config.json").write_text(json.dumps({"eos_token_id": end}))
    assert "DIR/generation_config.json: eos_token_id" in refusal(model)
    (model / "generation_config.json").unlink()
    with_config(model, eos_token_id=end)
    line = refusal(model)
    assert "DIR/config.json" in line and "eos_token_id" in line


def test_an_end_token_beside_one_that_the_model_has_is_left_out(model: Path) -> None:
    own = END_TOKEN_ID
    (model / "generation_config.json").write_text(f'{{"eos_token_id": [{own}, 5000]}}')
    loaded = load_model(EngineConfig(model=str(model), device="cpu"), lambda line: None)
    assert loaded.tokenizer.end_token_ids == (own,)


def as_pickles(model: Path, num_files: int) -> list[str]:
    """Replaces the safetensors by files of PyTorch's, and returns their names."""
    tensors = load_file(model / WEIGHTS)
    (model / WEIGHTS).unlink()
    if num_files == 1:
        torch.save(tensors, model / "pytorch_model.bin")
        return ["pytorch_model.bin"]
    files = [f"pytorch_model-{index + 1:05}-of-{num_files:05}.bin" for index in range(num_files)]
    names = dict(zip(tensors, files * len(tensors), strict=False))
    for file in files:
        torch.save({name: tensors[name] for name in names if names[name] == file}, model / file)
    index = {"metadata": {}, "weight_map": names}
    (model / "pytorch_model.bin.index.json").write_text(json.dumps(index))
    return files


class Program:
    @override
    def __reduce__(self) -> tuple[Any, ...]:
        return print, ("the checkpoint runs a program",)


@pytest.mark.parametrize("num_files", [1, 2])
def test_files_of_pytorchs_are_loaded_and_held_to_the_same(model: Path, num_files: int) -> None:
    expected = load_file(model / WEIGHTS)
    files = as_pickles(model, num_files)
    loaded = load_model(EngineConfig(model=str(model), device="cpu", dtype="float32"), lambda line: None)
    assert load(model)
    for name, weight in loaded.model.state_dict().items():
        if name in expected:
            assert torch.equal(weight, expected[name]), name
    whole = torch.load(model / files[-1], weights_only=True)
    name = next(iter(whole))
    torch.save({other: tensor for other, tensor in whole.items() if other != name}, model / files[-1])
    assert "lack what its config.json describes" in refusal(model)
    torch.save(whole | {name: whole[name][:-1]}, model / files[-1])
    assert "do not fit its config.json" in refusal(model)
    content = (model / files[-1]).read_bytes()
    (model / files[-1]).write_bytes(content[: len(content) // 2])
    assert f"DIR/{files[-1]} (" in refusal(model)
    (model / files[-1]).unlink()
    if num_files > 1:
        assert f"DIR/{files[-1]} is missing, which pytorch_model.bin.index.json names" in refusal(model)


def test_a_file_of_pytorchs_that_would_run_a_program_is_refused(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tensors: dict[str, Any] = load_file(model / WEIGHTS)
    (model / WEIGHTS).unlink()
    torch.save(tensors | {"program": Program()}, model / "pytorch_model.bin")
    assert "holds more than tensors, and what it holds could run any program" in refusal(model)
    assert "runs a program" not in capsys.readouterr().out


def test_weights_that_the_machine_has_no_memory_for_are_refused(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.model.loading.memory.total_bytes", lambda device: 100_000)
    assert re.search(r"take 0\.\d MB of memory, and cpu has 0\.1 MB", refusal(model))


SIZES = ("hidden_size", "vocab_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")
WRONG: list[Any] = [None, "many", -1, 0, 2.5, [], {}, [1, "x"], True, 1_000_000_000]


@pytest.mark.parametrize("field", [*SIZES, "head_dim", "num_key_value_heads", "model_type"])
def test_a_field_of_the_config_that_is_wrong_is_refused(model: Path, field: str) -> None:
    for wrong in (value for value in WRONG[:: trials(3, whole=1)] if value is not None or field in SIZES):
        with_config(model, **{field: wrong})
        line = refusal(model)
        assert "DIR" in line, (wrong, line)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"rope_parameters": {"rope_type": "spiral", "rope_theta": 1e4}},
            "has the rope_type 'spiral', which",
        ),
        (
            {"rope_parameters": {"rope_type": "linear", "factor": 0, "rope_theta": 1e4}},
            "factor must be above 0",
        ),
        ({"rms_norm_eps": float("nan")}, "rms_norm_eps must be a finite number, and is nan"),
        ({"attention_dropout": -0.5}, "attention_dropout must be 0 or more, and is -0.5"),
        ({"max_position_embeddings": 2**31}, "max_position_embeddings must be at most 2147483647"),
    ],
)
def test_a_number_that_no_such_model_has_is_refused_by_its_name(
    model: Path, changes: dict[str, Any], words: str
) -> None:
    with_config(model, **changes)
    assert words in refusal(model)


def test_a_context_of_no_tokens_is_refused(model: Path) -> None:
    with_config(model, max_position_embeddings=0)
    assert "its context is of 0 tokens" in refusal(model)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"quantization_config": {"quant_method": "exl2", "bits": 4.0}},
            "quantized by exl2, which is not unpacked here: ExLlamaV2 loads it",
        ),
        ({"quantization_config": {"bits": 4}}, "has no quant_method"),
        ({"quantization_config": "int4"}, "quantization_config must be an object"),
        ({"quantization": {"bits": 4, "group_size": 64}}, "in the format of MLX, which mlx-lm loads"),
        ({"quantization_config": {"quant_method": "awq", "bits": 4}}, "none of its tensors is one of AWQ"),
    ],
)
def test_weights_that_are_quantized_in_another_way_are_refused_with_what_loads_them(
    model: Path, changes: dict[str, Any], words: str
) -> None:
    with_config(model, **changes)
    assert words in refusal(model)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("model-q4.gguf", "is no GGUF file that can be read: it does not begin with GGUF"),
        ("consolidated.00.pth", "only PyTorch checkpoints (consolidated.00.pth)"),
        ("model.onnx", "only ONNX graphs"),
        ("readme.md", "holds no weights: there is no *.safetensors"),
    ],
)
def test_a_directory_of_other_weights_is_refused_with_what_loads_them(
    model: Path, name: str, words: str
) -> None:
    (model / WEIGHTS).rename(model / name)
    assert words in refusal(model)
