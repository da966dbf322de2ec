"""The rules of Text Generation Inference's contract."""

from typing import Final

from verbatim_kit.conform.document import Json
from verbatim_kit.conform.place import ABSENT
from verbatim_kit.conform.rules import Ban, Companion, Rules, has_part_of_type, is_above, is_one_of

_TOOL: Final = {"type": "function", "function": {"name": "a", "parameters": {"type": "object"}}}
_OF_GENERATION: Final = (
    Ban("", "parameters.grammar.value", "the text must be a JSON Schema", is_one_of("1")),
    Ban("", "parameters.max_new_tokens", "it exceeds the context", is_above(2**30), True),
    Ban("", "parameters.top_n_tokens", "--max-top-n-tokens is the limit", is_above(5), True),
)


def _names_a_tool(value: Json, body: Json) -> bool:
    """Return whether a text is neither a mode of `tool_choice` nor the name of the examples' tool."""
    return isinstance(value, str) and value not in ("auto", "none", "required", "get_weather")


RULES: Final = Rules(
    companions=(
        Companion("*", "max_completion_tokens", {("max_tokens",): ABSENT}, "they are aliases"),
        Companion(
            "*",
            "tools",
            {("tool_choice",): ABSENT},
            "tool_choice must name one of the tools",
            is_one_of(None),
        ),
        Companion("*", "tool_choice.*", {("tools",): [_TOOL]}, "tool_choice must name one of the tools"),
        Companion(
            "*",
            "stream",
            {("stream_options",): ABSENT},
            "stream_options is only for streams",
            is_one_of(False),
        ),
        Companion("*", "parameters.best_of", {("parameters", "do_sample"): True}, "best_of needs sampling"),
    ),
    bans=(
        *(
            ban._replace(path=path)
            for path in ("/", "/generate*")  # /tokenize ignores the parameters of generation
            for ban in _OF_GENERATION
        ),
        Ban("*", "response_format.value", "the text must be a JSON Schema", is_one_of("1")),
        Ban("*", "max_*tokens", "it exceeds the context", is_above(2**30), True),
        Ban(
            "*_stream",
            "parameters.decoder_input_details",
            "a stream has no details of the prompt",
            is_one_of(True),
        ),
        Ban("*", "messages.*", "the model reads only text", has_part_of_type("image_url"), True),
        Ban("*", "tool_choice", "tool_choice must name one of the tools", _names_a_tool),
    ),
    takes_any_model=True,
)
