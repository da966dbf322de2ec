"""Chat templates in the manner of model families, shortened to turns and calls: the texts, blanks and line
breaks between the parts of a call are those of the published ones.
"""

from typing import NamedTuple


class Wrapper(NamedTuple):
    """The texts around an assistant's turn. opening: ends the prompt, where the assistant's turn begins."""

    opening: str = "<|im_start|>assistant\n"
    closing: str = "<|im_end|>"
    content: str = "{{- message.content }}"


_CHATML = Wrapper()


def _template(calls: str, wrapper: Wrapper = _CHATML) -> str:
    return (
        "{%- if tools %}{{- '<|im_start|>tools' + (tools | tojson) }}{%- endif %}"
        "{%- for message in messages %}{%- if message.role != 'assistant' %}"
        "{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{%- else %}"
        f"{{{{- {wrapper.opening!r} }}}}{wrapper.content}"
        f"{{%- if message.tool_calls %}}{calls}{{%- endif %}}{{{{- {wrapper.closing!r} }}}}"
        "{%- endif %}{%- endfor %}"
        f"{{%- if add_generation_prompt %}}{{{{- {wrapper.opening!r} }}}}{{%- endif %}}"
    )


def _each(call: str) -> str:
    """Return a loop over calls, each of which is `call`, with `f` as its function."""
    return "{%- for call in message.tool_calls %}{%- set f = call.function %}" + call + "{%- endfor %}"


def _json(begin: str, between: str, end: str, call: str) -> str:
    """Return a list of calls between two texts."""
    return f"{{{{- {begin!r} }}}}" + _each(call + _unless_last(between)) + f"{{{{- {end!r} }}}}"


def _unless_last(text: str) -> str:
    return f"{{{{- {text!r} if not loop.last }}}}"


_OBJECT = """{{- '{"name": "' + f.name + '", "arguments": ' + (f.arguments | tojson) + '}' }}"""
_WITH_ID = _OBJECT.replace("'}'", """', "id": "' + call.id + '"}'""")
_VALUE = "(value if value is string else value | tojson)"
_ARGUMENTS = "{%- for key, value in f.arguments.items() %}"
_END = "{%- endfor %}"


def _named(begin: str, middle: str, end: str) -> str:
    return f"{{{{- {begin!r} + f.name + {middle!r} + (f.arguments | tojson) + {end!r} }}}}"


def _tagged(begin: str, name_end: str, key: str, value: str, value_end: str, end: str) -> str:
    """Return a call whose arguments stand one by one."""
    argument = f"{{{{- {key!r} + key + {value!r} + {_VALUE} + {value_end!r} }}}}"
    return f"{{{{- {begin!r} + f.name + {name_end!r} }}}}{_ARGUMENTS}{argument}{_END}{{{{- {end!r} }}}}"


def _pythonic(value: str) -> str:
    """Return NAME(KEY=VALUE, ...)."""
    argument = "{{- key + '=' + (" + value + ") }}" + _unless_last(", ")
    return "{{- f.name + '(' }}" + _ARGUMENTS + argument + _END + "{{- ')' }}"


_DSML = (
    _ARGUMENTS
    + """{{- '\\n' if not loop.first }}{{- '<｜DSML｜parameter name="' + key + '" string="' }}"""
    + "{{- ('true' if value is string else 'false') + '\">' }}"
    + "{{- "
    + _VALUE
    + " + '</｜DSML｜parameter>' }}"
    + _END
)


def _dsml(block: str) -> str:
    call = """{{- '\\n<｜DSML｜invoke name="' + f.name + '">\\n' }}"""
    call += _DSML + "{{- '\\n</｜DSML｜invoke>' }}"
    return f"{{{{- '\\n\\n<｜DSML｜{block}>' }}}}{_each(call)}{{{{- '\\n</｜DSML｜{block}>' }}}}"


_GLM_45 = Wrapper(
    "<|assistant|>", "", "{{- '\\n<think></think>' }}{{- '\\n' + message.content if message.content }}"
)
_GLM_47 = Wrapper("<|assistant|>", "", "{{- '<think></think>' + message.content }}")
_MISTRAL = Wrapper("[/INST]", "</s>")
_GEMMA_VALUE = "{%- macro shown(value) %}{%- if value is string %}{{- QUOTE + value + QUOTE }}\
{%- elif value is boolean %}{{- 'true' if value else 'false' }}\
{%- elif value is mapping %}{{- '{' }}{%- for key, inner in value | dictsort %}\
{{- key + ':' + shown(inner) }}{{- ',' if not loop.last }}{%- endfor %}{{- '}' }}\
{%- elif value is sequence %}{{- '[' }}{%- for inner in value %}{{- shown(inner) }}\
{{- ',' if not loop.last }}{%- endfor %}{{- ']' }}{%- else %}{{- value }}{%- endif %}{%- endmacro %}"
_GEMMA = (
    "{{- BEGIN + 'call:' + f.name + '{' }}{%- for key, value in f.arguments | dictsort %}"
    "{{- key + ':' + shown(value) }}{{- ',' if not loop.last }}{%- endfor %}{{- '}' + END }}"
)


def _gemma(begin: str, quote: str, end: str) -> str:
    texts = {"QUOTE": quote, "BEGIN": begin, "END": end}
    written = _GEMMA_VALUE + _each(_GEMMA)
    for name, text in texts.items():
        written = written.replace(name, repr(text))
    return written


_HARMONY = """{%- set f = message.tool_calls[0].function %}{{- ' to=functions.' + f.name }}\
{{- '<|channel|>commentary json<|message|>' + (f.arguments | tojson) + '<|call|>' }}"""

# By family: how its template writes calls, and the texts around a turn.
TEMPLATES: dict[str, str] = {
    "hermes": _template(_each("{{- '\\n' if message.content or not loop.first }}{{- '<tool_call>\\n' }}"
                              + _OBJECT + "{{- '\\n</tool_call>' }}")),
    "qwen3_coder": _template(
        _each(_tagged("\n<tool_call>\n<function=", ">\n", "<parameter=", ">\n", "\n</parameter>\n",
                      "</function>\n</tool_call>"))
    ),
    "qwen3_coder-python": _template(
        _each(_tagged("\n<tool_call>\n<function=", ">\n", "<parameter=", ">\n", "\n</parameter>\n",
                      "</function>\n</tool_call>").replace(
            "value if value is string else value | tojson",
            "value | tojson if value is mapping or (value is sequence and value is not string)"
            " else value | string",
        ))
    ),
    "glm45": _template(
        _each(_tagged("\n<tool_call>", "\n", "<arg_key>", "</arg_key>\n<arg_value>", "</arg_value>\n",
                      "</tool_call>")),
        _GLM_45,
    ),
    "glm47": _template(
        _each(_tagged("<tool_call>", "", "<arg_key>", "</arg_key><arg_value>", "</arg_value>",
                      "</tool_call>")),
        _GLM_47,
    ),
    "mistral-v3": _template(_json("[TOOL_CALLS] [", ", ", "]", _WITH_ID), _MISTRAL),
    "mistral-v7": _template(_json("[TOOL_CALLS][", ", ", "]", _WITH_ID), _MISTRAL),
    "mistral-v11": _template(
        _each("{{- '[TOOL_CALLS]' + f.name + '[CALL_ID]' + call.id + '[ARGS]' + (f.arguments | tojson) }}"),
        _MISTRAL,
    ),
    "mistral-v13": _template(_each(_named("[TOOL_CALLS]", "[ARGS]", "")), _MISTRAL),
    "deepseek_v3": _template(
        "{{- '<｜tool▁calls▁begin｜>' }}"
        + _each("{{- '\\n' if not loop.first }}{{- '<｜tool▁call▁begin｜>function<｜tool▁sep｜>' + f.name }}"
                "{{- '\\n```json\\n' + f.arguments + '\\n```<｜tool▁call▁end｜>' }}")
        + "{{- '<｜tool▁calls▁end｜>' }}",
        Wrapper("<｜Assistant｜>", "<｜end▁of▁sentence｜>"),
    ),
    "deepseek_v31": _template(
        "{{- '<｜tool▁calls▁begin｜>' }}"
        + _each("{{- '<｜tool▁call▁begin｜>' + f.name + '<｜tool▁sep｜>' + f.arguments }}"
                "{{- '<｜tool▁call▁end｜>' }}")
        + "{{- '<｜tool▁calls▁end｜>' }}",
        Wrapper("<｜Assistant｜></think>", "<｜end▁of▁sentence｜>"),
    ),
    "deepseek_v32": _template(_dsml("function_calls"), Wrapper("<｜Assistant｜></think>", "")),
    "deepseek_v4": _template(_dsml("tool_calls"), Wrapper("<｜Assistant｜></think>", "")),
    "kimi_k2": _template(
        "{{- '<|tool_calls_section_begin|>' }}"
        + _each("{{- '<|tool_call_begin|>' + call.id + '<|tool_call_argument_begin|>' }}"
                "{{- (f.arguments | tojson) + '<|tool_call_end|>' }}")
        + "{{- '<|tool_calls_section_end|>' }}"
    ),
    "gemma4": _template(_gemma("<|tool_call>", '<|"|>', "<tool_call|>")),
    "functiongemma": _template(_gemma("<start_function_call>", "<escape>", "<end_function_call>")),
    "granite": _template(
        "{{- '<|tool_call|>' + (message.tool_calls | map(attribute='function') | list | tojson) }}"
    ),
    "phi4_mini_json": _template(_json("<|tool_call|>[", ", ", "]<|/tool_call|>", _OBJECT)),
    "nemotron_json": _template(_json("<TOOLCALL>[", ", ", "]</TOOLCALL>", _OBJECT)),
    "internlm": _template(
        _each("{{- '\\n' if not loop.first }}{{- '<|action_start|><|plugin|>\\n{\"name\": \"' + f.name }}"
              "{{- '\", \"parameters\": ' + (f.arguments | tojson) + '}<|action_end|>' }}")
    ),
    "seed_oss": _template(
        _each(_tagged("\n<seed:tool_call>\n<function=", ">\n", "<parameter=", ">", "</parameter>\n",
                      "</function>\n</seed:tool_call>"))
    ),
    "minimax_m2": _template(
        "{{- '\\n<minimax:tool_call>\\n' }}"
        + _each(_tagged('<invoke name="', '">\n', '<parameter name="', '">', "</parameter>\n", "</invoke>\n"))
        + "{{- '</minimax:tool_call>' }}"
    ),
    "lfm2": _template(
        _json("<|tool_call_start|>[", ", ", "]<|tool_call_end|>",
              _pythonic("'\\'' + value + '\\'' if value is string else value | tojson"
                        " if value is mapping else value | string"))
    ),
    "llama3_json": _template(
        "{%- if message.tool_calls | length > 1 %}{{- raise_exception('one call') }}{%- endif %}"
        + _each("{{- '{\"name\": \"' + f.name + '\", \"parameters\": ' + (f.arguments | tojson) + '}' }}"),
        Wrapper("<|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>", "{#- |>assistant<| #}"),
    ),
    "openai": _template(
        _HARMONY,
        Wrapper("<|start|>assistant", "", "{#- <|channel|>analysis<|message|> #}"),
    ),
    "cohere": _template(
        "{%- set counted = namespace(calls=0) %}{{- '<|START_ACTION|>[\\n' }}"
        + _each("{{- '    {\"tool_call_id\": \"' ~ counted.calls ~ '\", \"tool_name\": \"' + f.name }}"
                "{{- '\", \"parameters\": ' + (f.arguments | tojson) + '}' }}" + _unless_last(",")
                + "{{- '\\n' }}{%- set counted.calls = counted.calls + 1 %}")
        + "{{- ']<|END_ACTION|>' }}"
    ),
    "apertus": _template(
        _json("<|tools_prefix|>[", ", ", "]<|tools_suffix|>",
              "{{- '{\"' + f.name + '\": ' + (f.arguments | tojson) + '}' }}")
    ),
    "olmo3": _template(_json("<function_calls>", "\n", "</function_calls>", _pythonic("value | tojson"))),
    "jamba": _template(_json("<tool_calls>[\n    ", ",\n    ", "\n]</tool_calls>", _OBJECT)),
    "hunyuan_a13b": _template(_json("<tool_calls>[", ", ", "]</tool_calls>", _OBJECT)),
    "hy_v3": _template(
        "{{- '<tool_calls>\\n' }}"
        + _each(_tagged("<tool_call>", "<tool_sep>\n", "<arg_key>", "</arg_key>\n<arg_value>",
                        "</arg_value>\n", "</tool_call>\n"))
        + "{{- '</tool_calls>' }}"
    ),
    "step3": _template(
        "{{- '<｜tool_calls_begin｜>\\n' }}"
        + _each(_tagged('<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="', '">\n',
                        '<steptml:parameter name="', '">', "</steptml:parameter>\n",
                        "</steptml:invoke><｜tool_call_end｜>\n"))
        + "{{- '<｜tool_calls_end｜>' }}"
    ),
}  # fmt: skip
