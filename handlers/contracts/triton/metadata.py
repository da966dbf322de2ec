"""Descriptions of the server and the model."""

from collections.abc import Sequence
from typing import Final

from engine.port.info.capabilities import Capabilities
from generated.triton import models as m
from handlers.contracts.triton.errors import ENGINE_FIELDS
from handlers.contracts.triton.models import VERSION
from handlers.contracts.triton.signature import ConfigType, DataType, Tensor, signature
from handlers.version import VERSION as SERVER_VERSION

_BACKEND: Final = "verbatim"
_EXTENSIONS: Final = ["generate", "model_configuration", "model_repository", "parameters", "statistics"]
_REQUIRED: Final = "text_input"
_CONFIG_TYPES: Final[dict[DataType, ConfigType]] = {
    "BOOL": "TYPE_BOOL",
    "INT32": "TYPE_INT32",
    "UINT32": "TYPE_UINT32",
    "UINT64": "TYPE_UINT64",
    "FP32": "TYPE_FP32",
    "BYTES": "TYPE_STRING",
}


def server_metadata() -> m.ServerMetadata:
    return m.ServerMetadata(name="verbatim", version=SERVER_VERSION, extensions=_EXTENSIONS)


def model_metadata(name: str, capabilities: Capabilities) -> m.ModelMetadata:
    return m.ModelMetadata(
        name=name,
        versions=[VERSION],
        platform=_BACKEND,
        inputs=[_metadata(tensor) for tensor in _inputs(capabilities)],
        outputs=[_metadata(tensor) for tensor in signature().outputs.values()],
    )


def model_config(name: str, capabilities: Capabilities) -> m.ModelConfig:
    return m.ModelConfig(
        name=name,
        platform="",
        backend=_BACKEND,
        version_policy=m.VersionPolicy(latest=m.LatestVersions(num_versions=1)),
        max_batch_size=0,
        input=[
            m.InputConfig(
                name=tensor.name,
                data_type=_CONFIG_TYPES[tensor.datatype],
                dims=[tensor.length],
                optional=tensor.name != _REQUIRED,
            )
            for tensor in _inputs(capabilities)
        ],
        output=[
            m.OutputConfig(name=tensor.name, data_type=_CONFIG_TYPES[tensor.datatype], dims=[tensor.length])
            for tensor in signature().outputs.values()
        ],
        model_transaction_policy=m.TransactionPolicy(decoupled=True),
    )


def _inputs(capabilities: Capabilities) -> list[Tensor]:
    """Return the inputs that have an effect on this server's engine."""
    refused = {ENGINE_FIELDS.get(name, name) for name in capabilities.missing_fields}
    return [tensor for name, tensor in signature().inputs.items() if name not in refused]


def _metadata(tensor: Tensor) -> m.TensorMetadata:
    return m.TensorMetadata(name=tensor.name, datatype=tensor.datatype, shape=[tensor.length])


def repository(names: Sequence[str], *, is_ready: bool, only_ready: bool) -> list[m.RepositoryModel]:
    if only_ready and not is_ready:
        return []
    state = "READY" if is_ready else "UNAVAILABLE"
    return [m.RepositoryModel(name=name, version=VERSION, state=state, reason="") for name in names]
