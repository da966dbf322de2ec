"""Adaptation of recorded requests to a server: its model's name, few tokens, and required tool calls."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from verbatim_kit.conform.document import Json

NUM_TOKENS: Final = 128
"""The maximum tokens of an answer: enough for a short tool call, and quickly generated."""

_KINDS_OF_FUNCTIONS: Final = (None, "function", "custom")


class _Limits(NamedTuple):
    """The members that limit an answer's tokens, and the member to add if a body has none of them."""

    members: tuple[str, ...]
    added: str


_LIMITS: Final[Mapping[str, _Limits]] = {
    "/v1/chat/completions": _Limits(("max_completion_tokens", "max_tokens"), "max_tokens"),
    "/v1/completions": _Limits(("max_tokens",), "max_tokens"),
    "/v1/messages": _Limits(("max_tokens",), "max_tokens"),
    "/v1/responses": _Limits(("max_output_tokens",), "max_output_tokens"),
}
_ANY_TOOL: Final[Mapping[str, Json]] = {
    "/v1/chat/completions": "required",
    "/v1/messages": {"type": "any"},
    "/v1/responses": "required",
}


def adapted(route: str, body: Json, model: str) -> Json:
    """Return a copy of a body for the given model, limited to NUM_TOKENS tokens besides reasoning.

    route: path of the request without its query. model: name of the model on the server.
    """
    if not isinstance(body, Mapping):
        return body
    body = {**body, **({"model": model} if "model" in body else {})}
    limits = _LIMITS.get(route)
    if limits is None:
        return body
    maximum = NUM_TOKENS + _num_reasoning_tokens(body)
    present = [name for name in limits.members if isinstance(body.get(name), int)]
    return {
        **body,
        **{name: min(body[name], maximum) for name in present},
        **({} if present else {limits.added: maximum}),
    }


def _num_reasoning_tokens(body: Mapping[str, Json]) -> int:
    """Return the budget of reasoning tokens, which must be below `max_tokens` in Anthropic's API."""
    thinking = body.get("thinking")
    budget = thinking.get("budget_tokens") if isinstance(thinking, Mapping) else None
    return budget if isinstance(budget, int) else 0


def with_forced_tool(route: str, body: Json) -> Json | None:
    """Return a copy of a body that requires a tool call; None if its API or its tools do not allow that."""
    if route not in _ANY_TOOL or not tool_names(body) or _has_format(body):
        return None
    # Anthropic's API refuses a forced tool call together with thinking, and context edits without thinking.
    others = {name: value for name, value in body.items() if name not in ("thinking", "context_management")}
    return {**others, "tool_choice": _ANY_TOOL[route]}


def tool_names(body: Json) -> list[str]:
    """Return the names of a request's function tools; tools that the API provider hosts are left out."""
    tools = body.get("tools") if isinstance(body, Mapping) else None
    return [name for tool in tools or () for name in _names_in(tool)]


def _names_in(tool: Mapping[str, Json]) -> Sequence[str]:
    if tool.get("type") == "namespace":
        return [name for inner in tool["tools"] for name in _names_in(inner)]
    if tool.get("type") not in _KINDS_OF_FUNCTIONS or tool.get("defer_loading"):
        return []
    name = tool.get("function", tool).get("name")
    return [name] if isinstance(name, str) else []


def format_schema(body: Json) -> Json | None:
    """Return the JSON Schema that the answer's text must satisfy; None without one."""
    if not isinstance(body, Mapping):
        return None
    chat = (body.get("response_format") or {}).get("json_schema") or {}
    responses = (body.get("text") or {}).get("format") or {}
    messages = (body.get("output_config") or {}).get("format") or body.get("output_format") or {}
    return next((form["schema"] for form in (chat, responses, messages) if "schema" in form), None)


def _has_format(body: Json) -> bool:
    return format_schema(body) is not None
