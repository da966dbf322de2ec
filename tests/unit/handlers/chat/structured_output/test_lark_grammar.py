"""Lark's grammars of texts: what xgrammar allows is what Lark itself parses."""

import json

import lark
import pytest

from engine.grammar.compiler import GrammarCompiler
from engine.port.errors import GenerationFailed
from engine.port.request import Grammar, GrammarKind
from handlers.chat.answer_grammar import answer_grammar
from handlers.chat.errors import InvalidResponseFormat
from handlers.chat.structured_output.lark_grammar import text_grammar
from handlers.chat.tool_calls.formats.registry import TOOL_FORMATS
from handlers.chat.tool_calls.tool_format import ToolFormat
from handlers.chat.tool_calls.use import ToolUse
from handlers.chat.tools import ToolDefinition, ToolMode
from tests.unit.handlers.chat.models import chat_tokenizer
from tests.unit.handlers.chat.tool_calls.tool_cases import parser, read

TOKENIZER = chat_tokenizer()
COMPILER = GrammarCompiler(TOKENIZER)

# In the manner of Codex's apply_patch.
PATCH = r"""
start: begin hunk+ end
begin: "*** Begin" LF
end: "*** End" LF?
hunk: add | delete
add: "*** Add: " name LF line+
delete: "*** Delete: " name LF
name: /(.+)/
line: ("+" | "-") /(.+)/? LF -> changed
%import common.LF
"""
SUM = r"""
start: value ("+" value)* -> all
?value: NUMBER | NAME | "(" start ")" | [SIGN] "x"i "[" NUMBER ~ 2..3 "]"
NUMBER.2: /[0-9]+(?:\.\d{1,2})?/
NAME: "a".."c" /[^\W\d"]/? | "\"" /[^"\n]/ "\""
SIGN: "-"
%import common.WS
%ignore WS
"""
KEYS = r'start: (/[a-z]+?/i | /./s)* "\n"'
TEXTS = {
    PATCH: ["*** Begin\n*** Add: a b\n+\"é\\\n-\t\n*** End", "*** Begin\n*** Delete: x\n*** End\n",
            "*** Begin\n*** End", "*** Begin\n*** Add: a\n*** End", "*** Begin\n*** Add: \n+\n*** End"],
    SUM: ["1", " 1.25 + a\n", "(1+(b_))", "-X [ 1 2 ]", "x[1 2 3]", '"é"+"\\"', "", "1+", '"\n"', "x[1]",
          "d", "(1", "a b"],
    KEYS: ["\n", "aB\n", "a\nb\n", "é\"\n", "a"],
}  # fmt: skip


def allows(rules: str, text: str) -> bool:
    state = COMPILER.compile(Grammar(GrammarKind.EBNF, rules)).start(())
    try:
        for token in [*TOKENIZER.encode(text, add_special_tokens=False), *TOKENIZER.end_token_ids]:
            state.accept(token)
    except GenerationFailed:
        return False
    return True


def parses(grammar: str, text: str) -> bool:
    try:
        lark.Lark(grammar, parser="earley", lexer="dynamic_complete").parse(text)
    except lark.exceptions.UnexpectedInput:
        return False
    return True


@pytest.mark.parametrize("grammar", TEXTS, ids=["patch", "sum", "keys"])
def test_a_text_is_allowed_as_it_is_and_inside_json_where_lark_parses_it(grammar: str) -> None:
    rules = text_grammar(grammar, "f")
    expected = {text: parses(grammar, text) for text in TEXTS[grammar]}
    assert set(expected.values()) == {True, False}
    assert {text: allows(rules.plain, text) for text in expected} == expected
    inside = {text: json.dumps(text, ensure_ascii=False)[1:-1] for text in expected}
    assert {text: allows(rules.in_json, inside[text]) for text in expected} == expected


@pytest.mark.parametrize("tool_format", TOOL_FORMATS, ids=lambda known: known.name)
def test_every_family_holds_a_text_to_its_grammar_and_reads_it_back(tool_format: ToolFormat) -> None:
    parameters = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
    rules = text_grammar(r'start: /[a-z"]+/ "\n"', "f")
    tool = ToolDefinition(name="patch", parameters=parameters, strict=True, text_grammar=rules)
    use = ToolUse(mode=ToolMode.REQUIRED, tools=(tool,))
    grammar = answer_grammar(use, tool_format, None, None, parallel=False)
    assert grammar is not None
    for text, is_allowed in (('a"b\n', True), ("A\n", False), ("a", False)):
        written = tool_format.write("patch", json.dumps({"input": text}))
        state = COMPILER.compile(grammar).start(())
        try:
            for token in TOKENIZER.encode(written, add_special_tokens=False):
                state.accept(token)
        except GenerationFailed:
            # Gemma's models write a text whose schema says more as JSON.
            assert not is_allowed or tool_format.name in ("gemma4", "functiongemma")
            continue
        assert is_allowed
        _, calls = read(parser(tool_format, {"patch": parameters}, streams=True), written)
        assert [json.loads(call.arguments) for call in calls] == [{"input": text}]


@pytest.mark.parametrize(
    "grammar",
    ["", "start: (", "rule: /a/", "start: other", "start: /^a/", "start: /a(?=b)/", r"start: /(a)\1/",
     "start: t{/a/}\nt{x}: x", "%import python.NAME\nstart: NAME", "%declare A\nstart: A", "start: /a/m",
     "start: " + "(" * 4000 + '"a"' + ")" * 4000],
)  # fmt: skip
def test_what_cannot_be_enforced_is_refused_by_its_place(grammar: str) -> None:
    with pytest.raises(InvalidResponseFormat) as refusal:
        text_grammar(grammar, "tools[0].custom")
    assert refusal.value.field == "tools[0].custom"
