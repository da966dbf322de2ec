"""The model that a server under test is asked for."""

from collections.abc import Mapping
from typing import Any, Final

from verbatim_kit.conform.client import Client, NoAnswer
from verbatim_kit.conform.place import Place, at
from verbatim_kit.conform.plan import Unusable
from verbatim_kit.conform.request import Request

# Requests that list the models, and the place of the first model's name in the answer.
_MODEL_LISTS: Final[tuple[tuple[Request, Place], ...]] = (
    (Request("GET", "/v1/models"), ("data", 0, "id")),
    (Request("GET", "/v1/models"), ("models", 0, "name")),  # System One has another form at the same path
    (Request("GET", "/models_available"), (0, "name")),
    (Request("POST", "/v2/repository/index", {}), (0, "name")),
)
# Parameters that hold the model's name, and parameters with a fixed value.
_OF_MODEL: Final = ("model", "model_name", "model_id")
_CONSTANT: Final[Mapping[str, str]] = {"model_version": "1"}


def names_of(model: str) -> dict[str, str]:
    """Return the parameter values (by name, `model` of the body included) for a server of this model."""
    return {**dict.fromkeys(_OF_MODEL, model), **_CONSTANT}


def first_model(client: Client, document: Mapping[str, Any]) -> str:
    """Return the first model that the server lists. Raises Unusable."""
    declared = [entry for entry in _MODEL_LISTS if entry[0].path in document.get("paths", {})]
    for request, place in declared or [_MODEL_LISTS[0]]:
        try:
            answer = client.send(request)
        except NoAnswer as error:
            raise Unusable(f"{client.url} did not list its models: {error}") from error
        name = at(answer.json, place)
        if isinstance(name, str):
            return name
    raise Unusable(f"{client.url} does not list any model; set one with --model")
