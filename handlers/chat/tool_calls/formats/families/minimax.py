"""MiniMax M2."""

from handlers.chat.tool_calls.formats.tagged_values import TaggedValuesFormat

MINIMAX_M2 = TaggedValuesFormat(
    name="minimax_m2",
    marker="<minimax:tool_call>",
    begin="<minimax:tool_call>\n",
    call_begin='<invoke name="',
    name_end='">\n',
    key_begin='<parameter name="',
    key_end=('">',),
    value_end="</parameter>",
    call_end="</invoke>",
    end="\n</minimax:tool_call>",
    line_starts=("<invoke name=",),
    holds_many=True,
    signs=("<minimax:tool_call>",),
)
