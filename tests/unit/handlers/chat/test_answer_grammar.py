"""The grammars compile, and a model that follows their masks blindly can write nothing else than what they
say.
"""

import json
import random
from collections.abc import Sequence
from typing import Final

import jsonschema_rs
import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from engine.grammar.bitmask import new_bitmask
from engine.grammar.compiler import GrammarCompiler
from engine.grammar.matcher import GrammarMatcher
from engine.port.errors import GenerationFailed, InvalidGrammar
from engine.port.request import Grammar, GrammarKind
from handlers.chat.answer_grammar import answer_grammar
from handlers.chat.delta import join_pieces
from handlers.chat.reading.answer_parser import (
    AnswerFormat,
    AnswerParser,
    AnswerText,
    ReasoningReading,
    ToolReading,
)
from handlers.chat.reading.channels import HARMONY_CHANNELS
from handlers.chat.reading.reasoning import ReasoningFormat, ReasoningStart
from handlers.chat.reading.tag_pair import THINK
from handlers.chat.structured_output.response_format import AnyJsonObject, JsonSchema, Regex, ResponseFormat
from handlers.chat.tool_calls.formats.harmony import HARMONY
from handlers.chat.tool_calls.formats.registry import HERMES, LLAMA_JSON, QWEN_CODER, TOOL_FORMATS
from handlers.chat.tool_calls.tool_format import ToolFormat
from handlers.chat.tool_calls.use import ToolUse
from handlers.chat.tools import ToolDefinition, ToolMode
from tests.support.selection.effort import trials
from tests.unit.handlers.chat.formats import FIRST_OF_KINDS
from tests.unit.handlers.chat.models import chat_tokenizer

CITY = {
    "type": "object",
    "properties": {
        "city": {"$ref": "#/$defs/City"},
        "unit": {"enum": ["C", "F"]},
        "days": {"type": "integer"},
    },
    "required": ["city", "unit"],
    "$defs": {"City": {"type": "string", "maxLength": 12}},
}
TOOLS = (
    ToolDefinition(name="get_weather", parameters=CITY),
    ToolDefinition(name='say "hi" 100 %s'),
    ToolDefinition(
        name="get_forecast", parameters={key: CITY[key] for key in ("properties", "required", "$defs")}
    ),
)
TOKENIZER = chat_tokenizer()
END = TOKENIZER.end_token_ids[0]
COMPILER = GrammarCompiler(TOKENIZER)
ASCII = np.array([TOKENIZER.token_text(token).isascii() for token in range(TOKENIZER.vocab_size)])
CLOSING = [END, *TOKENIZER.encode('"}</tool_call></think>', add_special_tokens=False)]


def start(grammar: Grammar | None) -> GrammarMatcher:
    assert grammar is not None and grammar.kind is GrammarKind.STRUCTURAL_TAG
    return COMPILER.compile(grammar).start(())


def accepts(grammar: Grammar | None, text: str) -> bool:
    """Return whether the grammar lets a model write this and end there."""
    state = start(grammar)
    try:
        for token in [*TOKENIZER.encode(text, add_special_tokens=False), END]:
            state.accept(token)
    except GenerationFailed:
        return False
    return True


def allowed_tokens(state: GrammarMatcher) -> NDArray[np.bool_]:
    row = new_bitmask(1, state.vocab_size)[0]
    state.fill(row)
    bits = np.unpackbits(row.numpy().view(np.uint8), bitorder="little")
    return bits[: TOKENIZER.vocab_size].astype(np.bool_)


def blind_walk(grammar: Grammar | None, seed: int) -> str:
    """Return the text of a model that knows nothing but the mask and hurries to end."""
    state, rng, tokens = start(grammar), random.Random(seed), list[int]()
    while len(tokens) < 2000:
        allowed = allowed_tokens(state)
        hurried = [token for token in CLOSING if allowed[token]]
        readable = np.flatnonzero(allowed & ASCII).tolist() or np.flatnonzero(allowed).tolist()
        token = rng.choice(hurried if hurried and rng.random() < 0.4 else readable)
        state.accept(token)
        if token == END:
            return TOKENIZER.decode(tokens, skip_special_tokens=True)
        tokens.append(token)
    raise AssertionError("the walk does not end")


def use(mode: ToolMode, tools: Sequence[ToolDefinition] = TOOLS) -> ToolUse:
    return ToolUse(mode=mode, tools=tuple(tools))


def thoughts(thinking: ReasoningStart, reasoning_format: ReasoningFormat = THINK) -> ReasoningReading:
    return ReasoningReading(reasoning_format=reasoning_format, start=thinking, is_content=False)


def read(
    text: str,
    tool_format: ToolFormat = HERMES,
    thinking: ReasoningStart = ReasoningStart.CLOSED,
    tools: tuple[ToolDefinition, ...] = TOOLS,
) -> AnswerText:
    reading = ToolReading(tool_format=tool_format, tools=tools, streams=True)
    reasoning = thoughts(thinking)
    if tool_format is HARMONY:  # its calls are messages like others
        reasoning = thoughts(ReasoningStart.POSSIBLE, HARMONY_CHANNELS)
    parser = AnswerParser(AnswerFormat(tools=reading, reasoning=reasoning), lambda name: "id")
    answer = parser.feed(text) + parser.finish()
    return replace(answer, calls=join_pieces(answer.calls))


def check_calls(answer: AnswerText) -> None:
    assert answer.content == "" and answer.calls
    for call in answer.calls:
        [tool] = [tool for tool in TOOLS if tool.name == call.name]
        jsonschema_rs.validate(dict(tool.parameters or {"maxProperties": 0}), json.loads(call.arguments))


@pytest.mark.parametrize("seed", range(trials(1, whole=6)))
@pytest.mark.parametrize("tool_format", TOOL_FORMATS, ids=lambda known: known.name)
def test_a_required_call_is_a_call_and_nothing_else(tool_format: ToolFormat, seed: int) -> None:
    grammar = answer_grammar(use(ToolMode.REQUIRED), tool_format, None, None, parallel=True)
    check_calls(read(blind_walk(grammar, seed), tool_format))


VALUES: dict[str, dict[str, object]] = {
    "short": {"type": "string", "minLength": 2, "maxLength": 3},
    "choice": {"enum": ["a b", "it's", 'x"y']},
    "tagged": {"enum": ["<b>", "</parameter>", "</arg_value>"]},
    "mixed": {"enum": ["a", 1, None]},
    "one": {"const": "only"},
    "pattern": {"type": "string", "pattern": "^[a-c]{1,3}$"},
    "date": {"type": "string", "format": "date"},
    "flag": {"type": "boolean"},
    "number": {"type": "integer", "minimum": -3, "maximum": 12},
    "maybe": {"anyOf": [{"$ref": "#/$defs/Short"}, {"type": "null"}]},
    "list": {"type": "array", "items": {"$ref": "#/$defs/Short"}, "minItems": 1, "maxItems": 2},
    "nested": {
        "type": "object",
        "properties": {"on": {"type": "boolean"}, "at": {"$ref": "#/$defs/Short"}},
        "required": ["on"],
    },
}
DEFINITIONS = {"Short": {"type": "string", "maxLength": 3}}
SCHEMAS: dict[str, dict[str, object]] = {
    **{name: {"properties": {"a": value}, "required": ["a"]} for name, value in VALUES.items()},
    "optional": {"properties": {"a": {"type": "boolean"}, "b": VALUES["short"], "c": VALUES["number"]}},
    "some": {"properties": {"a": VALUES["flag"], "b": VALUES["short"]}, "required": ["b"]},
    "names": {"properties": {"a b": VALUES["flag"], "for": VALUES["one"]}, "required": ["a b", "for"]},
    "map": {"additionalProperties": VALUES["short"], "minProperties": 1, "maxProperties": 2},
    "recursive": {"properties": {"a": VALUES["flag"], "b": {"$ref": "#"}}, "required": ["a"]},
    "many": {"properties": {f"p{at}": VALUES["flag"] for at in range(9)}},
    "none": {"properties": {}},
}


# The first format of each kind has every schema, each other one has one of them.
_WRITTEN: Final = [
    pytest.param(known, schema, id=f"{known.name}-{name}", marks=() if is_usual else pytest.mark.long)
    for number, known in enumerate(TOOL_FORMATS)
    for place, (name, schema) in enumerate(SCHEMAS.items())
    for is_usual in [known in FIRST_OF_KINDS or place == number % len(SCHEMAS)]
]


@pytest.mark.parametrize(("tool_format", "schema"), _WRITTEN)
def test_arguments_of_a_demanded_call_are_valid_whatever_the_schema(
    tool_format: ToolFormat, schema: dict[str, object]
) -> None:
    tool = ToolDefinition(name="f", parameters={"type": "object", "$defs": DEFINITIONS} | schema)
    grammar = answer_grammar(use(ToolMode.NAMED, [tool]), tool_format, None, None, parallel=True)
    for seed in range(trials(1, whole=3)):
        text = blind_walk(grammar, seed)
        answer = read(text, tool_format, tools=(tool,))
        assert (answer.content, len(answer.calls)) == ("", 1), text
        jsonschema_rs.validate(dict(tool.parameters or {}), json.loads(answer.calls[0].arguments))


@pytest.mark.parametrize("tool_format", TOOL_FORMATS, ids=lambda known: known.name)
def test_a_string_may_be_any_text(tool_format: ToolFormat) -> None:
    parameters = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    tools = [ToolDefinition(name="f", parameters=parameters)]
    grammar = answer_grammar(use(ToolMode.REQUIRED, tools), tool_format, None, None, parallel=True)
    for text in ("", "a", "Zürich\n", "<b>&amp;", '"{[('):
        assert accepts(grammar, tool_format.write("f", json.dumps({"a": text}, ensure_ascii=False)))


@pytest.mark.parametrize("tool_format", TOOL_FORMATS, ids=lambda known: known.name)
def test_under_auto_a_strict_function_is_held_to_its_schema_and_another_is_not(
    tool_format: ToolFormat,
) -> None:
    good, bad = (
        tool_format.write("get_weather", json.dumps({key: "Oslo", "unit": "C"})) for key in ("city", "town")
    )
    for strict in (True, False):
        tools = [ToolDefinition(name="get_weather", parameters=CITY, strict=strict)]
        grammar = answer_grammar(use(ToolMode.AUTO, tools), tool_format, None, None, parallel=True)
        if grammar is None:
            assert not strict and not tool_format.is_marked
            continue
        assert accepts(grammar, good) and accepts(grammar, "Hello")
        assert accepts(grammar, bad) is not strict


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("tool_format", TOOL_FORMATS, ids=lambda known: known.name)
def test_a_named_call_is_one_call_of_that_function(tool_format: ToolFormat, tool: ToolDefinition) -> None:
    grammar = answer_grammar(use(ToolMode.NAMED, [tool]), tool_format, None, None, parallel=True)
    answer = read(blind_walk(grammar, 1), tool_format)
    check_calls(answer)
    assert [call.name for call in answer.calls] == [tool.name]


@pytest.mark.parametrize(("parallel", "num_calls"), [(True, 2), (True, 1), (False, 1)])
@pytest.mark.parametrize("tool_format", TOOL_FORMATS, ids=lambda known: known.name)
def test_several_calls_are_allowed_if_parallel_ones_are(
    tool_format: ToolFormat, parallel: bool, num_calls: int
) -> None:
    grammar = answer_grammar(use(ToolMode.REQUIRED), tool_format, None, None, parallel=parallel)
    call = ("get_weather", '{"city": "Oslo", "unit": "C"}')
    assert accepts(grammar, tool_format.write_all(*[call] * num_calls))
    assert parallel or not accepts(grammar, tool_format.write_all(call, call))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("thinking", ReasoningStart)
def test_thoughts_before_a_required_call_are_free(thinking: ReasoningStart, seed: int) -> None:
    grammar = answer_grammar(use(ToolMode.REQUIRED), HERMES, None, thoughts(thinking), parallel=False)
    check_calls(read(blind_walk(grammar, seed), HERMES, thinking))
    call = HERMES.write("get_weather", '{"city": "Oslo", "unit": "C"}')
    assert accepts(grammar, f"Hm: <b>\n</think>\n\n{call}") is (thinking is ReasoningStart.OPEN)
    assert accepts(grammar, f"<think>\nHm.\n</think>\n\n{call}") is (thinking is not ReasoningStart.CLOSED)
    assert accepts(grammar, call) is (thinking is not ReasoningStart.OPEN)


def test_under_auto_prose_is_free_and_a_call_once_begun_is_bound() -> None:
    grammar = answer_grammar(use(ToolMode.AUTO), HERMES, None, None, parallel=True)
    call = HERMES.write("get_weather", '{"city": "Oslo", "unit": "C"}')
    for text in ["", "Hello {", call, f"I look.\n{call}", f"{call}\n{call}", "<think>a</think>Hi"]:
        assert accepts(grammar, text)
    for text in [HERMES.write("unknown", "{}"), HERMES.write("get_weather", '{"town": "Oslo"}')]:
        assert not accepts(grammar, text)


def test_under_auto_any_prose_may_be_written() -> None:
    state = start(answer_grammar(use(ToolMode.AUTO), HERMES, None, None, parallel=True))
    for token in TOKENIZER.encode("Hello", add_special_tokens=False):
        assert allowed_tokens(state)[ASCII].all()
        state.accept(token)


def test_under_auto_a_format_without_tags_is_unbound() -> None:
    assert answer_grammar(use(ToolMode.AUTO), LLAMA_JSON, None, None, parallel=True) is None


@pytest.mark.parametrize(
    ("mode", "strict", "is_bound"),
    [
        (ToolMode.AUTO, None, True),
        (ToolMode.AUTO, True, True),
        (ToolMode.AUTO, False, False),
        (ToolMode.REQUIRED, False, True),
    ],
)
def test_a_tool_that_is_not_strict_is_bound_only_where_a_call_is_demanded(
    mode: ToolMode, strict: bool | None, is_bound: bool
) -> None:
    tools = [ToolDefinition(name="get_weather", parameters=CITY, strict=strict)]
    grammar = answer_grammar(use(mode, tools), HERMES, None, None, parallel=True)
    assert accepts(grammar, HERMES.write("get_weather", '{"town": "Oslo"}')) is not is_bound
    assert not accepts(grammar, HERMES.write("get_weather", '{"town": Oslo}'))


UNENFORCEABLE = {
    "type": "object",
    "properties": {"city": {"type": "array", "uniqueItems": True, "items": {"type": "object"}}},
}


@pytest.mark.parametrize("tool_format", [HERMES, QWEN_CODER], ids=lambda known: known.name)
@pytest.mark.parametrize("mode", [ToolMode.AUTO, ToolMode.REQUIRED])
def test_a_tool_that_may_be_loosened_takes_any_object_where_its_schema_cannot_be_enforced(
    mode: ToolMode, tool_format: ToolFormat, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    tools = [ToolDefinition(name="get_weather", parameters=UNENFORCEABLE, may_be_loosened=True)]
    grammar = answer_grammar(use(mode, tools), tool_format, None, None, parallel=True)
    call = tool_format.write("get_weather", '{"city": [{}, {}]}')
    assert accepts(grammar, call)
    assert not accepts(grammar, call.replace("{}]", "{]"))
    assert "uniqueItems" in caplog.text
    [tool] = [replace(tool, may_be_loosened=False) for tool in tools]
    with pytest.raises(InvalidGrammar, match="uniqueItems") as caught:
        accepts(answer_grammar(use(mode, [tool]), tool_format, None, None, parallel=True), "")
    assert "get_weather" in caught.value.begin


@pytest.mark.parametrize(
    ("response_format", "good", "bad"),
    [
        (AnyJsonObject(), '{"a": [1]}', "[1]"),
        (JsonSchema(CITY), '{"city": "Oslo", "unit": "C"}', '{"city": "Oslo"}'),
        (Regex("[a-c]+"), "abc", "abd"),
    ],
)
def test_with_tools_a_response_format_binds_answers_that_are_no_calls(
    response_format: ResponseFormat, good: str, bad: str
) -> None:
    call = HERMES.write("get_weather", '{"city": "Oslo", "unit": "C"}')
    either = answer_grammar(use(ToolMode.AUTO), HERMES, response_format, None, parallel=True)
    assert accepts(either, good) and accepts(either, call)
    assert not accepts(either, bad) and not accepts(either, "")
    demanded = answer_grammar(use(ToolMode.REQUIRED), HERMES, response_format, None, parallel=True)
    assert accepts(demanded, call) and not accepts(demanded, good)


def test_a_response_format_after_thoughts_binds_what_follows_them() -> None:
    grammar = answer_grammar(
        ToolUse(), HERMES, AnyJsonObject(), thoughts(ReasoningStart.POSSIBLE), parallel=True
    )
    assert accepts(grammar, '<think>\n[not JSON\n</think>\n\n{"a": 1}') and accepts(grammar, '{"a": 1}')
    assert not accepts(grammar, "<think>Hm.</think>[1]")


def test_a_response_format_alone_is_left_to_the_engine() -> None:
    closed = thoughts(ReasoningStart.CLOSED)
    for reasoning in (None, closed):
        grammar = answer_grammar(ToolUse(), HERMES, Regex("a+"), reasoning, parallel=True)
        assert grammar == Grammar(GrammarKind.REGEX, "a+")


def test_a_free_answer_has_no_grammar() -> None:
    assert answer_grammar(ToolUse(), HERMES, None, thoughts(ReasoningStart.OPEN), parallel=True) is None
