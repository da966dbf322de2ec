"""Every kind of grammar binds what a model of random weights says, token by token, through a whole request."""

import json
import re
from collections.abc import Callable

import pytest

from engine.build import build_core
from engine.config import EngineConfig
from engine.core import EngineCore
from engine.errors import InvalidGrammar
from engine.events import FinishReason, TokenEvent
from engine.grammar import GrammarCompiler
from engine.request import GenerationRequest, Grammar, GrammarKind, SamplingParams, StopConditions
from tests.tiny import save_tiny_model

SCHEMA = {
    "type": "object",
    "properties": {"kind": {"enum": ["a", "b"]}},
    "required": ["kind"],
    "additionalProperties": False,
}
TAG = {
    "type": "structural_tag",
    "format": {
        "type": "tag",
        "begin": "<call>",
        "content": {"type": "json_schema", "json_schema": SCHEMA},
        "end": "</call>",
    },
}


def is_schemas(text: str) -> bool:
    return bool(json.loads(text)["kind"] in ("a", "b"))


def is_tagged(text: str) -> bool:
    return is_schemas(text.removeprefix("<call>").removesuffix("</call>")) and text.startswith("<call>")


CASES: dict[GrammarKind, tuple[str, Callable[[str], object]]] = {
    GrammarKind.JSON_SCHEMA: (json.dumps(SCHEMA), is_schemas),
    GrammarKind.JSON_OBJECT: ("", lambda text: isinstance(json.loads(text), dict)),
    GrammarKind.REGEX: ("(yes|no){3}", lambda text: re.fullmatch("(yes|no){3}", text)),
    GrammarKind.EBNF: (
        'root ::= digit "-" digit\ndigit ::= [0-9]',
        lambda text: re.fullmatch("[0-9]-[0-9]", text),
    ),
    GrammarKind.STRUCTURAL_TAG: (json.dumps(TAG), is_tagged),
}


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> EngineCore:
    directory = save_tiny_model(tmp_path_factory.mktemp("llama"))
    return build_core(EngineConfig(model=str(directory), device="cpu"), lambda line: None)[0]


@pytest.fixture(scope="module")
def compiler(core: EngineCore) -> GrammarCompiler:
    return GrammarCompiler(core._tokenizer)


@pytest.mark.parametrize("kind", CASES, ids=lambda kind: kind.value)
def test_what_is_said_is_of_the_grammar(
    core: EngineCore, compiler: GrammarCompiler, kind: GrammarKind
) -> None:
    source, is_of_grammar = CASES[kind]
    grammar = Grammar(kind, source)
    # An open end, as of a string, would run to the end of the context: the bias closes what can be closed.
    closing = {core._tokenizer.encode(character)[0]: 20.0 for character in '"}'}
    for seed in range(3):
        request = GenerationRequest(
            request_id="",
            prompt_token_ids=(5,),
            sampling=SamplingParams(seed=seed, grammar=grammar, logit_bias=closing),
            stopping=StopConditions(max_tokens=300),
        )
        core.add(seed, request, compiler.compile(grammar))
    texts: dict[int, str] = {}
    while core.has_work:
        for seed, event in core.step():
            assert isinstance(event, TokenEvent), event
            texts[seed] = texts.get(seed, "") + event.text
            assert event.finish in (None, FinishReason.END_TOKEN)
    assert len(texts) == 3
    assert all(map(is_of_grammar, texts.values())), texts


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        (GrammarKind.JSON_SCHEMA, '{"type": 3}'),
        (GrammarKind.REGEX, "("),
        (GrammarKind.EBNF, "root ::= missing"),
        (GrammarKind.STRUCTURAL_TAG, "{}"),
    ],
)
def test_a_grammar_that_does_not_compile_is_refused(
    compiler: GrammarCompiler, kind: GrammarKind, source: str
) -> None:
    with pytest.raises(InvalidGrammar):
        compiler.compile(Grammar(kind, source))
