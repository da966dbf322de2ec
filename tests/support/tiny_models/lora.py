"""LoRA adapters with random weights, made and computed by PEFT."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM

SPREAD = 0.3  # of random weights, as wide as those of tiny models: an adapter then changes most tokens


def save_adapter(model: Path, folder: Path, *, seed: int = 0, pickled: bool = False, **config: Any) -> Path:
    """Write an adapter for the model in this directory. config: of LoraConfig."""
    torch.manual_seed(seed)
    options: dict[str, Any] = {"r": 4, "lora_alpha": 6, "target_modules": "all-linear", **config}
    base = AutoModelForCausalLM.from_pretrained(model)
    with _outdated_calls():
        adapted = get_peft_model(base, LoraConfig(task_type="CAUSAL_LM", **options))
        for name, parameter in adapted.named_parameters():
            if "lora_" in name:
                torch.nn.init.normal_(parameter, std=SPREAD)
        adapted.save_pretrained(str(folder), safe_serialization=not pickled)
    return folder


def adapted_model(model: Path, adapter: Path | None) -> Any:
    """Return transformers' model, with the adapter in this folder by PEFT if there is one."""
    base: Any = AutoModelForCausalLM.from_pretrained(model)
    if adapter is None:
        return base.eval()
    with _outdated_calls():
        adapted: Any = PeftModel.from_pretrained(base, str(adapter))
        return adapted.eval()


@contextmanager
def _outdated_calls() -> Iterator[None]:
    """Let PEFT use what transformers will remove, and tell that a base model's folder has no card."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
