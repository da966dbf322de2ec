"""Qwen 3 Coder and Qwen 3.5."""

from handlers.chat.tool_calls.formats.tagged_values import TaggedValuesFormat

QWEN_CODER = TaggedValuesFormat(
    name="qwen3_coder",
    aliases=("qwen3_xml",),
    marker="<tool_call>",
    begin="<tool_call>\n",
    call_begin="<function=",
    name_end=">\n",
    key_begin="<parameter=",
    key_end=(">",),
    value_end="</parameter>",
    padding="\n",
    call_end="</function>",
    end="\n</tool_call>",
    line_starts=("<function=", "<function name="),
    signs=("<tool_call>", "<function="),
)
