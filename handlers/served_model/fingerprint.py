"""`system_fingerprint`: equal where equal seeds give equal answers."""

import hashlib
from functools import cache
from importlib.metadata import version

from engine.port.info.model_info import ModelInfo
from handlers.version import VERSION


def fingerprint(model: ModelInfo) -> str:
    """Return a digest of all that the arithmetic depends on: versions, the model, its type and device.

    torch's version is not counted where other servers compute, since a front's is not theirs, if it has any.
    """
    libraries = ("torch", "transformers") if model.num_parameters else ("tokenizers",)
    parts = (
        *(VERSION, *_versions(*libraries)),
        *(model.model_id, model.revision or "", model.dtype, model.quantization or "", model.device),
    )
    return f"fp_{hashlib.sha256('|'.join(parts).encode()).hexdigest()[:10]}"


@cache
def _versions(*libraries: str) -> tuple[str, ...]:
    return tuple(map(version, libraries))
