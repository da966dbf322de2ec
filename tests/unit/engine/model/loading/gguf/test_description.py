"""A GGUF file is described once as other checkpoints describe themselves, and refused where it cannot be."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.config import EngineConfig
from engine.dry_run import dry_run
from engine.model.loading.checkpoint.directory import own_directory
from engine.model.loading.fetching import fetch
from engine.model.loading.gguf import named_file
from engine.model.loading.gguf.description import describe
from engine.model.loading.gguf.named_file import HubFile, hub_file
from engine.packed_cache.content import Checkpoint
from engine.port.errors import ModelNotSupported
from tests.support.tiny_models.gguf_files import write_gguf
from tests.support.tiny_models.text import tiny_model, tiny_tokenizer

_SIZES: dict[str, Any] = {
    "hidden_size": 64, "intermediate_size": 96, "head_dim": 16, "num_hidden_layers": 1,
}  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named_file, "_folder", lambda: tmp_path / "descriptions")


def write(path: Path, kind: str = "Q8_0", **options: Any) -> Path:
    model = tiny_model("llama", **_SIZES)
    return write_gguf(path, model, tiny_tokenizer(), kind, **options).path


def test_a_description_is_that_of_the_file_and_is_written_once(tmp_path: Path) -> None:
    file = write(tmp_path / "model.gguf", add={"general.sampling.temp": 0.5, "general.sampling.top_k": 20})
    directory = describe(file)
    assert directory == own_directory(str(file), None)
    config = json.loads((directory / "config.json").read_text())
    assert (config["model_type"], config["head_dim"], config["dtype"]) == ("llama", 16, "float16")
    generation = json.loads((directory / "generation_config.json").read_text())
    assert generation == {"eos_token_id": [271], "temperature": 0.5, "top_k": 20}
    written = (directory / "tokenizer.json").stat().st_mtime_ns
    assert describe(file) == directory and (directory / "tokenizer.json").stat().st_mtime_ns == written


def test_another_file_of_the_same_name_is_described_anew(tmp_path: Path) -> None:
    file = write(tmp_path / "model.gguf", add={"llama.context_length": 64})
    first = Checkpoint(describe(file)).content()
    write(file, add={"llama.context_length": 128})
    config = json.loads((describe(file) / "config.json").read_text())
    assert config["max_position_embeddings"] == 128
    assert Checkpoint(describe(file)).content() != first, "packed weights are kept by this"


def test_weights_are_part_of_what_packed_weights_are_kept_by(tmp_path: Path) -> None:
    file = write(tmp_path / "model.gguf")
    first = Checkpoint(describe(file)).content()
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    assert Checkpoint(describe(file)).content() != first


def test_a_file_that_is_cut_short_later_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path / "model.gguf")
    describe(file)
    file.write_bytes(file.read_bytes()[:-1000])
    assert "cut short" in refusal(file)


_FLAWS: dict[str, tuple[dict[str, Any], str]] = {
    "another architecture": ({"general.architecture": "rwkv9"}, "has a model of the architecture rwkv9"),
    "a part for images": ({"general.architecture": "clip"}, "part of a model for images"),
    "one part of several": ({"split.count": 3}, "one of 3 parts of a model; llama-gguf-split --merge"),
    "experts of the old kind": ({"llama.expert_count": 8}, "a mixture of experts of the architecture llama"),
    "no number of layers": ({"llama.block_count": None}, "it has no llama.block_count"),
    "layers that differ": ({"llama.attention.head_count": [4, 8]}, "llama.attention.head_count differs"),
    "text for a number": ({"llama.context_length": "long"}, "must be a number that is not negative"),
    "scaling that is unknown": ({"llama.rope.scaling.type": "spiral"}, "scaled by 'spiral'"),
    "scaling by factors that it lacks": (
        {"llama.rope.scaling.type": "longrope"},
        "no tensor rope_factors_long",
    ),
    "scaling of plain rotation": (
        {"llama.rope.scaling.attn_factor": 1.5},
        "attn_factor is 1.5, and its scaling",
    ),
    "scaling below 1": (
        {"llama.rope.scaling.type": "yarn", "llama.rope.scaling.factor": 0.5},
        "scaled by 0.5, which is below 1",
    ),
    "rotation of a part of a head": (
        {"llama.rope.dimension_count": 8},
        "dimension_count is not the size of a head",
    ),
    "values of another size": (
        {"llama.attention.value_length": 8},
        "llama.attention.value_length 8 is not served",
    ),
    "attention to what follows": (
        {"llama.attention.causal": False},
        "llama.attention.causal False is not served",
    ),
    "drafting layers": ({"llama.nextn_predict_layers": 1}, "llama.nextn_predict_layers 1 is not served"),
    "a key of Ollama's": (
        {"llama.rope.global.freq_base": 1e6},
        "llama.rope.global.freq_base 1000000.0 is not",
    ),
    "tokens that never come": (
        {"tokenizer.ggml.suppress_tokens": [3, 4]},
        "suppress_tokens [3 4] is not served",
    ),
    "an adapter": ({"general.type": "adapter"}, "holds no model: its general.type is 'adapter'"),
    "no vocabulary": ({"tokenizer.ggml.tokens": None}, "tokenizer.ggml.tokens must be texts"),
    "an unknown vocabulary": ({"tokenizer.ggml.model": "rwkv"}, "tokenizer.ggml.model is 'rwkv'"),
    "words split in an unknown way": ({"tokenizer.ggml.pre": "martian"}, "tokenizer.ggml.pre is 'martian'"),
    "a type for some tokens": ({"tokenizer.ggml.token_type": [1, 1]}, "a number for each of 274 tokens"),
    "merges that give no token": ({"tokenizer.ggml.merges": ["Ġ Ġ"]}, "has no vocabulary that can be read"),
    "numbers for merges": ({"tokenizer.ggml.merges": [1, 2]}, "tokenizer.ggml.merges must be texts"),
    "numbers for a template": ({"tokenizer.chat_template": 7}, "chat_template must be a text"),
    "more layers than tensors": ({"llama.block_count": 2}, "model.layers.1."),
    "another width": ({"llama.feed_forward_length": 128}, "is [64, 96], which should be [64, 128]"),
    "a size beyond sense": ({"llama.embedding_length": 2**31}, "hidden_size must be at most 2147483647"),
}


@pytest.mark.parametrize("flaw", _FLAWS)
def test_what_cannot_be_loaded_is_refused_in_one_line_that_says_why(flaw: str, tmp_path: Path) -> None:
    added, words = _FLAWS[flaw]
    found = refusal(write(tmp_path / "model.gguf", add=added))
    assert words in found and "\n" not in found
    assert str(tmp_path) in found


@pytest.mark.parametrize("model_type", ["llama", "qwen2", "qwen3"])
def test_text_is_split_as_the_file_says_and_not_as_the_class_of_its_model_does(
    model_type: str, tmp_path: Path
) -> None:
    written = tiny_tokenizer()
    path = write_gguf(tmp_path / "model.gguf", tiny_model(model_type, **_SIZES), written).path
    found = dry_run(EngineConfig(model=str(path)), lambda line: None)
    assert found.refusal is None and found.tokenizer is not None
    ours: Any = found.tokenizer.hf
    own: Any = written
    text = "Ab c123 45  it's 한\u0301e\u0301\n\n"
    split = ours.backend_tokenizer.pre_tokenizer.pre_tokenize_str(text)
    assert split == own.backend_tokenizer.pre_tokenizer.pre_tokenize_str(text)
    assert found.tokenizer.encode(text) == own.encode(text)


_ROPES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "none": ({}, {"rope_type": "default"}),
    "linear without a type": ({"scaling.factor": 4.0}, {"rope_type": "linear", "factor": 4.0}),
    "linear by the older name": ({"scale_linear": 2.0}, {"rope_type": "linear", "factor": 2.0}),
    "both names": ({"scale_linear": 2.0, "scaling.factor": 4.0}, {"rope_type": "linear", "factor": 4.0}),
    "no factor": ({"scaling.type": "linear", "scaling.factor": 0.0}, {"rope_type": "default"}),
    "a factor of none": ({"scaling.type": "none", "scaling.factor": 4.0}, {"rope_type": "default"}),
    "yarn": (
        {"scaling.type": "yarn", "scaling.factor": 4.0, "scaling.original_context_length": 128},
        {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 128,
         "attention_factor": pytest.approx(1.1386294)},
    ),
    "yarn with a factor of attention": (
        {"scaling.type": "yarn", "scaling.factor": 4.0, "scaling.attn_factor": 0.5},
        {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 512,
         "attention_factor": pytest.approx(0.5 * 1.1386294)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", _ROPES)
def test_a_rotary_embedding_is_scaled_as_llama_cpp_scales_it(name: str, tmp_path: Path) -> None:
    keys, expected = _ROPES[name]
    add = {f"llama.rope.{key}": value for key, value in keys.items()}
    config = json.loads((describe(write(tmp_path / "model.gguf", add=add)) / "config.json").read_text())
    assert config["rope_parameters"] == {"rope_theta": 10000.0, **expected}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ([True, False, True], 9, 50.0)),
        ({"attention.sliding_window_pattern": 3}, ([True, True, False], 9, 50.0)),
        ({"attention.sliding_window_pattern": [False, True, True]}, ([False, True, True], 9, 50.0)),
        (
            {"attention.sliding_window": None, "attn_logit_softcapping": None},
            ([True, False, True], 4096, 50.0),
        ),
        ({"attn_logit_softcapping": 20.0}, ([True, False, True], 9, 20.0)),
    ],
)
def test_what_a_file_of_gemma_2_leaves_out_is_as_in_llama_cpp(
    changes: dict[str, Any], expected: tuple[list[bool], int, float], tmp_path: Path
) -> None:
    model = tiny_model("gemma2", **_SIZES | {"num_hidden_layers": 3})
    add = {f"gemma2.{key}": value for key, value in changes.items()}
    path = write_gguf(tmp_path / "model.gguf", model, tiny_tokenizer(), "Q8_0", add=add).path
    config = json.loads((describe(path) / "config.json").read_text())
    slides = [kind == "sliding_attention" for kind in config["layer_types"]]
    assert (slides, config["sliding_window"], config["attn_logit_softcapping"]) == expected


def test_an_id_of_no_token_is_none(tmp_path: Path) -> None:
    none = {f"tokenizer.ggml.{name}_token_id": 4294967295 for name in ("bos", "padding")}
    file = write(tmp_path / "model.gguf", add=none)
    assert dry_run(EngineConfig(model=str(file), device="cpu"), lambda line: None).refusal is None
    config = json.loads((describe(file) / "config.json").read_text())
    assert (config["bos_token_id"], config["pad_token_id"]) == (None, None)


def test_merges_whose_parts_never_occur_change_nothing(tmp_path: Path) -> None:
    directory = describe(write(tmp_path / "model.gguf"))
    expected = json.loads((directory / "tokenizer.json").read_text())
    merges = [" ".join(merge) for merge in expected["model"]["merges"]]
    directory = describe(
        write(tmp_path / "other.gguf", add={"tokenizer.ggml.merges": [*merges, "word0 word1"]})
    )
    assert json.loads((directory / "tokenizer.json").read_text()) == expected


def test_tensors_without_a_place_in_the_model_are_refused_by_name(tmp_path: Path) -> None:
    surplus = {"blk.0.attn_sinks.weight": np.ones(4, np.float32)}
    assert "no place for: blk.0.attn_sinks.weight" in refusal(write(tmp_path / "model.gguf", tensors=surplus))


def test_factors_of_another_rotary_embedding_are_refused(tmp_path: Path) -> None:
    factors = {"rope_freqs.weight": np.linspace(1, 5, 8, dtype=np.float32)}
    assert "other factors than those of Llama 3.1" in refusal(write(tmp_path / "model.gguf", tensors=factors))


def test_weights_that_are_not_finite_are_refused_by_name(tmp_path: Path) -> None:
    file = write(tmp_path / "model.gguf", "F16")
    content = bytearray(file.read_bytes())
    content[-100:] = np.full(50, np.nan, np.float16).tobytes()
    file.write_bytes(content)
    from engine.build import build_core

    with pytest.raises(ModelNotSupported, match=r"hold NaN or infinity: output\.weight"):
        build_core(EngineConfig(model=str(file), device="cpu"), lambda line: None)


def test_a_directory_stands_for_its_only_file(tmp_path: Path) -> None:
    place = tmp_path / "model"
    place.mkdir()
    write(place / "a.gguf")
    (place / "mmproj-a.gguf").write_bytes(b"GGUF")
    assert own_directory(str(place), None) == own_directory(str(place / "a.gguf"), None)
    (place / "b.gguf").write_bytes(b"GGUF")
    with pytest.raises(
        ModelNotSupported, match=r"2 GGUF files, of which one must be named: a\.gguf, b\.gguf"
    ):
        own_directory(str(place), None)


def test_a_file_that_is_not_there_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(ModelNotSupported, match="no such file"):
        own_directory(str(tmp_path / "none.gguf"), None)
    with pytest.raises(ModelNotSupported, match="revision main cannot be had"):
        own_directory(str(write(tmp_path / "model.gguf")), "main")


def test_a_file_on_the_hub_is_named_after_a_colon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert hub_file("Qwen/Qwen3-0.6B-GGUF:Q4_K_M") == HubFile("Qwen/Qwen3-0.6B-GGUF", "Q4_K_M")
    assert hub_file("Qwen/Qwen3-0.6B") is None
    snapshot = tmp_path / "c0ffee"
    snapshot.mkdir()
    write(snapshot / "tiny-q4_k_m.gguf")
    asked: list[Any] = []

    def give(repository: str, **options: Any) -> str:
        asked.append((repository, options["allow_patterns"]))
        return str(snapshot)

    monkeypatch.setattr("engine.model.loading.fetching.snapshot_download", give)
    found = fetch(EngineConfig(model="me/tiny-GGUF:Q4_K_M"), lambda line: None)
    assert found.revision == "c0ffee" and (found.path / "config.json").is_file()
    assert asked == [("me/tiny-GGUF", ["*Q4_K_M.gguf", "*q4_k_m.gguf", "*Q4_K_M.gguf"])]
    with pytest.raises(ModelNotSupported, match="must name one GGUF file of me/tiny-GGUF.*and names none"):
        fetch(EngineConfig(model="me/tiny-GGUF:Q8_0"), lambda line: None)


def refusal(file: Path) -> str:
    """The refusal of `verbatim check`, which is in the words of a start."""
    found = dry_run(EngineConfig(model=str(file), device="cpu"), lambda line: None).refusal
    assert found is not None
    return found
