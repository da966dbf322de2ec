"""The format that a checkpoint's config.json names, and which program takes those that are not unpacked."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from engine.model.loading.quantized.fields import Fields
from engine.model.loading.quantized.formats.awq import Awq
from engine.model.loading.quantized.formats.bits_and_bytes import BitsAndBytes
from engine.model.loading.quantized.formats.block_float8 import BlockFloat8
from engine.model.loading.quantized.formats.compressed_tensors import CompressedTensors
from engine.model.loading.quantized.formats.gptq import Gptq
from engine.model.loading.quantized.formats.mxfp4 import Mxfp4
from engine.model.loading.quantized.formats.torchao import TorchAo
from engine.model.loading.quantized.quantized_weight import Format
from engine.model.loading.refusals import ELSEWHERE
from engine.port.errors import ModelNotSupported

_FIELD: Final = "quantization_config"
_BITS_AND_BYTES: Final = "bitsandbytes"
_PARSERS: Final[Mapping[str, Callable[[Fields], Format]]] = {
    "awq": Awq.parse,
    _BITS_AND_BYTES: BitsAndBytes.parse,
    "compressed-tensors": CompressedTensors.parse,
    "fp8": BlockFloat8.parse,
    "gptq": Gptq.parse,
    "mxfp4": Mxfp4.parse,
    "torchao": TorchAo.parse,
}
_PROGRAMS: Final[Mapping[str, str]] = {
    "exl2": "ExLlamaV2 loads it",
    "exl3": "ExLlamaV3 loads it",
    "marlin": "vLLM loads it",
    "modelopt": "TensorRT-LLM, vLLM and SGLang load it",
}


def find_format(directory: Path, raw: Mapping[str, Any]) -> Format | None:
    """Return the format of a checkpoint's weights; None if they are not quantized. raw: config.json.

    Raises ModelNotSupported for a format that is not unpacked, and for a description that says none.
    """
    if isinstance(mlx := raw.get("quantization"), dict) and "bits" in mlx:
        raise ModelNotSupported(
            f"{directory} holds weights of {mlx['bits']} bits in the format of MLX, which mlx-lm loads; "
            f"{ELSEWHERE}"
        )
    config = _config(raw)
    if config is None:
        return None
    if not isinstance(config, dict):
        raise ModelNotSupported(f"{directory}/config.json: {_FIELD} must be an object")
    method = _method(config)
    if method is None:
        raise ModelNotSupported(
            f"{directory}/config.json: {_FIELD} has no quant_method, so nothing says how the weights are "
            f"quantized; {ELSEWHERE}"
        )
    parse = _PARSERS.get(method)
    if parse is None:
        program = _PROGRAMS.get(method, "the program that quantized them may load it")
        raise ModelNotSupported(
            f"the weights in {directory} are quantized by {method[:50]}, which is not unpacked here: "
            f"{program}. {', '.join(sorted(_PARSERS))} are; or {ELSEWHERE}"
        )
    return parse(Fields(directory, _FIELD, config))


def _config(raw: Mapping[str, Any]) -> object:
    """Return what describes the quantization; some models have it next to the fields of their text part."""
    if (found := raw.get(_FIELD)) is not None:
        return found
    text = raw.get("text_config")
    return text.get(_FIELD) if isinstance(text, dict) else None


def _method(config: Mapping[str, Any]) -> str | None:
    method = config.get("quant_method")
    if method is None and (config.get("load_in_4bit") or config.get("load_in_8bit")):
        return _BITS_AND_BYTES  # in files of its first years
    return None if method is None else " ".join(str(method).split())
