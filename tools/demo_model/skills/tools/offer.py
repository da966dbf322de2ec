"""A tool as it stands in one dialogue, and the errands that a user may have for it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tools.demo_model.dialogue import Call, Json, Round, Tool
from tools.demo_model.scribe import Scribe


@dataclass(frozen=True)
class Errand:
    """One request for a tool: the words, the arguments to copy out of them, the tool's answer and ours."""

    user: str
    arguments: Mapping[str, Json]
    result: Json
    answer: str
    accept: str


@dataclass(frozen=True)
class Offer:
    """A tool with its names settled; `ask` draws an errand, `join` asks for two at once."""

    tool: Tool
    ask: Callable[[Scribe], Errand]
    join: Callable[[Scribe, Errand, Errand], str] | None = field(default=None)

    @property
    def name(self) -> str:
        """The name under which the model must call it."""
        return str(self.tool["name"])

    def round(self, scribe: Scribe) -> Round:
        """A request, its call, the result and the answer."""
        errands = [self.ask(scribe)]
        user = errands[0].user
        if self.join is not None and scribe.chance(0.2):
            errands.append(self.ask(scribe))
            user = self.join(scribe, *errands)
        calls = tuple(Call(self.name, errand.arguments) for errand in errands)
        results = tuple(_as_text(scribe, errand.result) for errand in errands)
        answer = " ".join(errand.answer for errand in errands)
        thought = f"I call {self.name} " + " and ".join(_spoken(errand.arguments) for errand in errands) + "."
        return Round(
            user, thought, answer, tuple(errand.accept.lower() for errand in errands), calls, results
        )


def _spoken(arguments: Mapping[str, Json]) -> str:
    return "with " + ", ".join(f"{key} {value}" for key, value in arguments.items())


def _as_text(scribe: Scribe, result: Json) -> str:
    """Results come as JSON or as a bare value; a dictionary of one entry may be either."""
    if isinstance(result, dict) and len(result) == 1 and scribe.chance(0.4):
        return str(next(iter(result.values())))
    return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)


def describe(scribe: Scribe, name: str, description: str, parameters: Mapping[str, dict[str, Json]]) -> Tool:
    """The JSON of a tool, with the parts that clients leave out now and then left out."""
    properties: dict[str, Json] = dict(parameters)
    schema: dict[str, Json] = {"type": "object", "properties": properties}
    if scribe.chance(0.8):
        schema["required"] = list(parameters)
    if scribe.chance(0.15):
        schema["additionalProperties"] = False
    out: Tool = {"name": name}
    if scribe.chance(0.85):
        out["description"] = description
    out["parameters"] = schema
    if scribe.chance(0.08):
        out["strict"] = True
    return out


def parameter(
    scribe: Scribe, kind: str, description: str = "", options: tuple[str, ...] = ()
) -> dict[str, Json]:
    """The schema of one parameter, its description there half of the time."""
    out: dict[str, Json] = {"type": kind}
    if options:
        out["enum"] = list(options)
    if description and scribe.chance(0.45):
        out["description"] = description
    return out
