"""DeepSeek V3 and R1, V3.1 after them, and from V3.2 on the markup that they call DSML."""

from handlers.chat.tool_calls.formats.named_json import NamedJsonFormat
from handlers.chat.tool_calls.formats.tagged_values import TaggedValuesFormat

_DSML = "｜DSML｜"

DEEPSEEK_V3 = NamedJsonFormat(
    name="deepseek_v3",
    marker="<｜tool▁calls▁begin｜>",
    begin="<｜tool▁calls▁begin｜>",
    call_begin="<｜tool▁call▁begin｜>function<｜tool▁sep｜>",
    name_end="\n```json\n",
    call_end="\n```<｜tool▁call▁end｜>",
    end="<｜tool▁calls▁end｜>",
    strays=("<｜tool▁call▁begin｜>",),
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
    strays=("<｜tool▁call▁begin｜>",),
    holds_many=True,
    signs=("<｜tool▁calls▁begin｜>",),
    strangers=("```json",),
)


def _dsml(name: str, *, block: str, space: str = "", sign: str) -> TaggedValuesFormat:
    """Return the format of one version.

    block: the name of the tag around all calls. space: the text behind the token that all tags begin with.
    sign: a text that its templates have.
    """
    begin, end = f"<{_DSML}{space}", f"</{_DSML}{space}"
    return TaggedValuesFormat(
        name=name,
        marker=f"{begin}{block}>",
        begin=f"{begin}{block}>\n",
        call_begin=f'{begin}invoke name="',
        name_end='">\n',
        key_begin=f'{begin}parameter name="',
        key_end=('" string="',),
        kinds=('true">', 'false">'),
        value_end=f"{end}parameter>",
        call_end=f"{end}invoke>",
        end=f"\n{end}{block}>",
        strays=(f"{begin}invoke",),
        holds_many=True,
        signs=(_DSML, sign),
    )


DEEPSEEK_V32 = _dsml("deepseek_v32", block="function_calls", sign="function_calls>")
DEEPSEEK_V4 = _dsml("deepseek_v4", block="tool_calls", sign="tool_calls>")
DEEPSEEK_V41 = _dsml("deepseek_v41", block="calls", space=" ", sign=" calls>")
