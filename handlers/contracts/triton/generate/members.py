"""The members of a request, those of its `parameters` among the others."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel

from generated.triton import models as m
from handlers.contracts.triton.signature import Tensor, signature
from verbatim_kit.errors import Refused, Violation

Members = Mapping[str, Any]
"""Values by name: a scalar, or for an input of any length a list of scalars."""

_PREFIX: Final = "Converting keyword: 'parameters': "
_REQUIRED: Final = "text_input"


def members_of(body: m.GenerateRequest, model: str) -> Members:
    """Return the members that the request has, without defaults.

    Raise Refused for a name that stands twice, or if an input is missing.
    """
    members = _given(body)
    if isinstance(body.parameters, m.Parameters):
        for name, value in _given(body.parameters).items():
            if name in members:
                kind = "input" if name in signature().inputs else "parameter"
                raise Refused(f"{_PREFIX}{kind} '{name}' already exists in request", f"parameters.{name}")
            members[name] = value
    if _REQUIRED not in members:
        raise _missing(body, members, model)
    return members


def request_id(body: m.GenerateRequest) -> str:
    """Return the request's id, which the answer repeats; empty if it has none."""
    return body.id if isinstance(body.id, str) else ""


def _given(part: BaseModel) -> dict[str, Any]:
    inputs = signature().inputs
    names = part.model_fields_set - {"id", "parameters"}
    return {name: _shaped(inputs.get(name), getattr(part, name)) for name in names}


def _shaped(tensor: Tensor | None, value: Any) -> Any:
    """A scalar for an input of one element, a list for one of any length."""
    if tensor is None:
        return value
    elements = value if isinstance(value, list) else [value]
    return elements[0] if tensor.length == 1 else elements


def _missing(body: m.GenerateRequest, members: Members, model: str) -> Refused:
    inputs = signature().inputs
    given = [f"'{name}'" for name in inputs if name in members]
    return Refused(
        f"[request id: {request_id(body) or '<id_unknown>'}] expected number of inputs between 1 and "
        f"{len(inputs)} but got {len(given)} inputs for model '{model}'. Got input(s) [{','.join(given)}], "
        f"but missing required input(s) ['{_REQUIRED}']. Please provide all required input(s).",
        _REQUIRED,
        Violation.MISSING,
    )
