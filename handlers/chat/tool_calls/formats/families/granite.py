"""Lists of objects after a tag: IBM Granite 3, Phi 4 mini, Command A, Apertus, Jamba, Hunyuan."""

from handlers.chat.tool_calls.formats.json_object import JsonObjectFormat

GRANITE = JsonObjectFormat(
    name="granite",
    marker="<|tool_call|>",
    begin="<|tool_call|>[",
    separator=", ",
    end="]",
    holds_many=True,
    signs=("<|tool_call|>",),
    strangers=("<|/tool_call|>",),
)

# Cohere's Command A and R7B number the calls of a conversation.
COHERE = JsonObjectFormat(
    name="cohere_command3",
    aliases=("cohere_command4",),
    marker="<|START_ACTION|>",
    begin="<|START_ACTION|>[\n    ",
    object_begin='{"tool_call_id": "0", "tool_name": %s, "parameters": ',
    separator=",\n    ",
    end="\n]<|END_ACTION|>",
    holds_many=True,
    signs=("<|START_ACTION|>",),
    tokens=("<|START_ACTION|>", "<|END_ACTION|>"),
)

# The Swiss AI Initiative's Apertus: the name of the function is the only key.
APERTUS = JsonObjectFormat(
    name="apertus",
    marker="<|tools_prefix|>",
    begin="<|tools_prefix|>[",
    object_begin="{%s: ",
    separator=", ",
    end="]<|tools_suffix|>",
    holds_many=True,
    signs=("<|tools_prefix|>",),
    tokens=("<|tools_prefix|>", "<|tools_suffix|>"),
)

# AI21's Jamba, Tencent's Hunyuan A13B and ServiceNow's Apriel.
JAMBA = JsonObjectFormat(
    name="jamba",
    aliases=("hunyuan_a13b", "apriel"),
    marker="<tool_calls>",
    begin="<tool_calls>[",
    separator=", ",
    end="]</tool_calls>",
    holds_many=True,
    signs=("<tool_calls>",),
    strangers=("<tool_call>",),
)

PHI_4_MINI = JsonObjectFormat(
    name="phi4_mini_json",
    marker="<|tool_call|>",
    begin="<|tool_call|>[",
    separator=", ",
    end="]<|/tool_call|>",
    holds_many=True,
    signs=("<|tool_call|>", "<|/tool_call|>"),
)
