"""The model types of the coverage table: those that continue texts."""

from typing import Final

from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

from engine.port.info.speech_info import SPEECH_MODEL_TYPES

# The class of the last one is listed with those that read images, and reads none.
ALL: Final = (
    *(name for name in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES if name not in SPEECH_MODEL_TYPES),
    "mistral4",
)
# One of each way to be served or refused, for `make test`.
SHORT: Final = (
    "bloom", "cohere2", "deepseek_v3", "falcon_h1", "git", "glm_moe_dsa", "granitemoehybrid", "hrm_text",
    "kimi_linear", "lfm2", "llama4_text", "mamba", "mistral4", "moshi", "opt", "phimoe", "qwen3_5_text",
)  # fmt: skip
