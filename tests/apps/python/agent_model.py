"""The words of a model that calls the tools that it is asked to use, and keeps to its answer's schema."""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import cycle
from typing import Any, Final

from engine.port.events import TokenEvent
from engine.port.request import GenerationRequest, Grammar, GrammarKind
from engine.port.text.tokenizer import Tokenizer
from tests.support.scripted.engine import Script, says

_TOOLS: Final = re.compile(r"<\|im_start\|>system\n(.*)\nCall with <tool_call>", re.DOTALL)
_TURN: Final = re.compile(r"<\|im_start\|>(\w+)\n(.*?)<\|im_end\|>", re.DOTALL)
_NO_THOUGHTS: Final = "</think>\n\n"
_PIECE: Final = re.compile(r"\S+\s*|\s+")

Json = dict[str, Any]

# The names that LangChain's tests ask for in words.
_ANY_OBJECT: Final[Json] = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("setup", "punchline")},
}


def agent_script(tokenizer: Tokenizer) -> Script:
    """Return a script that reads its prompts with this tokenizer, whose template is the tests' own."""

    def script(request: GenerationRequest) -> Iterable[TokenEvent | Exception]:
        prompt = tokenizer.decode(request.prompt.token_ids, skip_special_tokens=False)
        return says(*_PIECE.findall(_answer(prompt, request.sampling.grammar)))(request)

    return script


def _answer(prompt: str, grammar: Grammar | None) -> str:
    thoughts = "" if prompt.endswith(_NO_THOUGHTS) else "<think>\nI should do as I am asked.\n</think>\n\n"
    turns = _TURN.findall(prompt)
    role, last = turns[-1] if turns else ("user", "")
    asked = next((text for who, text in reversed(turns) if who == "user"), "")
    call = _call(prompt, grammar, role, asked)
    if call is not None:
        return f"{thoughts}<tool_call>\n{json.dumps(call, ensure_ascii=False)}\n</tool_call>"
    schema = None if grammar is None else _answer_schema(grammar)
    if schema is not None:
        return thoughts + json.dumps(_Filler(asked).fill(schema, schema), ensure_ascii=False)
    return thoughts + (f"It says: {last}" if role == "tool" else "Hello! I am a model of few words.")


def _call(prompt: str, grammar: Grammar | None, role: str, asked: str) -> Json | None:
    """Return a call, where one is demanded or the user's words name a tool; None where there is none."""
    found = _TOOLS.search(prompt)
    if found is None or grammar is None or grammar.kind is not GrammarKind.STRUCTURAL_TAG:
        return None
    tools = [json.loads(line) for line in found[1].splitlines() if line.startswith("{")]
    bound = [tool for tool in tools if f'\\"name\\": \\"{tool["name"]}\\"' in grammar.source]
    wanted = [tool for tool in bound if _is_named(tool["name"], asked)]
    if _demands_calls(grammar):
        tool = (wanted or bound)[0]
    elif wanted and role == "user":
        tool = wanted[0]
    else:
        return None
    schema = tool.get("parameters") or {"type": "object"}
    return {"name": tool["name"], "arguments": _Filler(asked).fill(schema, schema)}


def _is_named(name: str, asked: str) -> bool:
    return any(len(part) > 3 and part in asked.lower() for part in name.lower().split("_"))


def _demands_calls(grammar: Grammar) -> bool:
    """Return whether a text without calls would break the grammar."""
    kinds = {node.get("type") for node in _outer_nodes(json.loads(grammar.source))}
    return "tags_with_separator" in kinds and "or" not in kinds


def _answer_schema(grammar: Grammar) -> Json | None:
    """Return the schema that the answer itself has to keep; None if its form is free."""
    schema: Json | None = None
    if grammar.kind is GrammarKind.JSON_SCHEMA:
        schema = json.loads(grammar.source)
    elif grammar.kind is GrammarKind.JSON_OBJECT:
        schema = {}
    elif grammar.kind is GrammarKind.STRUCTURAL_TAG:
        found = [node.get("json_schema") for node in _outer_nodes(json.loads(grammar.source))]
        schema = next((one for one in found if isinstance(one, dict)), None)
    return _ANY_OBJECT if schema in ({}, {"type": "object"}) else schema


def _outer_nodes(value: object) -> Iterator[Json]:
    """Yield every object of a structural tag but what stands between a pair of tags, the outer ones first."""
    if isinstance(value, dict):
        yield value
        value = [] if value.get("type") == "tag" else list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _outer_nodes(inner)


class _Filler:
    """Fills schemas in with the numbers and the quoted texts of what the user said, in their order."""

    def __init__(self, asked: str) -> None:
        self._numbers = cycle([int(digits) for digits in re.findall(r"\d+", asked)] or [3])
        self._texts = cycle(re.findall(r"['\"]([^'\"]+)['\"]", asked) or ["marmalade"])

    def fill(self, schema: Json, root: Json) -> Any:
        if "$ref" in schema:
            return self.fill(_at(root, schema["$ref"]), root)
        for several in ("anyOf", "oneOf", "allOf"):
            if several in schema:
                return self.fill(schema[several][0], root)
        if "enum" in schema:
            return schema["enum"][0]
        if "const" in schema:
            return schema["const"]
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = kind[0]
        if kind == "object" or "properties" in schema:
            return {name: self.fill(part, root) for name, part in schema.get("properties", {}).items()}
        if kind == "array":
            return [self.fill(schema.get("items", {}), root) for _ in range(schema.get("minItems", 1))]
        if kind == "boolean":
            return True
        if kind in ("integer", "number"):
            return next(self._numbers)
        return next(self._texts)


def _at(root: Json, reference: str) -> Json:
    node: Any = root
    for name in reference.removeprefix("#/").split("/"):
        node = node[name]
    found: Json = node
    return found
