"""A small file of a model that is broken is refused by its name, before anything else reads it."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.model.loading.checkpoint.described_files import check_described_files
from engine.port.errors import ModelNotSupported

JSON_FILES = (
    "generation_config.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "chat_template.json",
    "preprocessor_config.json",
    "video_preprocessor_config.json",
    "processor_config.json",
    "model.safetensors.index.json",
    "1_Pooling/config.json",
)
# As published models have them.
WHOLE: dict[str, dict[str, Any]] = {
    "generation_config.json": {"do_sample": True, "temperature": 1, "top_k": 50, "bos_token_id": None},
    "tokenizer_config.json": {
        "model_max_length": 1000000000000000019884624838656,
        "bos_token": {"content": "<s>", "special": True},
        "eos_token": "</s>",
        "pad_token": None,
        "add_bos_token": False,
        "chat_template": [{"name": "default", "template": "{{ messages }}"}],
        "added_tokens_decoder": {"0": {"content": "<s>"}},
    },
    "special_tokens_map.json": {"bos_token": "<s>", "additional_special_tokens": ["<a>"]},
    "added_tokens.json": {"<a>": 7},
    "chat_template.json": {"chat_template": "{{ messages }}"},
    "preprocessor_config.json": {
        "do_resize": True,
        "size": {"shortest_edge": 3136, "longest_edge": None},
        "crop_size": 224,
        "patch_size": {"height": 16, "width": 16},
        "image_mean": [0.5, 0.5, 0.5],
        "rescale_factor": 1 / 255,
        "resample": 3,
        "processor_class": "AnyProcessor",
    },
    "video_preprocessor_config.json": {"size": {"longest_edge": 56}, "fps": 2, "num_frames": None},
    "processor_config.json": {"image_processor": {"size": [384, 384]}, "image_token": "<image>"},
    "model.safetensors.index.json": {"weight_map": {}},
    "1_Pooling/config.json": {"pooling_mode_mean_tokens": True},
}


def write(directory: Path, name: str, content: bytes) -> None:
    path = directory / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)


def refusal(directory: Path) -> str:
    with pytest.raises(ModelNotSupported) as refused:
        check_described_files(directory)
    line = str(refused.value)
    assert "\n" not in line
    return line


@pytest.mark.parametrize("name", JSON_FILES)
@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"7", b"\xff\xfe", b"[" * 100_000])
def test_a_file_that_holds_no_object_is_named(tmp_path: Path, name: str, content: bytes) -> None:
    write(tmp_path, name, content)
    line = refusal(tmp_path)
    assert f"{tmp_path / name} is not a valid JSON file" in line or f"{tmp_path / name} must hold" in line


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("generation_config.json", {"temperature": "hot"}),
        ("generation_config.json", {"do_sample": 3}),
        ("generation_config.json", {"pad_token_id": "</s>"}),
        ("tokenizer_config.json", {"chat_template": 7}),
        ("tokenizer_config.json", {"chat_template": [{"name": "default"}]}),
        ("tokenizer_config.json", {"bos_token": 1}),
        ("tokenizer_config.json", {"tokenizer_class": []}),
        ("tokenizer_config.json", {"added_tokens_decoder": {"0": "<s>"}}),
        ("special_tokens_map.json", {"eos_token": 5}),
        ("added_tokens.json", {"<a>": "x"}),
        ("chat_template.json", {"chat_template": 7}),
        ("preprocessor_config.json", {"size": "big"}),
        ("preprocessor_config.json", {"image_mean": ["x"]}),
        ("preprocessor_config.json", {"sampling_rate": "fast"}),
        ("video_preprocessor_config.json", {"fps": "fast"}),
        ("video_preprocessor_config.json", {"do_resize": "yes"}),
        ("processor_config.json", {"image_processor": []}),
        ("processor_config.json", {"video_processor": {"size": {"longest_edge": "x"}}}),
        ("processor_config.json", {"processor_class": 5}),
        ("1_Pooling/config.json", {"pooling_mode": 5}),
    ],
)
def test_a_field_of_another_type_is_named_with_its_file(
    tmp_path: Path, name: str, wrong: dict[str, Any]
) -> None:
    write(tmp_path, name, json.dumps(wrong).encode())
    line = refusal(tmp_path)
    assert line.startswith(f"{tmp_path / name} cannot be used: ")
    assert f"`$.{next(iter(wrong))}" in line or "`$[...]`" in line  # the latter for a token's own name


@pytest.mark.parametrize("name", ["chat_template.jinja", "additional_chat_templates/rag.jinja"])
def test_a_template_that_is_no_text_is_named(tmp_path: Path, name: str) -> None:
    write(tmp_path, name, b"\xff\xfe{{")
    assert f"{tmp_path / name} holds no text in UTF-8" in refusal(tmp_path)


def test_files_of_published_models_are_accepted(tmp_path: Path) -> None:
    check_described_files(tmp_path)
    assert set(WHOLE) == set(JSON_FILES)
    for name, content in WHOLE.items():
        own: dict[str, Any] = {} if name == "added_tokens.json" else {"a_field_of_its_own": [1, {"a": "b"}]}
        write(tmp_path, name, json.dumps(content | own).encode())
    write(tmp_path, "chat_template.jinja", "{{ 'ä' }}".encode())
    check_described_files(tmp_path)
