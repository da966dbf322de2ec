"""Calls as models write them: what can mean only one call of a tool is that call, all else stays content."""

import json
import random
import sys
import time
from collections.abc import Iterator
from itertools import product

import pytest

from handlers.chat.delta import ToolCallDelta, join_pieces
from handlers.chat.reading.answer_parser import (
    AnswerFormat,
    AnswerParser,
    AnswerText,
    ReasoningReading,
    ToolReading,
)
from handlers.chat.reading.channels import HARMONY_CHANNELS
from handlers.chat.reading.reasoning import ReasoningStart
from handlers.chat.reading.tag_pair import THINK
from handlers.chat.tool_calls.formats.registry import tool_format_named
from handlers.chat.tools import ToolDefinition

TOOLS = (
    ToolDefinition(
        name="get_weather",
        parameters={
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "days": {"type": "integer"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "at": {"type": "object"},
                "wet": {"type": "boolean"},
                "note": {"type": ["string", "null"]},
                "limit": {"type": ["integer", "null"]},
            },
            "required": ["city"],
        },
    ),
    ToolDefinition(name="search", parameters={"properties": {"query": {"type": "string"}}}),
    ToolDefinition(name="now"),
)
OSLO: tuple[str, object] = ("get_weather", {"city": "Oslo"})
ROME: tuple[str, object] = ("get_weather", {"city": "Rome"})
NOW: tuple[str, object] = ("now", {})

# Family, text, calls; and content if there is any.
Row = tuple[str, str, list[tuple[str, object]], str]


def rows(family: str, *texts: tuple[object, ...]) -> Iterator[Row]:
    for text, calls, *content in texts:
        listed = [calls] if isinstance(calls, tuple) else calls
        yield family, text, listed, content[0] if content else ""  # type: ignore[misc]


HERMES_JSON = '{"name": "get_weather", "arguments": {"city": "Oslo"}}'
QWEN_BODY = "<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>"
GLM_CITY = "<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>"
KIMI_BEGIN, KIMI_END = "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"
KIMI_CALL = (
    '<|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Oslo"}<|tool_call_end|>'
)
V3_BEGIN, V3_END = "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"
V3_CALL = (
    "<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n"
    '```json\n{"city": "Oslo"}\n```<｜tool▁call▁end｜>'
)
V31_CALL = '<｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Oslo"}<｜tool▁call▁end｜>'
DSML_PARAMETER = '<｜DSML｜parameter name="city" string="true">Oslo</｜DSML｜parameter>'
DSML_INVOKE = f'<｜DSML｜invoke name="get_weather">\n{DSML_PARAMETER}\n</｜DSML｜invoke>'
V32 = f"<｜DSML｜function_calls>\n{DSML_INVOKE}\n</｜DSML｜function_calls>"
V4 = f"<｜DSML｜tool_calls>\n{DSML_INVOKE}\n</｜DSML｜tool_calls>"
TO = "to=functions.get_weather"
INVOKE = '<invoke name="get_weather">\n<parameter name="city">Oslo</parameter>\n</invoke>'
HARMONY_BODY = '<|message|>{"city": "Oslo"}<|call|>'

CALLS: list[Row] = [
    *rows(
        "hermes",
        (f"<tool_call>\n{HERMES_JSON}\n</tool_call>", OSLO),
        ('<tool_call>{"arguments": {"city": "Oslo"}, "name": "get_weather"}</tool_call>', OSLO),
        ('<tool_call>{"name": "get_weather", "arguments": "{\\"city\\": \\"Oslo\\"}"}</tool_call>', OSLO),
        ('<tool_call>{"name": "now", "arguments": null}</tool_call>', NOW),
        ('<tool_call>{"name": "now", "arguments": ""}</tool_call>', NOW),
        ('<tool_call>{"name": "now", "arguments": "null"}</tool_call>', NOW),
        ('<tool_call>{"name": "now"}</tool_call>', NOW),
        (f"<tool_call>\n{HERMES_JSON}\n{HERMES_JSON.replace('Oslo', 'Rome')}\n</tool_call>", [OSLO, ROME]),
        (f"<tool_call>\n{HERMES_JSON},\n{HERMES_JSON.replace('Oslo', 'Rome')}\n</tool_call>", [OSLO, ROME]),
        (f"<tool_call>[{HERMES_JSON}, {HERMES_JSON.replace('Oslo', 'Rome')}]</tool_call>", [OSLO, ROME]),
        (f"<tool_call>{HERMES_JSON}<tool_call>{HERMES_JSON.replace('Oslo', 'Rome')}", [OSLO, ROME]),
        (
            '<tool_call>{"name": "search", "arguments": {"query": "one\ntwo\tthree"}}</tool_call>',
            ("search", {"query": "one\ntwo\tthree"}),
        ),
        ('<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}\n</tool_call>', OSLO),
        ('<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"\n</tool_call>', OSLO),
        ('<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}}\n</tool_call>', OSLO),
        ('<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}', OSLO),
        ('<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}', OSLO),
        (
            "<tool_call>{'name': 'get_weather', 'arguments': {'city': 'Oslo', 'wet': True, 'limit': None}}"
            "</tool_call>",
            ("get_weather", {"city": "Oslo", "wet": True, "limit": None}),
        ),
        (
            '<tool_call>{"name": "get_weather", "arguments": {\'city\': "L\'Aquila"}}</tool_call>',
            ("get_weather", {"city": "L'Aquila"}),
        ),
        (
            '<tool_call>{"type": "function", "function": {"name": "get_weather", "arguments": '
            '{"city": "Oslo"}}}</tool_call>',
            OSLO,
        ),
        (
            '<tool_call>{"id": "call_1", "type": "function", "function": {"name": "get_weather", '
            '"arguments": "{\\"city\\": \\"Oslo\\"}"}}</tool_call>',
            OSLO,
        ),
        (f"<tool_call>\n```json\n{HERMES_JSON}\n```\n</tool_call>", OSLO),
        (f"<tool_call>\n```\n{HERMES_JSON}\n```\n</tool_call>", OSLO),
        (f"{HERMES_JSON}\n</tool_call>", OSLO),
        (f"I look.\n{HERMES_JSON}\n</tool_call>", OSLO, "I look."),
        (f"<tool_call>\n{HERMES_JSON}\n</tool_call>\n</tool_call>", OSLO),
        ('<tool_call>{"name": "get_weather", "parameters": {"city": "Oslo"}}</tool_call>', OSLO),
        ('<tool_call>{"function": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>', OSLO),
        ('<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo",}}</tool_call>', OSLO),
        ('<tool_call>{"name": "get_weather", "arguments": {city: "Oslo"}}</tool_call>', OSLO),
        (
            r'<tool_call>{"name": "search", "arguments": {"query": "\d+\.\w"}}</tool_call>',
            ("search", {"query": r"\d+\.\w"}),
        ),
        ('<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}, "id": 3}</tool_call>', OSLO),
        (f"<tool_call>\n{QWEN_BODY}\n</tool_call>", OSLO),
        (f"<tool_call>\n{HERMES_JSON}\n</tool_call>\nThat is all.", OSLO, "\nThat is all."),
        ('<tool_call>{"name": "now", "arguments": {}}</tool_call>\n\n', NOW),
    ),
    *rows(
        "qwen3_coder",
        (f"<tool_call>\n{QWEN_BODY}\n</tool_call>", OSLO),
        (QWEN_BODY, OSLO),
        (f"{QWEN_BODY}\n</tool_call>", OSLO),
        (f"I'll look.\n\n{QWEN_BODY}\n</tool_call>", OSLO, "I'll look."),
        (f"<tool_call>\n{QWEN_BODY}\n</tool_call>\n</tool_call>", OSLO),
        (f"<tool_call>\n{QWEN_BODY}\n{QWEN_BODY.replace('Oslo', 'Rome')}\n</tool_call>", [OSLO, ROME]),
        (f"{QWEN_BODY}\n{QWEN_BODY.replace('Oslo', 'Rome')}", [OSLO, ROME]),
        (f"<tool_call>\n{QWEN_BODY}", OSLO),
        ("<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n", OSLO),
        ("<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</tool_call>", OSLO),
        ("<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</function>\n</tool_call>", OSLO),
        ("<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</tool_call>", OSLO),
        (
            "<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n<parameter=days>\n3\n</parameter>\n"
            "</function>\n</tool_call>",
            ("get_weather", {"city": "Oslo", "days": 3}),
        ),
        (
            "<tool_call>\n<function=get_weather>\n<parameter=days>\n3\n<parameter=city>\nOslo\n</parameter>\n"
            "</function>\n</tool_call>",
            ("get_weather", {"city": "Oslo", "days": 3}),
        ),
        (
            "<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</function>\n</tool_call>\n"
            "<tool_call>\n<function=get_weather>\n<parameter=city>\nRome\n</parameter>\n</function>\n</tool_call>",
            [OSLO, ROME],
        ),
        (
            '<tool_call>\n<function name="get_weather">\n<parameter name="city">\nOslo\n'
            "</parameter>\n</function>\n</tool_call>",
            OSLO,
        ),
        ('<function name="get_weather">\n<parameter name="city">\nOslo\n</parameter>\n</function>', OSLO),
        (
            "<tool_call>\n<function=\"get_weather\">\n<parameter='city'>\nOslo\n</parameter>\n</function></tool_call>",
            OSLO,
        ),
        *(
            (
                f"<tool_call>\n<function=get_weather>\n<parameter={key}>\n{written}\n</parameter>\n"
                "<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>",
                ("get_weather", {key: value, "city": "Oslo"}),
            )
            for key, written, value in (
                ("tags", "['a', \"it's\"]", ["a", "it's"]),
                (
                    "at",
                    "{'lat': 1.5, 'deep': {'on': True, 'none': None}}",
                    {"lat": 1.5, "deep": {"on": True, "none": None}},
                ),
                ("tags", "('a', 'b')", ["a", "b"]),
                ("wet", "True", True),
                ("wet", "false", False),
                ("limit", "None", None),
                ("at", '{"a": [1, 2],}', {"a": [1, 2]}),
                ("tags", "nothing", "nothing"),
                ("note", "{'a': 1}", "{'a': 1}"),
            )
        ),
        ('<tool_call>\n<function=get_weather>\n{"city": "Oslo"}\n</function>\n</tool_call>', OSLO),
        ("<tool_call>\n<function=now>\n</function>\n</tool_call>", NOW),
        (f"<tool_call>\n{HERMES_JSON}\n</tool_call>", OSLO),
        (
            "<tool_call>\n<function=search>\n<parameter=query>\nwhat is </function> for?\n</parameter>\n"
            "</function>\n</tool_call>",
            ("search", {"query": "what is </function> for?"}),
        ),
        (
            "<tool_call>\n<function=search>\n<parameter=query>\n<parameter=other>\n</parameter>\n</function>\n"
            "</tool_call>",
            ("search", {"query": "<parameter=other>"}),
        ),
    ),
    *rows(
        "seed_oss",
        ("<function=get_weather>\n<parameter=city>Oslo</parameter>\n</function>\n</seed:tool_call>", OSLO),
        (
            "<seed:tool_call>\n<function=get_weather>\n<parameter=city>Oslo</function>\n</seed:tool_call>",
            OSLO,
        ),
    ),
    *rows(
        "glm45",
        (f"<tool_call>get_weather\n{GLM_CITY}\n</tool_call>", OSLO),
        ("<tool_call>get_weather\ncity</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>", OSLO),
        ("<tool_call>get_weather\n<arg_key>city</arg_key>\nOslo</arg_value>\n</tool_call>", OSLO),
        (f"<tool_call>get_weather\n{GLM_CITY}\n", OSLO),
        (f"<tool_call>get_weather\n{GLM_CITY}", OSLO),
        (f"<tool_call>get_weather\n{GLM_CITY}\n</tool_ca", OSLO),
        ("<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo\n</tool_call>", OSLO),
        (
            "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo\n<arg_key>days</arg_key>\n"
            "<arg_value>3</arg_value>\n</tool_call>",
            ("get_weather", {"city": "Oslo", "days": 3}),
        ),
        (f"<tool_call>get_weather\n{GLM_CITY}\n</tool_call></tool_call>", OSLO),
        (
            f"<tool_call>get_weather\n{GLM_CITY}<tool_call>get_weather\n"
            f"{GLM_CITY.replace('Oslo', 'Rome')}\n</tool_call>",
            [OSLO, ROME],
        ),
        ("<tool_call>now</tool_call>", NOW),
        ('<tool_call>get_weather\n{"city": "Oslo"}\n</tool_call>', OSLO),
        (
            f"<tool_call>get_weather{GLM_CITY}<arg_key>tags</arg_key><arg_value>['a']</arg_value></tool_call>",
            ("get_weather", {"city": "Oslo", "tags": ["a"]}),
        ),
    ),
    *rows(
        "kimi_k2",
        (KIMI_BEGIN + KIMI_CALL + KIMI_END, OSLO),
        (KIMI_BEGIN + KIMI_CALL.replace("functions.", "") + KIMI_END, OSLO),
        (KIMI_CALL, OSLO),
        (f"I look. {KIMI_CALL}", OSLO, "I look."),
        (f"I look.{KIMI_CALL}{KIMI_END}", OSLO, "I look."),
        (
            KIMI_BEGIN
            + KIMI_CALL.replace("functions.get_weather:0", " functions.get_weather : 0 \n")
            + KIMI_END,
            OSLO,
        ),
        (KIMI_BEGIN.replace("calls", "call") + KIMI_CALL + KIMI_END.replace("calls", "call"), OSLO),
        (KIMI_BEGIN + KIMI_CALL.replace(":0", "") + KIMI_END, OSLO),
        (KIMI_BEGIN + KIMI_CALL.replace("functions.get_weather:0", "functionsget_weather5") + KIMI_END, OSLO),
        (
            KIMI_BEGIN + KIMI_CALL.replace("functions.get_weather:0", "functions_get_weather_1") + KIMI_END,
            OSLO,
        ),
        (
            f"{KIMI_BEGIN}<|tool_call_begin|>functions.now:0<|tool_call_argument_begin|><|tool_call_end|>{KIMI_END}",
            NOW,
        ),
        (
            KIMI_BEGIN + KIMI_CALL + KIMI_CALL.replace(":0", ":1").replace("Oslo", "Rome") + KIMI_END,
            [OSLO, ROME],
        ),
        (KIMI_BEGIN + KIMI_CALL.replace("<|tool_call_end|>", "") + KIMI_END, OSLO),
        (KIMI_BEGIN + KIMI_CALL, OSLO),
        (KIMI_BEGIN + KIMI_CALL.replace("<|tool_call_argument_begin|>", "") + KIMI_END, OSLO),
        (f"{KIMI_BEGIN}\n{KIMI_CALL}\n{KIMI_END}", OSLO),
    ),
    *rows(
        "deepseek_v3",
        (V3_BEGIN + V3_CALL + V3_END, OSLO),
        (V3_CALL + V3_END, OSLO),
        (V3_CALL, OSLO),
        (V3_BEGIN + V31_CALL + V3_END, OSLO),
        (V3_BEGIN + V3_CALL.replace("```json\n", "").replace("\n```", "") + V3_END, OSLO),
        (V3_BEGIN + V3_CALL + "\n" + V3_CALL.replace("Oslo", "Rome") + V3_END, [OSLO, ROME]),
        (f"I look.{V3_CALL}", OSLO, "I look."),
    ),
    *rows(
        "deepseek_v31",
        (V3_BEGIN + V31_CALL + V3_END, OSLO),
        (V31_CALL, OSLO),
        (V3_BEGIN + V3_CALL + V3_END, OSLO),
        (V3_BEGIN + V31_CALL.replace("<｜tool▁sep｜>", "") + V3_END, OSLO),
        (V3_BEGIN + V31_CALL.replace("<｜tool▁call▁end｜>", "") + V3_END, OSLO),
        (V3_BEGIN + V31_CALL.replace('{"city": "Oslo"}', '```json\n{"city": "Oslo"}\n```') + V3_END, OSLO),
        (V32, OSLO),
    ),
    *rows(
        "deepseek_v32",
        (V32, OSLO),
        (V4, OSLO),
        (DSML_INVOKE, OSLO),
        (f"{DSML_INVOKE}\n</｜DSML｜function_calls>", OSLO),
        (V3_BEGIN + V31_CALL + V3_END, OSLO),
        (V32.replace(' string="true"', ""), OSLO),
        (V32.replace(DSML_PARAMETER, '{"city": "Oslo"}'), OSLO),
        (V32.replace('"get_weather"', "get_weather").replace('"city"', "'city'"), OSLO),
        (V32.replace("</｜DSML｜parameter>", ""), OSLO),
        (
            V32.replace(
                DSML_PARAMETER, DSML_PARAMETER + '\n<｜DSML｜parameter name="days">3</｜DSML｜parameter>'
            ),
            ("get_weather", {"city": "Oslo", "days": 3}),
        ),
    ),
    *rows(
        "deepseek_v4",
        (V4, OSLO),
        (V32, OSLO),
        (
            '<｜DSML｜ calls>\n<｜DSML｜ invoke name="get_weather">\n<｜DSML｜ parameter name="city" '
            'string="true">Oslo</｜DSML｜ parameter>\n</｜DSML｜ invoke>\n</｜DSML｜ calls>',
            OSLO,
        ),
        (DSML_INVOKE + "\n" + DSML_INVOKE.replace("Oslo", "Rome"), [OSLO, ROME]),
    ),
    *rows(
        "minimax_m2",
        (f"<minimax:tool_call>\n{INVOKE}\n</minimax:tool_call>", OSLO),
        (f"<minimax:tool_call>\n{INVOKE.replace(chr(34), '')}\n</minimax:tool_call>", OSLO),
        (f"<minimax:tool_call>\n{INVOKE.replace(chr(34), chr(39))}\n</minimax:tool_call>", OSLO),
        (f"{INVOKE}\n</minimax:tool_call>", OSLO),
        (f"I look.\n{INVOKE}", OSLO, "I look."),
        (
            f"<minimax:tool_call>\n{INVOKE}\n{INVOKE.replace('Oslo', 'Rome')}\n</minimax:tool_call>",
            [OSLO, ROME],
        ),
        (f"<minimax:tool_call>\n{INVOKE.replace('</parameter>', '')}\n</minimax:tool_call>", OSLO),
        (f"<minimax:tool_call>\n{INVOKE.replace('</invoke>', '')}\n</minimax:tool_call>", OSLO),
        (f"<minimax:tool_call>\n{INVOKE}", OSLO),
    ),
    *rows(
        "mistral",
        ('[TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}', OSLO),
        ('[TOOL_CALLS]get_weather{"city": "Oslo"}', OSLO),
        ('[TOOL_CALLS]get_weather\n{"city": "Oslo"}', OSLO),
        ('[TOOL_CALLS]\nget_weather\n[ARGS]\n{"city": "Oslo"}\n', OSLO),
        (f"[TOOL_CALLS][{HERMES_JSON}]", OSLO),
        (f"[TOOL_CALLS] [{HERMES_JSON}]", OSLO),
        (f"[TOOL_CALLS]\n[\n{HERMES_JSON}\n]", OSLO),
        (f"[TOOL_CALLS]{HERMES_JSON}", OSLO),
        (
            '[TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}[TOOL_CALLS]get_weather[ARGS]{"city": "Rome"}',
            [OSLO, ROME],
        ),
        ('[TOOL_CALLS]get_weather[CALL_ID]abcdefghi[ARGS]{"city": "Oslo"}', OSLO),
        ("[TOOL_CALLS]get_weather[ARGS]{'city': 'Oslo'}", OSLO),
        ("[TOOL_CALLS]now[ARGS]null", NOW),
        (f"[TOOL_CALLS][{HERMES_JSON}, {HERMES_JSON.replace('Oslo', 'Rome')}]", [OSLO, ROME]),
    ),
    *rows(
        "mistral_list",
        (f"[TOOL_CALLS][{HERMES_JSON}]", OSLO),
        (f'[TOOL_CALLS] [{HERMES_JSON[:-1]}, "id": "abcdefghi"}}]', OSLO),
        ('[TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}', OSLO),
        ('[TOOL_CALLS]get_weather{"city": "Oslo"}', OSLO),
        (f"[TOOL_CALLS][{HERMES_JSON}", OSLO),
        ("[TOOL_CALLS][{'name': 'get_weather', 'arguments': {'city': 'Oslo'}}]", OSLO),
    ),
    *rows(
        "openai",
        (f"<|channel|>commentary {TO} <|constrain|>json{HARMONY_BODY}", OSLO),
        (f" {TO}<|channel|>commentary json{HARMONY_BODY}", OSLO),
        (f"<|start|>assistant {TO}<|channel|>commentary{HARMONY_BODY}", OSLO),
        (f"<|start|>functions.get_weather<|channel|>commentary json{HARMONY_BODY}", OSLO),
        (f"<|channel|>commentary<|channel|>commentary {TO} json{HARMONY_BODY}", OSLO),
        (
            f"<|channel|>commentary {TO}<|channel|>commentary <|constrain|>json{HARMONY_BODY}",
            OSLO,
        ),
        (
            f"<|channel|>analysis<|channel|>commentary {TO} <|constrain|>json{HARMONY_BODY}",
            OSLO,
        ),
        ("<|channel|>commentary to=functions.now <|constrain|>json<|message|><|call|>", NOW),
        ("<|channel|>commentary to=functions.now <|constrain|>json<|message|>", NOW),
        ("<|channel|>commentary to=functions.now<|message|>null<|call|>", NOW),
        (f"<|channel|>commentary to=get_weather{HARMONY_BODY}", OSLO),
        ("<|channel|>commentary to=functions.get_weather<|message|>{'city': 'Oslo'}<|call|>", OSLO),
        ('<|channel|>commentary to=functions.get_weather<|message|>{"city": "Oslo"<|call|>', OSLO),
    ),
    *rows(
        "llama3_json",
        ('{"name": "get_weather", "parameters": {"city": "Oslo"}}', OSLO),
        ('[{"name": "get_weather", "parameters": {"city": "Oslo"}}]', OSLO),
        (
            '[{"name": "get_weather", "parameters": {"city": "Oslo"}}, '
            '{"name": "get_weather", "parameters": {"city": "Rome"}}]',
            [OSLO, ROME],
        ),
        ('<function=get_weather>{"city": "Oslo"}</function>', OSLO),
        ('I look.\n<function=get_weather>{"city": "Oslo"}</function>', OSLO, "I look."),
        ('{"function": "get_weather", "parameters": {"city": "Oslo"}}', OSLO),
        ('{"type": "function", "name": "get_weather", "parameters": {"city": "Oslo"}}', OSLO),
        ('{"type": "function", "function": {"name": "get_weather", "parameters": {"city": "Oslo"}}}', OSLO),
        ('<|python_tag|>{"name": "get_weather", "parameters": {"city": "Oslo"}}', OSLO),
        ('{"name": "get_weather", "parameters": {"city": "Oslo"}}}', OSLO),
        ('{"name": "get_weather", "parameters": {"city": "Oslo"}', OSLO),
        ('{"name": "get_weather", "parameters": "{\\"city\\": \\"Oslo\\"}"}', OSLO),
        ("{'name': 'get_weather', 'parameters': {'city': 'Oslo'}}", OSLO),
        (
            '{"name": "get_weather", "parameters": {"city": "Oslo"}}; {"name": "now", "parameters": {}}',
            [OSLO, NOW],
        ),
        (
            '{"name": "get_weather", "parameters": {"city": "Oslo"}}\n{"name": "now", "parameters": null}',
            [OSLO, NOW],
        ),
    ),
    *rows(
        "granite",
        (f"<|tool_call|>[{HERMES_JSON}]", OSLO),
        ("<|tool_call|>[{'name': 'get_weather', 'arguments': {'city': 'Oslo'}}]", OSLO),
        (f"<|tool_call|>\n```json\n[{HERMES_JSON}]\n```", OSLO),
    ),
    *rows("nemotron_json", (f"<TOOLCALL>[{HERMES_JSON}</TOOLCALL>", OSLO)),
    *rows("internlm", (f"<|action_start|><|plugin|>{HERMES_JSON}}}<|action_end|>", OSLO)),
]

PROSE: list[tuple[str, str]] = [
    ("hermes", '{"city": "Oslo"}'),
    ("hermes", HERMES_JSON),  # without either tag it may be the answer
    ("hermes", f"{HERMES_JSON}\nThat is how a call looks.</tool_call>"),
    ("hermes", f"```json\n{HERMES_JSON}\n</tool_call>\n```"),
    ("hermes", f"Like this: {HERMES_JSON}\n</tool_call>"),
    ("hermes", '{"name": "unknown", "arguments": {}}\n</tool_call>'),
    ("hermes", '<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>'),
    ("hermes", '<tool_call>\n{"name": "get_weather", "arguments": [1]}\n</tool_call>'),
    ("hermes", '<tool_call>\n{"name": "get_weather", "arguments": "Oslo"}\n</tool_call>'),
    ("hermes", '<tool_call>\n{"name": "unknown", "arguments": {"city": "Oslo"}}\n</tool_call>'),
    ("hermes", "<tool_call>\n{'name': 'search', 'arguments': {'query': 'it's'}}\n</tool_call>"),
    ("hermes", 'A line:\n{\n  "name": "x",\n  "rows": [\n    {"name": "get_weather"}\n  ]\n}\n'),
    ("hermes", "<tool_call> and </tool_call> are the tags."),
    ("hermes", "The end tag is </tool_call>."),
    ("hermes", '{"name": "get_weather", "description": "The weather of a city."}'),
    ("qwen3_coder", "Write `<function=get_weather>` first."),
    ("qwen3_coder", f"So:\n```xml\n{QWEN_BODY}\n```\nDone."),
    ("qwen3_coder", "So:\n~~~\n<tool_call>\n<function=...>\n</function>\n</tool_call>\n~~~"),
    ("qwen3_coder", "<function=unknown>\n<parameter=city>\nOslo\n</parameter>\n</function>"),
    ("qwen3_coder", "<function=get_weather>"),
    ("qwen3_coder", "<function=get_weather> is the first line of a call.\n"),
    ("qwen3_coder", "<function=get_weather>\n<parameter=city>\nOslo"),
    ("qwen3_coder", "<functional> tests\n<function>\n"),
    ("qwen3_coder", "Bye.\n</tool_call>"),
    ("glm45", "<tool_call>get_weatherman</tool_call>"),
    ("glm45", "<tool_call>unknown\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>"),
    ("kimi_k2", KIMI_CALL.replace("get_weather", "unknown")),
    (
        "kimi_k2",
        "<|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>Oslo<|tool_call_end|>",
    ),
    ("kimi_k2", "<|tool_call_begin|> " + "get_weather " * 60),
    ("deepseek_v3", V3_CALL.replace("get_weather", "unknown")),
    ("deepseek_v32", DSML_INVOKE.replace("get_weather", "unknown")),
    ("deepseek_v32", '<｜DSML｜invoke name="get_weather"'),
    ("minimax_m2", 'The tag <invoke name="get_weather"> begins a call.'),
    ("minimax_m2", f"```xml\n{INVOKE}\n```"),
    ("mistral", "[TOOL_CALLS]get_weather is a tool."),
    ("mistral", '[TOOL_CALLS][{"name": "unknown", "arguments": {}}]'),
    ("mistral", '[{"name": "get_weather", "arguments": {}}]'),
    ("llama3_json", '{"name": "Oslo", "population": 700000}'),
    ("llama3_json", '{"name": "get_weather", "description": "The weather of a city."}'),
    ("llama3_json", '[{"name": "get_weather", "description": "The weather."}]'),
    ("llama3_json", "[1, 2, 3]"),
    ("llama3_json", "[A link](https://example.org)"),
    ("llama3_json", "So it is: <function=get_weather>{}</function>"),
    ("llama3_json", '```\n<function=get_weather>{"city": "Oslo"}</function>\n```'),
    ("openai", "<|channel|>commentary to=functions.get_weather<|message|>Oslo"),
]

ids = [f"{family}-{number}" for number, (family, *_) in enumerate(CALLS)]


def parser(family: str, *, streams: bool) -> AnswerParser:
    tool_format = tool_format_named(family)
    assert tool_format is not None
    names = tuple(tool.name for tool in TOOLS)
    reasoning = ReasoningReading(
        reasoning_format=HARMONY_CHANNELS, start=ReasoningStart.POSSIBLE, is_content=False, tools=names
    )
    return AnswerParser(
        AnswerFormat(
            tools=ToolReading(tool_format=tool_format, tools=TOOLS, streams=streams),
            reasoning=reasoning if family == "openai" else None,
        ),
        lambda name: f"id of {name}",
    )


def read(
    family: str, pieces: list[str], *, streams: bool, is_cut: bool = False
) -> tuple[str, list[ToolCallDelta], int]:
    answer_parser = parser(family, streams=streams)
    answer = AnswerText()
    for piece in pieces:
        answer += answer_parser.feed(piece)
    answer += answer_parser.finish(is_cut=is_cut)
    return answer.content, list(join_pieces(answer.calls)), answer_parser.num_calls


def splits(text: str) -> Iterator[list[str]]:
    """Yield the text whole, by characters, and in pieces of random lengths."""
    yield [text]
    yield list(text)
    draw = random.Random(text)
    for longest in (3, 8, 24):
        pieces, at = [], 0
        while at < len(text):
            length = draw.randint(1, longest)
            pieces.append(text[at : at + length])
            at += length
        yield pieces


@pytest.mark.parametrize(("family", "text", "calls", "content"), CALLS, ids=ids)
def test_what_can_mean_only_one_call_is_that_call(
    family: str, text: str, calls: list[tuple[str, object]], content: str
) -> None:
    for pieces, streams in product(splits(text), (False, True)):
        found_content, found, num_calls = read(family, pieces, streams=streams)
        assert [(call.name, json.loads(call.arguments)) for call in found] == calls, (pieces, found_content)
        assert found_content == content, pieces
        assert [call.index for call in found] == list(range(len(calls))) and num_calls == len(calls)
        assert all(call.id for call in found)


@pytest.mark.parametrize(("family", "text"), PROSE)
def test_what_could_be_prose_stays_content_to_the_letter(family: str, text: str) -> None:
    # Calls of Llama's format stream only where a grammar demands them.
    streaming = (False,) if family == "llama3_json" else (False, True)
    for pieces, streams in product(splits(text), streaming):
        content, calls, num_calls = read(family, pieces, streams=streams)
        assert (content, calls, num_calls) == (text, [], 0), pieces


@pytest.mark.parametrize(
    ("family", "text"),
    [
        ("hermes", '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Os'),
        ("hermes", '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"'),
        ("qwen3_coder", "<tool_call>\n<function=get_weather>\n<parameter=city>\nOs"),
        (
            "glm45",
            "<tool_call>get_weather\n<arg_key>days</arg_key>\n<arg_value>3</arg_value>\n",
        ),  # lacks its city
        ("openai", "<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>"),
    ],
)
def test_a_call_that_breaks_off_by_itself_is_content_where_it_was_held_back(family: str, text: str) -> None:
    for pieces in splits(text):
        assert read(family, pieces, streams=False) == (text, [], 0), pieces


@pytest.mark.parametrize(
    ("family", "text"),
    [
        ("hermes", '{"name": "get_weather", "arguments": {"city": "Oslo"'),
        ("hermes", HERMES_JSON),
        ("qwen3_coder", "<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n"),
        ("kimi_k2", '<|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Os'),
        ("deepseek_v32", DSML_INVOKE[:-40]),
        ("minimax_m2", INVOKE[:-20]),
    ],
)
def test_a_call_without_its_marker_that_is_cut_at_the_limit_is_content(family: str, text: str) -> None:
    for pieces, streams in product(splits(text), (False, True)):
        assert read(family, pieces, streams=streams, is_cut=True) == (text, [], 0), pieces


@pytest.mark.parametrize("streams", [False, True])
def test_calls_in_thoughts_stay_thoughts_and_those_after_them_are_calls(streams: bool) -> None:
    tool_format = tool_format_named("qwen3_coder")
    assert tool_format is not None
    answer_format = AnswerFormat(
        tools=ToolReading(tool_format=tool_format, tools=TOOLS, streams=streams),
        reasoning=ReasoningReading(reasoning_format=THINK, start=ReasoningStart.OPEN, is_content=False),
    )
    text = f"Perhaps:\n{QWEN_BODY}\nor not.\n</think>\n\n{QWEN_BODY}\n</tool_call>"
    for pieces in splits(text):
        answer_parser, answer = AnswerParser(answer_format), AnswerText()
        for piece in pieces:
            answer += answer_parser.feed(piece)
        answer += answer_parser.finish()
        assert (answer.reasoning, answer.content) == (f"Perhaps:\n{QWEN_BODY}\nor not.", "")
        assert len(join_pieces(answer.calls)) == answer_parser.num_calls == 1


def test_a_call_that_began_as_prose_has_the_next_index_and_keeps_its_id() -> None:
    answer_parser = parser("qwen3_coder", streams=True)
    seen: list[ToolCallDelta] = []
    for character in f"<tool_call>\n{QWEN_BODY}\n</tool_call>\n{QWEN_BODY}\n{QWEN_BODY}\nDone.":
        seen += answer_parser.feed(character).calls
    begun = [(call.index, call.id) for call in seen if call.name]
    assert begun == [(index, "id of get_weather") for index in range(3)]
    assert all(call.id is None for call in seen if not call.name)
    assert [call.index for call in seen] == sorted(call.index for call in seen)


def num_steps(family: str, text: str, *, streams: bool) -> int:
    """Return how many functions are called while the text is read in small pieces."""
    answer_parser, steps = parser(family, streams=streams), 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal steps
        steps += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        for at in range(0, len(text), 3):
            answer_parser.feed(text[at : at + 3])
        answer_parser.finish()
    finally:
        sys.setprofile(None)
    return steps


@pytest.mark.parametrize(
    ("family", "block"),
    [
        ("hermes", '\n{"name": "get_weather", "arguments": {"a": '),
        ("hermes", "\n{"),
        ("hermes", "<tool_call>```"),
        ("hermes", '<tool_call>{"name": "get_weather", "arguments": {"a":'),
        ("hermes", "<tool_call><function=get_weather>"),
        ("qwen3_coder", "<function=get_weather>\n<parameter=city>\n"),
        ("qwen3_coder", "<tool_call>\n<function=get_weather>\n<parameter=city>\n</function>\n"),
        ("glm45", "<tool_call>get_weather<arg_key>city</arg_key><arg_value>x"),
        ("kimi_k2", "<|tool_call_begin|>functions.get_weather:0"),
        ("deepseek_v32", '<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city">x'),
        ("mistral", '[TOOL_CALLS]get_weather[ARGS]{"a":['),
        ("llama3_json", '[{"name": "get_weather", "parameters": {"a":'),
    ],
)
@pytest.mark.parametrize("streams", [False, True])
def test_reading_twice_the_text_takes_about_twice_the_steps(
    family: str, block: str, streams: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The bound is reached soon, so that short texts show that there is one.
    monkeypatch.setattr("handlers.chat.tool_calls.parser._MAX_REREAD", 2_000)
    once, twice = (num_steps(family, block * number, streams=streams) for number in (60, 120))
    assert twice < 2.5 * once


@pytest.mark.parametrize("streams", [False, True])
def test_blanks_without_end_are_not_looked_at_again_for_each_token(streams: bool) -> None:
    """Models in a loop write them; 40,000 took 11 seconds."""
    text = " \n" * 20_000
    started = time.process_time()
    assert read("hermes", [text[at : at + 3] for at in range(0, len(text), 3)], streams=streams)[0] == text
    assert time.process_time() - started < 5


def test_what_follows_a_fault_in_a_call_that_streams_is_content_however_it_is_cut() -> None:
    text = '<tool_call>\n{"name": "get_weather", "arguments": {"city": Oslo"}}\n</tool_call>'
    for pieces in splits(text):
        content, [call], num_calls = read("hermes", pieces, streams=True)
        assert (content, call.arguments, num_calls) == ('Oslo"}}\n</tool_call>', '{"city": ', 0)


@pytest.mark.parametrize("family", ["hermes", "llama3_json"])
@pytest.mark.parametrize(
    "begin", ['{"city', '{"type": "report"', '{"id": 5, "text": ', '{"name": "Oslo"', "[1,", "{\n"]
)
def test_an_answer_of_json_is_held_back_only_while_it_may_become_a_call(family: str, begin: str) -> None:
    answer_parser = parser(family, streams=False)
    assert answer_parser.feed(begin + " and so on").content == begin + " and so on"
