"""IBM Granite 3 and Phi 4 mini: lists of objects behind the same tag, which Phi closes."""

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

PHI_4_MINI = JsonObjectFormat(
    name="phi4_mini_json",
    marker="<|tool_call|>",
    begin="<|tool_call|>[",
    separator=", ",
    end="]<|/tool_call|>",
    holds_many=True,
    signs=("<|tool_call|>", "<|/tool_call|>"),
)
