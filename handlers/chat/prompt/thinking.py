"""The template variables that say how much a model is to think."""

from collections.abc import Mapping

from handlers.chat.params import ChatParams

NO_EFFORT = "none"

# What templates call the switch: Qwen 3 and most after it; DeepSeek V3.1 and Granite.
_SWITCHES = ("enable_thinking", "thinking")


def template_variables(params: ChatParams, efforts: Mapping[str, str]) -> Mapping[str, object]:
    """Return a request's variables for its template, which ignores those that it does not know.

    efforts: efforts of reasoning that the model does not know, each with the nearest one that it knows.
    """
    is_on = params.enable_thinking
    if is_on is None and params.reasoning_effort is not None:
        is_on = params.reasoning_effort != NO_EFFORT
    variables: dict[str, object] = {} if is_on is None else dict.fromkeys(_SWITCHES, is_on)
    if params.reasoning_effort is not None:
        variables["reasoning_effort"] = efforts.get(params.reasoning_effort, params.reasoning_effort)
    return {**variables, **params.template_kwargs}
