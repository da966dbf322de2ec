"""Llama 3.1 to 4 with user-defined functions, as Meta's own templates teach them."""

from handlers.chat.tool_calls.formats.json_object import JsonObjectFormat

LLAMA_JSON = JsonObjectFormat(
    name="llama3_json",
    aliases=("llama4_json",),
    marker="<|python_tag|>",
    start="{",
    object_begin='{"name": %s, "parameters": ',
    separator="; ",
    signs=('"parameters": ', "|>assistant<|"),
    strangers=("<tool_call>", "<|tool_call|>"),
)
