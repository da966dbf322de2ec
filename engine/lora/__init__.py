"""LoRA adapters: their files, the linear layers that they change, and the names of those that are loaded."""
