"""The grammar of a family takes what its chat template renders of a call, token for token."""

import json
import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import pytest

from engine.grammar.compiler import GrammarCompiler
from engine.port.errors import GenerationFailed
from engine.port.text.tokenizer import Tokenizer
from handlers.chat.answer_grammar import answer_grammar
from handlers.chat.messages import ChatMessage
from handlers.chat.prompt.dialect import Dialect
from handlers.chat.reading.answer_parser import ReasoningReading
from handlers.chat.tool_calls.formats.registry import TOOL_FORMATS, tool_format_of
from handlers.chat.tool_calls.use import ToolUse
from handlers.chat.tools import ToolCall, ToolDefinition, ToolMode
from tests.unit.handlers.chat.models import chat_tokenizer
from tests.unit.handlers.chat.tool_calls.templates import TEMPLATES
from tests.unit.handlers.chat.tool_calls.tool_cases import parser, read

PLACE = {"type": "object", "properties": {"at": {"type": "string"}, "on": {"type": "boolean"}}}
TOOLS = (
    ToolDefinition(name="get_time"),
    ToolDefinition(
        name="find",
        parameters={
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "days": {"type": "integer"},
                "near": {"type": "array", "items": {"type": "string"}},
                "place": PLACE,
                "soon": {"type": "boolean"},
            },
            "required": ["city"],
        },
    ),
)
ALL = {"city": "Oslo", "days": 3, "near": ["a b", "c"], "place": {"at": "x", "on": True}, "soon": False}
CALLS: list[Sequence[tuple[str, dict[str, object]]]] = [
    [("get_time", {})],
    [("find", {"city": "Zürich"})],
    [("find", {"city": "Oslo", "days": 3})],
    [("find", ALL)],
    [("find", {"city": "Oslo"}), ("get_time", {}), ("find", {"city": "Rome", "days": 1})],
]
CLOSING = re.compile("(?:<\\|im_end\\|>|</s>|<\\|eot_id\\|>|<｜end▁of▁sentence｜>)$")
SINGLE = {"openai", "llama3_json"}  # their templates take one call of a message


class Taught(NamedTuple):
    """A tokenizer whose tokens are bytes and the family's tags, and what its template implies."""

    tokenizer: Tokenizer
    dialect: Dialect


@cache
def taught(family: str) -> Taught:
    tags = Dialect.of(chat_tokenizer(TEMPLATES[family]).hf).tools.tool_format.tags
    tokens = sorted({text.strip() for text in tags if len(text.strip()) > 3})
    tokenizer = chat_tokenizer(TEMPLATES[family], placeholders=tokens)
    return Taught(tokenizer, Dialect.of(tokenizer.hf))


def rendered(dialect: Dialect, content: str, calls: Sequence[tuple[str, dict[str, object]]]) -> str:
    """Return the text that the template writes for an answer with these calls."""
    user = ChatMessage(role="user", content="Go.")
    made = tuple(
        ToolCall(id=f"call_{at}", name=name, arguments=json.dumps(arguments, ensure_ascii=False))
        for at, (name, arguments) in enumerate(calls)
    )
    answer = ChatMessage(role="assistant", content=content, tool_calls=made)
    messages, tools = dialect.tools.conversation((user, answer), TOOLS)
    prompt = dialect.template.render([user], tools=tools)
    text = dialect.template.render(messages, tools=tools, add_generation_prompt=False)
    assert text.startswith(prompt)
    return CLOSING.sub("", text.removeprefix(prompt))


def cases(family: str) -> list[Sequence[tuple[str, dict[str, object]]]]:
    return [calls for calls in CALLS if len(calls) == 1 or family not in SINGLE]


@pytest.mark.parametrize("mode", [ToolMode.AUTO, ToolMode.REQUIRED])
@pytest.mark.parametrize("family", TEMPLATES)
def test_what_a_template_renders_of_a_call_its_grammar_takes(family: str, mode: ToolMode) -> None:
    tokenizer, dialect = taught(family)
    assert dialect.tools.shows_calls
    use = ToolUse(mode=mode, tools=TOOLS)
    tool_format, reasoning = dialect.tools.format_for(use), None
    if dialect.reasoning_format is not None:
        start = dialect.reasoning_format.start("")
        reasoning = ReasoningReading(reasoning_format=dialect.reasoning_format, start=start, is_content=False)
    grammar = answer_grammar(use, tool_format, None, reasoning, parallel=True)
    if grammar is None:  # nothing is masked
        assert mode is ToolMode.AUTO and not tool_format.is_marked
        return
    compiled = GrammarCompiler(tokenizer).compile(grammar)
    for calls in cases(family):
        for content in ("", "I look.") if mode is ToolMode.AUTO else ("",):
            text = rendered(dialect, content, calls)
            state, ids = compiled.start(()), tokenizer.encode(text, add_special_tokens=False)
            for at, token in enumerate([*ids, *tokenizer.end_token_ids]):
                try:
                    state.accept(token)
                except GenerationFailed:
                    before = tokenizer.decode(ids[:at], skip_special_tokens=False)
                    pytest.fail(f"masked after {before!r} of {text!r}")


@pytest.mark.parametrize("family", sorted(set(TEMPLATES) - {"openai"}))  # its headers are read elsewhere
def test_what_a_template_renders_of_a_call_is_read_as_that_call(family: str) -> None:
    dialect = taught(family).dialect
    schemas = {tool.name: dict(tool.parameters or {}) for tool in TOOLS}
    for calls in cases(family):
        text = rendered(dialect, "", calls).replace("<think></think>", "")
        for streams in (False, True):
            content, made = read(parser(dialect.tools.tool_format, schemas, streams=streams), text)
            assert (content.strip(), [(call.name, json.loads(call.arguments)) for call in made]) == (
                "",
                calls,
            )


def test_every_family_has_a_template_here() -> None:
    without = {"deepseek_v41", "pythonic"}  # no published template of theirs writes calls
    told = {known.name for template in TEMPLATES.values() if (known := tool_format_of(template))}
    assert told | without == {known.name for known in TOOL_FORMATS}
