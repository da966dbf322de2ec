"""Nous Hermes 2 Pro, Qwen 2.5, Qwen 3 and Granite 4."""

from handlers.chat.tool_calls.formats.json_object import JsonObjectFormat

HERMES = JsonObjectFormat(
    name="hermes",
    marker="<tool_call>",
    begin="<tool_call>\n",
    end="\n</tool_call>",
    line_starts=("{",),
    signs=("<tool_call>",),
    strangers=("<function=", "<arg_key>"),  # Qwen 3 Coder and GLM 4.5 write XML between the same tags
)
