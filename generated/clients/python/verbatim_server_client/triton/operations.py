# Generated from specs/triton: mend the document or its overlay, never this file.
"""Triton Inference Server, HTTP protocol with the generate extension 2.73.0: its operations, as the clients need to know them."""

from typing import Final

from .. import version
from ..runtime.operation import Operation
from ..runtime.settings import Contract
from . import errors as e
from . import models as m

CONTRACT: Final = Contract(path="/triton", agent=f"{version.NAME}/{version.VERSION} triton/2.73.0")

SERVER_METADATA: Final[Operation[m.ServerMetadata, None]] = Operation(
    method="GET", path="/v2", answer=m.ServerMetadata, errors=e.ERRORS
)
SERVER_LIVE: Final[Operation[None, None]] = Operation(method="GET", path="/v2/health/live", errors=e.ERRORS)
SERVER_READY: Final[Operation[None, None]] = Operation(method="GET", path="/v2/health/ready", errors=e.ERRORS)
REPOSITORY_INDEX: Final[Operation[list[m.RepositoryModel], None]] = Operation(
    method="POST", path="/v2/repository/index", answer=list[m.RepositoryModel], errors=e.ERRORS
)
STATISTICS: Final[Operation[m.Statistics, None]] = Operation(
    method="GET", path="/v2/models/stats", answer=m.Statistics, errors=e.ERRORS
)
GENERATE_VERSION: Final[Operation[m.GenerateResponse, None]] = Operation(
    method="POST",
    path="/v2/models/{model_name:path}/versions/{model_version}/generate",
    answer=m.GenerateResponse,
    errors=e.ERRORS,
)
GENERATE_STREAM_VERSION: Final[Operation[None, m.GenerateResponse]] = Operation(
    method="POST",
    path="/v2/models/{model_name:path}/versions/{model_version}/generate_stream",
    event=m.GenerateEvent,
    error_events=(m.ErrorResponse,),
    errors=e.ERRORS,
)
MODEL_VERSION_READY: Final[Operation[None, None]] = Operation(
    method="GET", path="/v2/models/{model_name:path}/versions/{model_version}/ready", errors=e.ERRORS
)
MODEL_VERSION_CONFIG: Final[Operation[m.ModelConfig, None]] = Operation(
    method="GET",
    path="/v2/models/{model_name:path}/versions/{model_version}/config",
    answer=m.ModelConfig,
    errors=e.ERRORS,
)
MODEL_VERSION_STATISTICS: Final[Operation[m.Statistics, None]] = Operation(
    method="GET",
    path="/v2/models/{model_name:path}/versions/{model_version}/stats",
    answer=m.Statistics,
    errors=e.ERRORS,
)
MODEL_VERSION_METADATA: Final[Operation[m.ModelMetadata, None]] = Operation(
    method="GET",
    path="/v2/models/{model_name:path}/versions/{model_version}",
    answer=m.ModelMetadata,
    errors=e.ERRORS,
)
GENERATE: Final[Operation[m.GenerateResponse, None]] = Operation(
    method="POST", path="/v2/models/{model_name:path}/generate", answer=m.GenerateResponse, errors=e.ERRORS
)
GENERATE_STREAM: Final[Operation[None, m.GenerateResponse]] = Operation(
    method="POST",
    path="/v2/models/{model_name:path}/generate_stream",
    event=m.GenerateEvent,
    error_events=(m.ErrorResponse,),
    errors=e.ERRORS,
)
MODEL_READY: Final[Operation[None, None]] = Operation(
    method="GET", path="/v2/models/{model_name:path}/ready", errors=e.ERRORS
)
MODEL_CONFIG: Final[Operation[m.ModelConfig, None]] = Operation(
    method="GET", path="/v2/models/{model_name:path}/config", answer=m.ModelConfig, errors=e.ERRORS
)
MODEL_STATISTICS: Final[Operation[m.Statistics, None]] = Operation(
    method="GET", path="/v2/models/{model_name:path}/stats", answer=m.Statistics, errors=e.ERRORS
)
MODEL_METADATA: Final[Operation[m.ModelMetadata, None]] = Operation(
    method="GET", path="/v2/models/{model_name:path}", answer=m.ModelMetadata, errors=e.ERRORS
)
