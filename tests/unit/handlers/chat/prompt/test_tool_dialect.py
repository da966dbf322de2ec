"""Templates in the manner of several families: calls, results and identifiers reach each as it takes them."""

import json

import pytest

from engine.port.request import SamplingParams
from handlers.chat.core import ChatCore, PreparedChat
from handlers.chat.messages import ChatMessage
from handlers.chat.params import ChatParams
from handlers.chat.prompt.dialect import Dialect
from handlers.chat.prompt.tool_dialect import ToolDialect
from handlers.chat.reading.result import ChatChoice, collect_chat
from handlers.chat.tool_calls.formats.gemma import FUNCTION_GEMMA, GEMMA_4
from handlers.chat.tool_calls.formats.harmony import HARMONY
from handlers.chat.tool_calls.formats.kimi import KIMI_K2
from handlers.chat.tool_calls.formats.mistral import MISTRAL, MISTRAL_LIST
from handlers.chat.tool_calls.formats.registry import (
    APERTUS,
    COHERE,
    DEEPSEEK_V3,
    DEEPSEEK_V4,
    DEEPSEEK_V31,
    DEEPSEEK_V32,
    DEEPSEEK_V41,
    GLM,
    GRANITE,
    HERMES,
    HY_3,
    INTERNLM,
    JAMBA,
    LFM_2,
    LLAMA_JSON,
    MINIMAX_M2,
    NEMOTRON,
    OLMO_3,
    PHI_4_MINI,
    PYTHONIC,
    QWEN_CODER,
    SEED_OSS,
    STEP_3,
    TOOL_FORMATS,
    tool_format_of,
)
from handlers.chat.tool_calls.tool_format import ToolFormat
from handlers.chat.tools import ToolCall, ToolChoice, ToolDefinition, ToolMode
from tests.unit.handlers.chat.events import events_of, stream
from tests.unit.handlers.chat.models import HERMES_TEMPLATE, LLAMA_TEMPLATE, PLAIN_TEMPLATE, chat_tokenizer

TOOLS = (
    ToolDefinition(
        name="get_time", parameters={"type": "object", "properties": {"zone": {"type": "string"}}}
    ),
)
CONVERSATION = (
    ChatMessage(role="user", content="What time is it?"),
    ChatMessage(
        role="assistant",
        tool_calls=(ToolCall(id="call_1", name="get_time", arguments='{"zone": "CET", "on": true}'),),
    ),
    ChatMessage(role="tool", content="12:30", tool_call_id="call_1"),
)

MISTRAL_TEMPLATE = """\
{%- for message in messages %}
{%- if message.role == 'user' %}
{{- '[AVAILABLE_TOOLS]' + (tools | tojson) + '[/AVAILABLE_TOOLS]' if tools else '' }}
{{- '[INST]' + message.content + '[/INST]' }}
{%- elif message.tool_calls %}{{- '[TOOL_CALLS][' }}
{%- for call in message.tool_calls %}
{%- if call.id | length != 9 %}{{- raise_exception('ids have nine characters') }}{%- endif %}
{{- (call.function | tojson)[:-1] + ', "id": "' + call.id + '"}' }}
{%- endfor %}{{- ']</s>' }}
{%- elif message.role == 'tool' %}
{{- '[TOOL_RESULTS]{"content": "' + message.content + '", ' }}
{{- '"call_id": "' + message.tool_call_id + '"}[/TOOL_RESULTS]' }}
{%- endif %}
{%- endfor %}
"""
# It has no place for tools, writes calls, and joins their arguments to text.
DEEPSEEK_TEMPLATE = """\
{%- for message in messages %}
{%- if message.role == 'user' %}{{- '<｜User｜>' + message.content }}
{%- elif message.tool_calls %}{{- '<｜tool▁calls▁begin｜>' }}
{%- for call in message.tool_calls %}
{{- '<｜tool▁call▁begin｜>' + call.function.name }}
{{- '<｜tool▁sep｜>' + call.function.arguments + '<｜tool▁call▁end｜>' }}
{%- endfor %}{{- '<｜tool▁calls▁end｜>' }}
{%- elif message.role == 'tool' %}{{- '<｜tool▁output▁begin｜>' + message.content + '<｜tool▁output▁end｜>' }}
{%- endif %}
{%- endfor %}
"""
KIMI_TEMPLATE = """\
{%- if tools %}{{- '<|im_system|>' + (tools | tojson) }}{%- endif %}
{%- for message in messages %}
{{- '<|im_' + message.role + '|>' + message.content }}
{%- if message.tool_calls %}{{- '<|tool_calls_section_begin|>' }}
{%- for call in message.tool_calls %}
{{- '<|tool_call_begin|>' + call.id + '<|tool_call_argument_begin|>' + (call.function.arguments | tojson) }}
{%- endfor %}{{- '<|tool_calls_section_end|>' }}
{%- endif %}
{{- '## Return of ' + message.tool_call_id if message.role == 'tool' else '' }}
{%- endfor %}
"""
UNKNOWN_TEMPLATE = HERMES_TEMPLATE.replace("tool_call>", "invoke>")


def prepare(
    template: str,
    *messages: ChatMessage,
    mode: ToolMode = ToolMode.AUTO,
    tool_format: str | None = None,
    **changes: object,
) -> PreparedChat:
    chat = ChatParams(
        request_id="r",
        messages=messages or CONVERSATION[:1],
        sampling=SamplingParams(),
        tools=TOOLS,
        tool_choice=ToolChoice(mode=mode),
        stop=("x", "\n"),
    )
    tokenizer = chat_tokenizer(template)
    for name, value in changes.items():
        setattr(tokenizer.hf, name, value)
    return ChatCore(tokenizer, max_total_tokens=2000, tool_format=tool_format).prepare(chat)


async def answer(prepared: PreparedChat, text: str) -> ChatChoice:
    return (await collect_chat(prepared.outputs(), stream(events_of(list(text))))).choices[0]


def dialect(template: str, name: str | None = None) -> ToolDialect:
    return Dialect.of(chat_tokenizer(template).hf, tool_format=name).tools


@pytest.mark.parametrize(
    ("signs", "expected"),
    [
        ("<tool_call>{", HERMES),
        ("<tool_call><function=", QWEN_CODER),
        ("<tool_call><arg_key>", GLM),
        ("[TOOL_CALLS] [", MISTRAL_LIST),
        ("[TOOL_CALLS]f[ARGS]", MISTRAL),
        ("<｜tool▁calls▁begin｜>```json", DEEPSEEK_V3),
        ("<｜tool▁calls▁begin｜>", DEEPSEEK_V31),
        ('{%- set dsml_token = "｜DSML｜" -%}<{{ dsml_token }}function_calls>', DEEPSEEK_V32),
        ('{%- set dsml_token = "｜DSML｜" -%}<{{ dsml_token }}tool_calls>', DEEPSEEK_V4),
        ("<｜DSML｜ calls>", DEEPSEEK_V41),
        ("<|channel|>analysis<|message|>", HARMONY),
        ("<|tool_calls_section_begin|>", KIMI_K2),
        ("<|tool_call|>", GRANITE),
        ("<|tool_call>call:", GEMMA_4),
        ("<|tool_call|><|/tool_call|>", PHI_4_MINI),
        ("[func_name1(params_name1=params_value1)]", PYTHONIC),
        ('{"name": name, "parameters": object}<|header_start|>assistant<|header_end|>', LLAMA_JSON),
        ("<TOOLCALL>[", NEMOTRON),
        ("<|action_start|><|plugin|>", INTERNLM),
        ("<seed:tool_call>\n<function=", SEED_OSS),
        ("<minimax:tool_call>", MINIMAX_M2),
        ("<|tool_call_start|>[", LFM_2),
        ("<start_function_call>call:", FUNCTION_GEMMA),
        ("<|START_ACTION|>[", COHERE),
        ("<|tools_prefix|>[", APERTUS),
        ("<function_calls>", OLMO_3),
        ("<tool_calls>[", JAMBA),
        ("<tool_calls><tool_call>f<tool_sep><arg_key>", HY_3),
        ("<｜tool_calls_begin｜><steptml:invoke", STEP_3),
        ("<invoke>", None),
    ],
)
def test_a_template_tells_its_family(signs: str, expected: ToolFormat | None) -> None:
    assert tool_format_of(signs) is expected


def test_a_vocabulary_tells_the_family_of_a_template_that_does_not() -> None:
    assert tool_format_of("", ["<|im_end|>", "<|tool_calls_section_begin|>"]) is KIMI_K2
    assert tool_format_of("", ["[TOOL_CALLS]"]) is MISTRAL_LIST
    assert tool_format_of("", ["[TOOL_CALLS]", "[ARGS]"]) is MISTRAL
    assert tool_format_of("", ["<tool_call>"]) is None


@pytest.mark.parametrize("known", TOOL_FORMATS, ids=lambda known: known.name)
async def test_a_format_that_is_asked_for_is_told_in_words_and_read(known: ToolFormat) -> None:
    prepared = prepare(PLAIN_TEMPLATE, tool_format=known.name)
    assert known.write("function-name", '{"argument": "value"}') in prepared.prompt_text
    got = await answer(prepared, known.write("get_time", '{"zone": "CET"}'))
    assert [(call.name, json.loads(call.arguments)) for call in got.tool_calls] == [
        ("get_time", {"zone": "CET"})
    ]


def test_identifiers_reach_a_template_in_the_form_that_it_takes() -> None:
    prompt = prepare(MISTRAL_TEMPLATE, *CONVERSATION).prompt_text
    call_id = prompt.split('"id": "')[1][:9]
    assert call_id.isalnum() and f'"call_id": "{call_id}"' in prompt
    prompt = prepare(KIMI_TEMPLATE, *CONVERSATION, *CONVERSATION).prompt_text
    assert [prompt.count(f"Return of functions.get_time:{number}") for number in (0, 1, 2)] == [1, 1, 0]
    assert '<|tool_call_begin|>functions.get_time:1<|tool_call_argument_begin|>{"zone"' in prompt


async def test_identifiers_of_new_calls_have_the_familys_form() -> None:
    got = await answer(prepare(MISTRAL_TEMPLATE), MISTRAL_LIST.write_all(*[("get_time", "{}")] * 2))
    ids = [call.id for call in got.tool_calls]
    assert len(set(ids)) == 2 and all(len(id) == 9 and id.isalnum() for id in ids)


def test_a_template_that_joins_arguments_to_text_is_given_text() -> None:
    prepared = prepare(DEEPSEEK_TEMPLATE, *CONVERSATION)
    assert '<｜tool▁sep｜>{"zone": "CET", "on": true}<｜tool▁call▁end｜>' in prepared.prompt_text
    assert "<｜tool▁output▁begin｜>12:30" in prepared.prompt_text


def test_a_template_with_no_place_for_tools_has_them_told_in_words_in_its_own_format() -> None:
    known = dialect(DEEPSEEK_TEMPLATE)
    assert known == ToolDialect(tool_format=DEEPSEEK_V31, shows_tools=False, shows_calls=True)
    prompt = prepare(DEEPSEEK_TEMPLATE).prompt_text
    assert '"name": "get_time"' in prompt and "<｜tool▁calls▁begin｜>" in prompt


def test_a_template_that_does_not_write_calls_is_given_them_in_words() -> None:
    known = dialect(LLAMA_TEMPLATE)
    assert known == ToolDialect(tool_format=LLAMA_JSON, shows_tools=True, shows_calls=False)
    prompt = prepare(LLAMA_TEMPLATE, *CONVERSATION).prompt_text
    assert '{"name": "get_time", "parameters": {"zone": "CET", "on": true}}' in prompt
    assert "<tool_response>\n12:30\n</tool_response>" in prompt


def test_stop_strings_are_for_content_and_not_looked_for_in_calls() -> None:
    assert prepare(HERMES_TEMPLATE, mode=ToolMode.REQUIRED).request.stopping.stop == ()
    free = prepare(HERMES_TEMPLATE).request.stopping
    assert (free.stop, free.stop_free) == (("x", "\n"), (("<tool_call>", "</tool_call>"),))
    assert prepare(HERMES_TEMPLATE, mode=ToolMode.NONE).request.stopping.stop_free == ()
    # Its arguments hold brackets too, so that the block's own cannot tell where it ends.
    assert prepare(MISTRAL_TEMPLATE).request.stopping.stop_free == (("[TOOL_CALLS]", ""),)


RESPONSE_TEMPLATE = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|im_start|>assistant\n",
    "fields": {
        "tool_calls": {
            "open_pattern": r"<\|call>call:(?P<name>\w+)",
            "close": "<call|>",
            "repeats": True,
            "content": "json",
            "content_args": {"unquoted_keys": True, "string_delims": [["<|q|>", "<|q|>"]]},
            "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
        },
        "content": {"content": "text"},
    },
}
WRITTEN = "<|call>call:get_time{zone:<|q|>CET<|q|>,hours:24}<call|>"


async def test_a_tokenizers_response_template_reads_calls_of_a_family_that_we_do_not_know() -> None:
    prepared = prepare(UNKNOWN_TEMPLATE, response_template=RESPONSE_TEMPLATE)
    assert "To call a function" not in prepared.prompt_text
    got = await answer(prepared, f"I look.\n{WRITTEN}{WRITTEN}\nDone.")
    assert [(call.name, json.loads(call.arguments)) for call in got.tool_calls] == [
        ("get_time", {"zone": "CET", "hours": 24})
    ] * 2
    assert got.content == "I look.\nDone."


@pytest.mark.parametrize(
    "text",
    [WRITTEN[:-6], WRITTEN.replace("24", "nil"), WRITTEN.replace("get_time", "other"), "<|call>call: no"],
)
async def test_what_a_response_template_cannot_read_is_content_to_the_letter(text: str) -> None:
    got = await answer(prepare(UNKNOWN_TEMPLATE, response_template=RESPONSE_TEMPLATE), f"So: {text}")
    assert (got.content, got.tool_calls) == (f"So: {text}", ())


async def test_demanded_calls_of_a_family_that_we_do_not_know_are_hermess() -> None:
    prepared = prepare(UNKNOWN_TEMPLATE, mode=ToolMode.REQUIRED, response_template=RESPONSE_TEMPLATE)
    got = await answer(prepared, HERMES.write("get_time", "{}"))
    assert [call.name for call in got.tool_calls] == ["get_time"]


@pytest.mark.parametrize(
    "broken", [{"fields": {"tool_calls": {"open_pattern": "("}}}, {"fields": {}}, {}, None, 3]
)
def test_a_response_template_that_says_nothing_of_calls_is_not_used(broken: object) -> None:
    prompt = prepare(UNKNOWN_TEMPLATE, response_template=broken).prompt_text
    assert "To call a function" in prompt and "<invoke>" not in prompt
