"""Llama 3.1 to 4 with user-defined functions, as Meta's own templates teach them."""

from handlers.chat.tool_calls.formats.json_object import JsonObjectFormat
from handlers.chat.tool_calls.formats.tagged_values import TaggedValuesFormat

LLAMA_JSON = JsonObjectFormat(
    name="llama3_json",
    aliases=("llama4_json",),
    marker="<|python_tag|>",
    start="{[",
    object_begin='{"name": %s, "parameters": ',
    separator="; ",
    signs=('"parameters": ', "|>assistant<|"),
    strangers=("<tool_call>", "<|tool_call|>"),
)

# Meta's prompts for Llama 3.1 had this form, with a body of JSON. It is only read.
LLAMA_TAGS = TaggedValuesFormat(
    name="llama3_tags",
    line_starts=("<function=",),
    call_begin="<function=",
    name_end=">",
    key_begin="<parameter=",
    key_end=(">",),
    value_end="</parameter>",
    call_end="</function>",
    signs=(),
)
