"""DeepSeek V3 and R1, and V3.1 after them."""

from handlers.chat.tool_calls.formats.named_json import NamedJsonFormat

DEEPSEEK_V3 = NamedJsonFormat(
    name="deepseek_v3",
    marker="<｜tool▁calls▁begin｜>",
    begin="<｜tool▁calls▁begin｜>",
    call_begin="<｜tool▁call▁begin｜>function<｜tool▁sep｜>",
    name_end="\n```json\n",
    call_end="\n```<｜tool▁call▁end｜>",
    end="<｜tool▁calls▁end｜>",
    holds_many=True,
    signs=("<｜tool▁calls▁begin｜>", "```json"),
)

DEEPSEEK_V31 = NamedJsonFormat(
    name="deepseek_v31",
    marker="<｜tool▁calls▁begin｜>",
    begin="<｜tool▁calls▁begin｜>",
    call_begin="<｜tool▁call▁begin｜>",
    name_end="<｜tool▁sep｜>",
    call_end="<｜tool▁call▁end｜>",
    separator="",
    end="<｜tool▁calls▁end｜>",
    holds_many=True,
    signs=("<｜tool▁calls▁begin｜>",),
    strangers=("```json",),
)
