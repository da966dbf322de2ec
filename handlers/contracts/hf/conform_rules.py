"""The rules of the contract of Hugging Face's hosted API."""

from typing import Final

from verbatim_kit.conform.place import ABSENT
from verbatim_kit.conform.rules import Ban, Companion, Rules, has_part_of_type, is_above, is_one_of

_TOOL: Final = {"type": "function", "function": {"name": "a", "parameters": {"type": "object"}}}

RULES: Final = Rules(
    companions=(
        Companion("*", "top_logprobs", {("logprobs",): True}, "top_logprobs needs logprobs"),
        Companion("*", "tool_choice.*", {("tools",): [_TOOL]}, "tool_choice must name one of the tools"),
        Companion("*", "parameters.best_of", {("parameters", "do_sample"): True}, "best_of needs sampling"),
        Companion(
            "*",
            "parameters.grammar.type",
            {("parameters", "grammar", "value"): "{}"},
            "a grammar of this type is JSON text",
            is_one_of("json"),
        ),
        Companion(
            "*",
            "stream",
            {("stream_options",): ABSENT},
            "stream_options is only for streams",
            is_one_of(False),
        ),
        Companion(
            "*",
            "tools",
            {("tool_choice",): ABSENT},
            "tool_choice must name one of the tools",
            is_one_of(None),
        ),
    ),
    bans=(
        Ban("*", "*.value", "the text must be a JSON Schema", is_one_of("1")),
        Ban(
            "*_stream",
            "parameters.decoder_input_details",
            "a stream has no details of the prompt",
            is_one_of(True),
        ),
        Ban("*_stream", "parameters.best_of", "a stream has one sequence", is_above(1)),
        Ban("*", "messages.*", "the model reads only text", has_part_of_type("image_url"), True),
    ),
    takes_any_model=True,
)
