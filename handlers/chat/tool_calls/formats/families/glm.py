"""GLM 4.5 to 5; and Tencent's HY 3, which has GLM's tags for arguments; and StepFun's Step 3."""

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
    strangers=("<tool_sep>",),
)

HY_3 = TaggedValuesFormat(
    name="hy_v3",
    marker="<tool_calls>",
    begin="<tool_calls>\n",
    call_begin="<tool_call>",
    name_end="<tool_sep>\n",
    key_begin="<arg_key>",
    key_end=("</arg_key>", "<arg_value>"),
    value_end="</arg_value>",
    call_end="</tool_call>",
    end="\n</tool_calls>",
    holds_many=True,
    signs=("<tool_calls>", "<tool_sep>", "<arg_key>"),
)

STEP_3 = TaggedValuesFormat(
    name="step3",
    marker="<｜tool_calls_begin｜>",
    begin="<｜tool_calls_begin｜>\n",
    call_begin='<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="',
    name_end='">\n',
    key_begin='<steptml:parameter name="',
    key_end=('">',),
    value_end="</steptml:parameter>",
    call_end="</steptml:invoke><｜tool_call_end｜>",
    end="\n<｜tool_calls_end｜>",
    holds_many=True,
    signs=("<steptml:invoke",),
    tokens=("<｜tool_calls_begin｜>", "<｜tool_sep｜>"),
)
