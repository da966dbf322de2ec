"""Conversion of a Qwen model to GGUF in 16 or 8 bits, since llama.cpp's converter rejects our tokenizer."""

import json
from pathlib import Path
from typing import Any

import gguf
import numpy as np


def write_gguf(directory: Path, path: Path, *, eight_bits: bool) -> None:
    """Write matrices in bfloat16 or as Q8_0, and norms and biases as float32, as llama.cpp requires."""
    config = json.loads((directory / "config.json").read_text())
    architecture = {"qwen2": gguf.MODEL_ARCH.QWEN2, "qwen3": gguf.MODEL_ARCH.QWEN3}[config["model_type"]]
    writer = gguf.GGUFWriter(path, config["model_type"])
    _write_config(writer, config)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0 if eight_bits else gguf.LlamaFileType.MOSTLY_BF16)
    _write_tokenizer(writer, directory)
    names = gguf.get_tensor_name_map(architecture, config["num_hidden_layers"])
    for name, tensor in _tensors(directory / "model.safetensors"):
        own = names.get_name(name, try_suffixes=(".weight", ".bias"))
        assert own is not None, f"GGUF has no name for {name}"
        if tensor.ndim == 1:
            writer.add_tensor(own, _float32(tensor))
        elif eight_bits:
            blocks = gguf.quantize(_float32(tensor), gguf.GGMLQuantizationType.Q8_0)
            writer.add_tensor(own, blocks, raw_dtype=gguf.GGMLQuantizationType.Q8_0)
        else:
            raw = tensor.view(np.uint8).reshape(tensor.shape[0], -1)
            writer.add_tensor(own, raw, raw_dtype=gguf.GGMLQuantizationType.BF16)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _write_config(writer: gguf.GGUFWriter, config: dict[str, Any]) -> None:
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    if head_dim := config.get("head_dim"):
        writer.add_key_length(head_dim)
        writer.add_value_length(head_dim)
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(config["rope_parameters"]["rope_theta"])


def _write_tokenizer(writer: gguf.GGUFWriter, directory: Path) -> None:
    vocabulary = json.loads((directory / "tokenizer.json").read_text())["model"]["vocab"]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(sorted(vocabulary, key=vocabulary.__getitem__))
    writer.add_token_types([gguf.TokenType.NORMAL] * len(vocabulary))
    writer.add_token_merges(["word0 word1"])  # at least one is required; these do not occur in texts
    writer.add_add_bos_token(False)
    writer.add_chat_template((directory / "chat_template.jinja").read_text())


def _float32(bits: np.ndarray) -> np.ndarray:
    """Convert the bits of bfloat16 numbers to float32."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def _tensors(path: Path) -> list[tuple[str, np.ndarray]]:
    """Return the bfloat16 tensors of a safetensors file as unsigned integers, since numpy has no bfloat16."""
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
    data = np.memmap(path, np.uint8, "r", offset=8 + size)
    header.pop("__metadata__", None)
    assert all(entry["dtype"] == "BF16" for entry in header.values()), "written in bfloat16"
    return [
        (name, data[slice(*entry["data_offsets"])].view(np.uint16).reshape(entry["shape"]))
        for name, entry in header.items()
    ]
