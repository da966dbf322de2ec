"""How generated requests of each contract are made and judged. What is not here is as strict as it comes."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any, Final, NamedTuple

from generated.operation import Operation

METHOD_OR_CONTENT_TYPE: Final = (405, 415)  # what is wrong with a request that may be no worse otherwise


class Fuzzing(NamedTuple):
    """What a contract's document cannot tell schemathesis.

    model: the only name of a model to generate; None where any text will do.
    parameters: of those that the document names once for all operations, the only value to generate.
    unlisted: further statuses for a request that the document allows, each with its reason in the table.
    """

    model: str | None = None
    parameters: Mapping[str, str] = {}
    unlisted: tuple[int, ...] = ()


# By contract; those that are not here need nothing of it.
FUZZING: Final[Mapping[str, Fuzzing]] = {
    # As of OpenAI's contract.
    "aleph_alpha": Fuzzing(model="verbatim-demo", unlisted=(429,)),
    # A body for another model would be answered 404 before it is looked at. 429: a few bodies with many
    # prompts and a large `n` ask for all the sequences that the server runs at once.
    "openai": Fuzzing(model="verbatim-demo", unlisted=(429,)),
    # As above; Anthropic has 529 for a server without room.
    "anthropic": Fuzzing(model="verbatim-demo", parameters={"model_id": "verbatim-demo"}, unlisted=(529,)),
    # As above; MindIE says 503 where there is no room.
    "mindie": Fuzzing(model="verbatim-demo", unlisted=(503,)),
    # As above, of a path; Triton says 503 where there is no room.
    "triton": Fuzzing(parameters={"model_name": "verbatim-demo", "model_version": "1"}, unlisted=(503,)),
}


def statuses(fuzzing: Fuzzing, operations: tuple[Operation, ...]) -> tuple[list[int | str], list[int]]:
    """Statuses for what the document allows, and for what it forbids.

    A body that its schema allows can still break a rule that no schema states, such as prompt and output
    together exceeding the context; then the answer is the same as for one that the schema forbids.
    """
    refusals = sorted({one.validation_status for one in operations if one.validation_status})
    missing = [404] if fuzzing.model or fuzzing.parameters else []
    return ["2xx", *refusals, *fuzzing.unlisted], [*METHOD_OR_CONTENT_TYPE, *refusals, *missing]


def configuration(fuzzing: Fuzzing, operations: tuple[Operation, ...]) -> str:
    """As schemathesis.toml has it. A stream has as many events as tokens, and some more."""
    allowed, forbidden = statuses(fuzzing, operations)
    return "\n".join(
        (
            "continue-on-failure = true",
            "max-stream-events = 1000",
            "[generation]",
            "deterministic = true",
            "[checks]",
            f"positive_data_acceptance.expected-statuses = {_strings(allowed)}",
            f"negative_data_rejection.expected-statuses = {_strings(forbidden)}",
            f"not_a_server_error.expected-statuses = {_strings(['2xx', '3xx', '4xx', *fuzzing.unlisted])}",
        )
    )


def _strings(values: Iterable[int | str]) -> str:
    return "[" + ", ".join(f'"{value}"' for value in values) + "]"


def with_model(document: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The document of a server that has one model: requests that name another are not what it allows."""
    pinned: dict[str, Any] = deepcopy(dict(document))
    for item in pinned["paths"].values():
        for operation in (part for part in item.values() if isinstance(part, dict)):
            for schema in _request_schemas(pinned, operation):
                schema.update({"type": "string", "enum": [name]})
    return pinned


def with_parameters(document: Mapping[str, Any], values: Mapping[str, str]) -> dict[str, Any]:
    """The document of a server that has one value for these parameters."""
    pinned: dict[str, Any] = deepcopy(dict(document))
    for parameter in pinned.get("components", {}).get("parameters", {}).values():
        if parameter["name"] in values:
            parameter["schema"] = {"type": "string", "enum": [values[parameter["name"]]]}
    return pinned


def _request_schemas(document: dict[str, Any], operation: dict[str, Any]) -> list[dict[str, Any]]:
    """Of what an operation calls `model`, in its path or in its body."""
    parameters = [_resolve(document, parameter) for parameter in operation.get("parameters", ())]
    found = [parameter["schema"] for parameter in parameters if parameter["name"] == "model"]
    body = _resolve(document, operation.get("requestBody", {}))
    for media in body.get("content", {}).values():
        found += [_resolve(document, media["schema"]).get("properties", {}).get("model")]
    return [schema for schema in found if schema is not None]


def _resolve(document: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in node:
        target: Any = document
        for step in node["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        node = target
    return node
