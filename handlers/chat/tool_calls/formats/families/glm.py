"""GLM 4.5 to 4.7."""

from handlers.chat.tool_calls.formats.tagged_values import TaggedValuesFormat

GLM = TaggedValuesFormat(
    name="glm45",
    aliases=("glm47",),
    marker="<tool_call>",
    begin="<tool_call>",
    name_end="\n",
    key_begin="<arg_key>",
    key_end=("</arg_key>", "<arg_value>"),
    value_end="</arg_value>",
    end="</tool_call>",
    signs=("<tool_call>", "<arg_key>"),
)
