"""The server's description of itself."""

from typing import Final, Literal

from pydantic import MISSING

from engine.port.info.model_info import ModelInfo
from generated.hf import models as m
from handlers.contracts.tgi.request_limits import RequestLimits
from handlers.shared_settings.shared_settings import SharedSettings
from handlers.version import VERSION

_DTYPES: Final[dict[str, Literal["float16", "bfloat16", "float32"]]] = {
    "float16": "float16",
    "bfloat16": "bfloat16",
    "float32": "float32",
}


def info(settings: SharedSettings, model: ModelInfo, limits: RequestLimits) -> m.Info:
    return m.Info(
        model_id=settings.model_name,
        model_sha=MISSING if model.revision is None else model.revision,
        model_dtype=_DTYPES[model.dtype],
        model_device_type=model.device.partition(":")[0],
        model_pipeline_tag="text-generation",
        max_concurrent_requests=settings.max_concurrent_requests,
        max_best_of=limits.max_best_of,
        max_stop_sequences=limits.max_stop_sequences,
        max_input_length=limits.max_input_tokens,
        max_total_tokens=limits.max_total_tokens,
        max_batch_total_tokens=model.num_blocks * model.block_size,
        validation_workers=settings.validation_workers,
        max_client_batch_size=limits.max_client_batch_size,
        version=VERSION,
    )
