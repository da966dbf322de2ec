"""Every field of a request that bears on the generation: what the engine is asked for."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from engine.port.request import BeamParams, Grammar, GrammarKind
from tests.unit.handlers.contracts.openai.api import CHAT, COMPLETIONS, chat, completion, submitted

PATHS: list[Any] = [
    pytest.param(CHAT, chat, id="chat"),
    pytest.param(COMPLETIONS, completion, id="completions"),
]
Body = Callable[..., dict[str, Any]]


SAMPLING: list[tuple[dict[str, Any], str, Any]] = [
    ({}, "temperature", 1.0),
    ({"temperature": None}, "temperature", 1.0),
    ({"temperature": 0}, "temperature", 0.0),
    ({"temperature": 0.3}, "temperature", 0.3),
    ({}, "top_p", 1.0),
    ({"top_p": None}, "top_p", 1.0),
    ({"top_p": 0}, "top_p", 0.0),
    ({"top_p": 0.4}, "top_p", 0.4),
    ({}, "top_k", None),
    ({"top_k": -1}, "top_k", None),
    ({"top_k": 0}, "top_k", None),
    ({"top_k": None}, "top_k", None),
    ({"top_k": 7}, "top_k", 7),
    ({"min_p": 0.1}, "min_p", 0.1),
    ({"typical_p": 0.9}, "typical_p", 0.9),
    ({"repetition_penalty": 1.2}, "repetition_penalty", 1.2),
    ({"presence_penalty": -2}, "presence_penalty", -2.0),
    ({"frequency_penalty": 1.5}, "frequency_penalty", 1.5),
    ({"seed": 9}, "seed", 9),
    ({"seed": -1}, "seed", 2**64 - 1),
    ({"logit_bias": {"5": -100, "17": 2.5}}, "logit_bias", {5: -100.0, 17: 2.5}),
    ({"logit_bias": None}, "logit_bias", {}),
    ({"allowed_token_ids": [4, 5]}, "allowed_token_ids", (4, 5)),
    ({}, "allowed_token_ids", None),
    ({"bad_words": ["no", "never"]}, "bad_words", ("no", "never")),
    ({}, "num_logprobs", None),
    ({}, "num_prompt_logprobs", None),
    ({}, "grammar", None),
    ({"use_beam_search": True}, "temperature", 0.0),
]


@pytest.mark.parametrize(("path", "body"), PATHS)
@pytest.mark.parametrize(("fields", "name", "value"), SAMPLING)
async def test_options_of_sampling_reach_the_engine(
    path: str, body: Body, fields: dict[str, Any], name: str, value: object
) -> None:
    assert getattr((await submitted(path, body(**fields))).sampling, name) == value


STOPPING: list[tuple[dict[str, Any], str, Any]] = [
    ({"max_tokens": 5}, "max_tokens", 5),
    ({"min_tokens": 3}, "min_tokens", 3),
    ({"stop": "a"}, "stop", ("a",)),
    ({"stop": ["a", "b"]}, "stop", ("a", "b")),
    ({"stop": []}, "stop", ()),
    ({"stop": None}, "stop", ()),
    ({"stop_token_ids": [4, 5]}, "stop_token_ids", (4, 5)),
    ({}, "include_stop", False),
    ({"include_stop_str_in_output": True}, "include_stop", True),
    ({}, "ignore_eos", False),
    ({"ignore_eos": True}, "ignore_eos", True),
]


@pytest.mark.parametrize(("path", "body"), PATHS)
@pytest.mark.parametrize(("fields", "name", "value"), STOPPING)
async def test_options_of_stopping_reach_the_engine(
    path: str, body: Body, fields: dict[str, Any], name: str, value: object
) -> None:
    assert getattr((await submitted(path, body(**fields))).stopping, name) == value


REQUEST: list[tuple[dict[str, Any], str, Any]] = [
    ({}, "num_sequences", 1),
    ({"n": 3}, "num_sequences", 3),
    ({}, "skip_special_tokens", True),
    ({"skip_special_tokens": False}, "skip_special_tokens", False),
    ({"priority": -4}, "priority", -4),
    ({"cache_salt": "s"}, "cache_salt", "s"),
    ({"use_beam_search": True}, "beams", None),  # one beam is greedy decoding
    ({"use_beam_search": True, "n": 2}, "beams", BeamParams(num_beams=2)),
    (
        {"use_beam_search": True, "n": 2, "length_penalty": 0.5, "early_stopping": True, "temperature": 0},
        "beams",
        BeamParams(num_beams=2, length_penalty=0.5, early_stopping=True),
    ),
]


@pytest.mark.parametrize(("path", "body"), PATHS)
@pytest.mark.parametrize(("fields", "name", "value"), REQUEST)
async def test_options_of_the_request_reach_the_engine(
    path: str, body: Body, fields: dict[str, Any], name: str, value: object
) -> None:
    assert getattr(await submitted(path, body(**fields)), name) == value


SCHEMA = '{"type": "object"}'
JSON_SCHEMA = Grammar(GrammarKind.JSON_SCHEMA, SCHEMA)
FORMS: list[tuple[dict[str, Any], Grammar | None]] = [
    ({"response_format": {"type": "text"}}, None),
    ({"response_format": {"type": "json_object"}}, Grammar(GrammarKind.JSON_OBJECT)),
    ({"response_format": {"type": "json_object", "value": {"type": "object"}}}, JSON_SCHEMA),
    ({"response_format": {"type": "json_object", "schema": {"type": "object"}}}, JSON_SCHEMA),
    ({"response_format": {"type": "json_object", "schema": None}}, Grammar(GrammarKind.JSON_OBJECT)),
    ({"response_format": {"type": "json_schema", "schema": {"type": "object"}}}, JSON_SCHEMA),
    (
        {
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "n", "schema": {"type": "object"}},
            }
        },
        JSON_SCHEMA,
    ),
    (
        {"response_format": {"type": "json_schema", "json_schema": {"name": "n"}}},
        Grammar(GrammarKind.JSON_OBJECT),
    ),
    ({"response_format": {"type": "json", "value": {"type": "object"}}}, JSON_SCHEMA),
    ({"response_format": {"type": "json", "value": SCHEMA}}, JSON_SCHEMA),
    ({"response_format": {"type": "regex", "value": "a+"}}, Grammar(GrammarKind.REGEX, "a+")),
    ({"response_format": {"type": "text"}, "regex": "a+"}, Grammar(GrammarKind.REGEX, "a+")),
    ({"structured_outputs": {"json": {"type": "object"}}}, JSON_SCHEMA),
    ({"structured_outputs": {"json": SCHEMA}}, JSON_SCHEMA),
    ({"structured_outputs": {"json_object": True}}, Grammar(GrammarKind.JSON_OBJECT)),
    ({"structured_outputs": {"regex": "a+"}}, Grammar(GrammarKind.REGEX, "a+")),
    ({"structured_outputs": {"grammar": 'root ::= "a"'}}, Grammar(GrammarKind.EBNF, 'root ::= "a"')),
    ({"guided_json": {"type": "object"}}, JSON_SCHEMA),
    ({"guided_json": SCHEMA}, JSON_SCHEMA),
    ({"guided_regex": "a+"}, Grammar(GrammarKind.REGEX, "a+")),
    ({"guided_grammar": 'root ::= "a"'}, Grammar(GrammarKind.EBNF, 'root ::= "a"')),
    ({"regex": "a+"}, Grammar(GrammarKind.REGEX, "a+")),
    ({"ebnf": 'root ::= "a"'}, Grammar(GrammarKind.EBNF, 'root ::= "a"')),
]
# The demo tokenizer's template closes the thoughts if told to; then nothing stands before the form.
NO_REASONING = {"chat_template_kwargs": {"enable_thinking": False}}


@pytest.mark.parametrize(("fields", "grammar"), FORMS)
async def test_a_form_of_a_completion_reaches_the_engine_under_each_of_its_names(
    fields: dict[str, Any], grammar: Grammar | None
) -> None:
    assert (await submitted(COMPLETIONS, completion(**fields))).sampling.grammar == grammar


@pytest.mark.parametrize(("fields", "grammar"), FORMS)
async def test_a_form_of_a_chat_answer_reaches_the_engine_under_each_of_its_names(
    fields: dict[str, Any], grammar: Grammar | None
) -> None:
    assert (await submitted(CHAT, chat(**fields, **NO_REASONING))).sampling.grammar == grammar


@pytest.mark.parametrize(("path", "body"), PATHS)
@pytest.mark.parametrize(
    "fields",
    [
        {"guided_choice": ["yes", "no"]},
        {"structured_outputs": {"choice": ["yes", "no"]}},
        {
            "structured_outputs": {
                "structural_tag": '{"type": "structural_tag", "format": {"type": "or", "elements": ['
                '{"type": "const_string", "value": "yes"}, {"type": "const_string", "value": "no"}]}}'
            }
        },
    ],
)
async def test_choices_and_structural_tags_reach_the_engine_as_structural_tags(
    path: str, body: Body, fields: dict[str, Any]
) -> None:
    extra = NO_REASONING if path == CHAT else {}
    grammar = (await submitted(path, body(**fields, **extra))).sampling.grammar
    assert grammar is not None and grammar.kind is GrammarKind.STRUCTURAL_TAG
    assert '"yes"' in grammar.source and '"no"' in grammar.source


@pytest.mark.parametrize(("path", "body"), PATHS)
async def test_no_seed_is_asked_for_where_none_is_given(path: str, body: Body) -> None:
    assert (await submitted(path, body())).sampling.seed is None


@pytest.mark.parametrize(("path", "body"), PATHS)
async def test_records_of_openais_take_any_value_and_change_nothing(path: str, body: Body) -> None:
    plain = await submitted(path, body(seed=1))
    told = await submitted(path, body(seed=1, user="u", stream=None, stream_options=None))
    assert replace(told, request_id="") == replace(plain, request_id="")
