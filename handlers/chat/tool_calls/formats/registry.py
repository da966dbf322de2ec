"""The tool-call formats of model families, and the choice of a model's."""

from collections.abc import Collection, Mapping

from handlers.chat.tool_calls.formats.gemma import FUNCTION_GEMMA, GEMMA_4
from handlers.chat.tool_calls.formats.harmony import HARMONY
from handlers.chat.tool_calls.formats.json_object import JsonObjectFormat
from handlers.chat.tool_calls.formats.kimi import KIMI_K2
from handlers.chat.tool_calls.formats.mistral import MISTRAL, MISTRAL_LIST
from handlers.chat.tool_calls.formats.named_json import NamedJsonFormat
from handlers.chat.tool_calls.formats.pythonic import PythonicFormat
from handlers.chat.tool_calls.formats.tagged_values import TaggedValuesFormat
from handlers.chat.tool_calls.tool_format import ToolFormat

# Nous Hermes 2 Pro, Qwen 2.5, Qwen 3 and Granite 4.
HERMES = JsonObjectFormat(
    name="hermes",
    marker="<tool_call>",
    begin="<tool_call>\n",
    end="\n</tool_call>",
    line_starts=("{",),
    signs=("<tool_call>",),
    strangers=("<function=", "<arg_key>"),  # Qwen 3 Coder and GLM 4.5 write XML between the same tags
)

# Qwen 3 Coder and Qwen 3.5.
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

# GLM 4.5 to 5.
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

# Tencent's HY 3, which has GLM's tags for arguments.
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

# StepFun's Step 3.
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

_DSML = "｜DSML｜"  # what DeepSeek calls its markup from V3.2 on

# DeepSeek V3 and R1.
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

    block: the name of the tag around all calls. space: the text after the token that all tags begin with.
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

# IBM Granite 3.
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

# NVIDIA Nemotron Nano 2 and Nemotron Super 1.5.
NEMOTRON = JsonObjectFormat(
    name="nemotron_json",
    marker="<TOOLCALL>",
    begin="<TOOLCALL>[",
    separator=", ",
    end="]</TOOLCALL>",
    holds_many=True,
    signs=("<TOOLCALL>",),
)

# InternLM 2 and 2.5.
INTERNLM = JsonObjectFormat(
    name="internlm",
    marker="<|action_start|><|plugin|>",
    begin="<|action_start|><|plugin|>\n",
    object_begin='{"name": %s, "parameters": ',
    end="<|action_end|>",
    signs=("<|action_start|>", "<|plugin|>"),
)

# ByteDance Seed OSS.
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

# Llama 3.1 to 4 with user-defined functions, as Meta's own templates teach them.
LLAMA_JSON = JsonObjectFormat(
    name="llama3_json",
    aliases=("llama4_json",),
    marker="<|python_tag|>",
    start="{[",
    object_begin='{"name": %s, "parameters": ',
    separator="; ",
    signs=('"parameters": ', "|>assistant<|"),
    strangers=("<tool_call>", "<|tool_call|>"),
)

# Meta's prompts for Llama 3.1 had this form, with a body of JSON. It is only read.
LLAMA_TAGS = TaggedValuesFormat(
    name="llama3_tags",
    line_starts=("<function=",),
    call_begin="<function=",
    name_end=">",
    key_begin="<parameter=",
    key_end=(">",),
    value_end="</parameter>",
    call_end="</function>",
    signs=(),
)

# Llama 3.2 and 4 under templates that teach it, and ToolACE.
PYTHONIC = PythonicFormat(
    name="pythonic",
    aliases=("llama4_pythonic",),
    marker="<|python_start|>",
    marker_end="<|python_end|>",
    start="[",
    begin="[",
    separator=", ",
    end="]",
    holds_many=True,
    signs=("[func_name1(",),
)

LFM_2 = PythonicFormat(
    name="lfm2",
    marker="<|tool_call_start|>",
    marker_end="<|tool_call_end|>",
    begin="<|tool_call_start|>[",
    separator=", ",
    end="]<|tool_call_end|>",
    holds_many=True,
    signs=("<|tool_call_start|>",),
)

OLMO_3 = PythonicFormat(
    name="olmo3",
    marker="<function_calls>",
    marker_end="",
    begin="<function_calls>",
    separator="\n",
    end="</function_calls>",
    holds_many=True,
    has_json_words=True,
    signs=("<function_calls>",),
    strangers=("<invoke",),
)

TOOL_FORMATS: tuple[ToolFormat, ...] = (
    HARMONY,
    HERMES,
    QWEN_CODER,
    GLM,
    MISTRAL,
    MISTRAL_LIST,
    DEEPSEEK_V3,
    DEEPSEEK_V31,
    DEEPSEEK_V32,
    DEEPSEEK_V4,
    DEEPSEEK_V41,
    KIMI_K2,
    GEMMA_4,
    GRANITE,
    PHI_4_MINI,
    NEMOTRON,
    INTERNLM,
    SEED_OSS,
    MINIMAX_M2,
    LFM_2,
    PYTHONIC,
    LLAMA_JSON,
    FUNCTION_GEMMA,
    COHERE,
    APERTUS,
    OLMO_3,
    HY_3,
    STEP_3,
    JAMBA,
)

_DEEPSEEK = (DEEPSEEK_V3, DEEPSEEK_V31, DEEPSEEK_V32, DEEPSEEK_V4, DEEPSEEK_V41)
# The formats that models of a format's family write as well, as they were trained on them or know them from
# other versions. They are read and never asked for.
_ALSO_WRITTEN: Mapping[str, tuple[ToolFormat, ...]] = {
    **{known.name: _DEEPSEEK for known in _DEEPSEEK},
    MISTRAL.name: (MISTRAL_LIST,),
    MISTRAL_LIST.name: (MISTRAL,),
    HERMES.name: (QWEN_CODER,),
    LLAMA_JSON.name: (LLAMA_TAGS,),
}

TOOL_FORMAT_NAMES = tuple(sorted(name for known in TOOL_FORMATS for name in (known.name, *known.aliases)))


def tool_format_of(template: str, tokens: Collection[str] = ()) -> ToolFormat | None:
    """Return the format that a chat template teaches its model, or else the one whose tokens the vocabulary
    has; None if there is no such format.
    """
    taught = next((known for known in TOOL_FORMATS if known.is_format_of(template)), None)
    return taught or next(
        (known for known in TOOL_FORMATS if known.tokens and set(known.tokens) <= set(tokens)), None
    )


def tool_format_named(name: str) -> ToolFormat | None:
    """Return the format of this name or alias."""
    return next((known for known in TOOL_FORMATS if name in (known.name, *known.aliases)), None)


def readings_of(tool_format: ToolFormat) -> tuple[ToolFormat, ...]:
    """Return the formats in which a model's calls are read: its own, and those that it may also write."""
    others = _ALSO_WRITTEN.get(tool_format.name, ())
    return (tool_format, *(other for other in others if other is not tool_format))
