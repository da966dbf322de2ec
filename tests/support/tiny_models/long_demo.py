"""The embedded model with a longer context, for requests of agents."""

import json
import shutil
from pathlib import Path
from typing import Final

from engine.demo_model import DEMO_MODEL

CONTEXT: Final = 16384


def long_demo_model(parent: Path) -> Path:
    """Return a copy of the embedded model in a new folder, with a longer context than it was trained for."""
    folder = parent / "verbatim-demo"
    shutil.copytree(DEMO_MODEL, folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "max_position_embeddings": CONTEXT}))
    return folder
