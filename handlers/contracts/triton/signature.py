"""The inputs and outputs of the model in the effective document."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal, TypeAlias

DataType: TypeAlias = Literal["BOOL", "INT32", "UINT32", "UINT64", "FP32", "BYTES"]

ConfigType: TypeAlias = Literal[
    "TYPE_BOOL", "TYPE_INT32", "TYPE_UINT32", "TYPE_UINT64", "TYPE_FP32", "TYPE_STRING"
]

ANY_LENGTH: Final = -1

_ENVELOPE: Final = ("id", "parameters", "model_name", "model_version")
_DATA_TYPES: Final[dict[tuple[str, str | None], DataType]] = {
    ("boolean", None): "BOOL",
    ("integer", "int32"): "INT32",
    ("integer", "uint32"): "UINT32",
    ("integer", "uint64"): "UINT64",
    ("number", "float"): "FP32",
    ("string", None): "BYTES",
}


@dataclass(frozen=True)
class Tensor:
    """An input or output of one dimension. length: ANY_LENGTH, or 1."""

    name: str
    datatype: DataType
    length: int


@dataclass(frozen=True)
class Signature:
    """Tensors by name. Other members of a request are parameters, which are scalars."""

    inputs: dict[str, Tensor]
    outputs: dict[str, Tensor]


@cache
def signature() -> Signature:
    """An input is what may be an array; each output is what an answer has, but for who answers whom."""
    document = json.loads(files("generated.triton").joinpath("openapi.json").read_bytes())
    schemas = document["components"]["schemas"]
    taken, given = (schemas[name]["properties"] for name in ("GenerateRequest", "GenerateResponse"))
    return Signature(
        inputs={
            name: _tensor(schemas, name, schema)
            for name, schema in taken.items()
            if name not in _ENVELOPE and _array(schema) is not None
        },
        outputs={
            name: _tensor(schemas, name, schema) for name, schema in given.items() if name not in _ENVELOPE
        },
    )


def _array(schema: Any) -> Any:
    """The alternative that is an array, if there is one."""
    return next((part for part in schema.get("anyOf", ()) if part.get("type") == "array"), None)


def _tensor(schemas: Any, name: str, schema: Any) -> Tensor:
    array = _array(schema)
    element = schema if array is None else array["items"]
    if "$ref" in element:
        element = schemas[element["$ref"].rpartition("/")[2]]
    length = 1 if array is None else array.get("maxItems", ANY_LENGTH)
    datatype = _DATA_TYPES[element["type"], element.get("format")]
    return Tensor(name, datatype, 1 if length == 1 else ANY_LENGTH)
