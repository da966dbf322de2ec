"""The server's description of itself."""

from collections.abc import Iterable

from engine.port.info.model_info import ModelInfo
from generated.tgi import models as m
from handlers.contracts.tgi.request_limits import RequestLimits
from handlers.shared_settings.shared_settings import SharedSettings
from handlers.version import VERSION


def info(settings: SharedSettings, model: ModelInfo, limits: RequestLimits) -> m.Info:
    return m.Info(
        model_id=settings.model_name,
        model_sha=model.revision,
        sha=None,
        docker_label=None,
        model_pipeline_tag="text-generation",
        max_concurrent_requests=settings.max_concurrent_requests,
        max_best_of=limits.max_best_of,
        max_stop_sequences=limits.max_stop_sequences,
        max_input_tokens=limits.max_input_tokens,
        max_total_tokens=limits.max_total_tokens,
        validation_workers=settings.validation_workers,
        max_client_batch_size=limits.max_client_batch_size,
        router="verbatim",
        version=VERSION,
    )


def model_list(names: Iterable[str], created: int) -> m.ModelList:
    """The one served model under each of its names; `created`: Unix time in seconds."""
    data = [m.ModelInfo(id=name, object="model", created=created, owned_by="verbatim") for name in names]
    return m.ModelList(object="list", data=data)
