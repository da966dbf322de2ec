"""Models with LoRA adapters, beside PEFT."""
