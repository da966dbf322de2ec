"""`verbatim-demo`: the small model that is served when none is named; made by `tools/demo_model`."""

from pathlib import Path
from typing import Final

DEMO_MODEL: Final[Path] = Path(__file__).parent
"""The directory of weights, tokenizer and chat template, in the layout that transformers reads."""
