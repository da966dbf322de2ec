"""The model types of the coverage table."""

from typing import Final

from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

ALL: Final = tuple(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES)
# One of each way to be served or refused, for `make test`.
SHORT: Final = (
    "bloom", "cohere2", "deepseek_v3", "falcon_h1", "glm_moe_dsa", "granitemoehybrid", "hrm_text",
    "kimi_linear", "lfm2", "llama4_text", "mamba", "moshi", "opt", "phimoe", "qwen3_5_text",
)  # fmt: skip
