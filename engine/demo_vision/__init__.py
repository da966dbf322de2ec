"""`verbatim-demo-vision`: a small model that also reads drawings; made by `tools/demo_model/vision`."""

from pathlib import Path
from typing import Final

DEMO_VISION: Final[Path] = Path(__file__).parent
"""The directory of weights, tokenizer, processor and chat template, in the layout that transformers reads."""
