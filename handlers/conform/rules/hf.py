"""Rules of Hugging Face's hosted API."""

from typing import Final

from handlers.conform.place import ABSENT
from handlers.conform.rules.rule import Ban, Companion, Rules, has_part_of_type, is_above, is_one_of

_TOOL: Final = {"type": "function", "function": {"name": "a", "parameters": {"type": "object"}}}

RULES: Final = Rules(
    companions=(
        Companion("*", "top_logprobs", {("logprobs",): True}, "top_logprobs needs logprobs"),
        Companion("*", "tool_choice.*", {("tools",): [_TOOL]}, "tool_choice names one of the tools"),
        Companion("*", "parameters.best_of", {("parameters", "do_sample"): True}, "best_of needs sampling"),
        Companion(
            "*",
            "parameters.grammar.type",
            {("parameters", "grammar", "value"): "{}"},
            "the text of a grammar of this type is JSON",
            is_one_of("json"),
        ),
        Companion(
            "*",
            "stream",
            {("stream_options",): ABSENT},
            "stream_options is of streams alone",
            is_one_of(False),
        ),
        Companion(
            "*",
            "tools",
            {("tool_choice",): ABSENT},
            "a call is demanded of a tool that there is",
            is_one_of(None),
        ),
    ),
    bans=(
        Ban("*", "*.value", "a text is JSON, and a JSON Schema", is_one_of("1")),
        Ban(
            "*_stream",
            "parameters.decoder_input_details",
            "a stream tells nothing of its prompt",
            is_one_of(True),
        ),
        Ban("*_stream", "parameters.best_of", "a stream has one sequence", is_above(1)),
        Ban("*", "messages.*", "the model reads text alone", has_part_of_type("image_url"), True),
    ),
)
