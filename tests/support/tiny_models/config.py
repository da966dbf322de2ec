"""The configuration of an engine with a tiny model."""

from pathlib import Path
from typing import Any, Final

from engine.config import EngineConfig

# More than tests fill. Without a number, each start reads how much memory is free and clears a larger cache,
# which is a third of its time with a tiny model.
NUM_KV_BLOCKS: Final = 1024


def tiny_config(directory: Path, **options: Any) -> EngineConfig:
    """Return the configuration of an engine on the CPU. options: in place of NUM_KV_BLOCKS too."""
    defaults: dict[str, Any] = {"device": "cpu", "num_kv_blocks": NUM_KV_BLOCKS}
    return EngineConfig(model=str(directory), **(defaults | options))
