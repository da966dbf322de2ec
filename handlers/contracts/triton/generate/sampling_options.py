"""Options of sampling and stopping, from whichever members of a request say so."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic_core import from_json

from generated.triton import models as m
from handlers.contracts.triton.generate.members import Members
from handlers.contracts.triton.generate.nested import Nested
from verbatim_kit.errors import Refused

# Inputs and parameters that say the same as a sampling option. `stop_words` and `stop` are taken together.
_SAME: Final = frozenset(m.SamplingOptions.model_fields) - {"stop"}
_OPTIONS: Final = Nested(m.SamplingOptions, "sampling_parameters")


def sampling_options(members: Members) -> m.SamplingOptions:
    """Return the sampling options: those of `sampling_parameters` if present, else the members.

    Raises Refused.
    """
    text = members.get("sampling_parameters")
    if text is None:
        return m.SamplingOptions.model_validate(_from_members(members))
    values = read_json(text, "sampling_parameters")
    if not isinstance(values, dict):
        raise Refused("'sampling_parameters' must be the JSON text of an object", "sampling_parameters")
    given = {name: _scalar(name, value) for name, value in values.items() if value is not None}
    return _OPTIONS.validate(given)


def _from_members(members: Members) -> Mapping[str, Any]:
    values = {name: value for name, value in members.items() if name in _SAME}
    if "num_return_sequences" in members:
        if "n" in values:
            raise Refused("'n' and 'num_return_sequences' say the same; send one", "n")
        values["n"] = members["num_return_sequences"]
    single = [members["stop"]] if "stop" in members else []
    return {**values, "stop": [*members.get("stop_words", ()), *single]}


def _scalar(name: str, value: Any) -> Any:
    """vLLM's back end reads the text of a number or a boolean as what it says."""
    if not isinstance(value, str) or name in ("stop", "structured_outputs"):
        return value
    try:
        return from_json(value.lower() if value in ("True", "False") else value, allow_inf_nan=False)
    except ValueError:
        return value


def read_json(text: str, field: str) -> Any:
    """Return the value of a JSON text. Raises Refused for a text that is not JSON."""
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError as error:
        raise Refused(f"'{field}' is not JSON: {error}", field) from None
