"""ByteDance Seed OSS."""

from handlers.chat.tool_calls.formats.tagged_values import TaggedValuesFormat

SEED_OSS = TaggedValuesFormat(
    name="seed_oss",
    marker="<seed:tool_call>",
    begin="<seed:tool_call>\n",
    call_begin="<function=",
    name_end=">\n",
    key_begin="<parameter=",
    key_end=(">",),
    value_end="</parameter>",
    call_end="</function>",
    end="\n</seed:tool_call>",
    line_starts=("<function=", "<function name="),
    signs=("<seed:tool_call>",),
)
