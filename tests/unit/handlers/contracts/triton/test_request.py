"""Members of a request become the engine's request, wherever they stand and whichever back end named them."""

import json
from typing import Any

import pytest

from engine.port.request import BeamParams, Grammar, GrammarKind
from tests.support.scripted.engine import says
from tests.unit.handlers.contracts.triton.api import Api


async def request_of(**members: Any) -> Any:
    api = Api(says(" there"))
    await api.answer(**members)
    return api.engine.request


async def test_what_is_absent_is_as_vllms_back_end_has_it() -> None:
    request = await request_of()
    assert request.stopping.max_tokens == 16
    assert (request.sampling.temperature, request.sampling.top_k, request.sampling.top_p) == (1.0, None, 1.0)
    assert request.sampling.num_logprobs is None
    assert request.num_sequences == 1


@pytest.mark.parametrize(
    ("members", "field", "value"),
    [
        ({"temperature": 0}, "temperature", 0.0),
        ({"temperature": [0.5]}, "temperature", 0.5),
        ({"top_k": 5}, "top_k", 5),
        ({"top_k": -1}, "top_k", None),
        ({"top_p": 0.5}, "top_p", 0.5),
        ({"min_p": 0.25}, "min_p", 0.25),
        ({"seed": 7}, "seed", 7),
        ({"repetition_penalty": 1.5}, "repetition_penalty", 1.5),
        ({"presence_penalty": -1}, "presence_penalty", -1.0),
        ({"frequency_penalty": 2}, "frequency_penalty", 2.0),
        ({"bad_words": ["", "no"]}, "bad_words", ("no",)),
        ({"bad_words": "no"}, "bad_words", ("no",)),
        ({"bad_words": [""]}, "bad_words", ()),
    ],
)
async def test_a_member_counts_at_the_top_and_in_parameters_alike(
    members: dict[str, Any], field: str, value: object
) -> None:
    for body in (members, {"parameters": members}):
        request = await request_of(**body)
        assert getattr(request.sampling, field) == value


@pytest.mark.parametrize(
    ("members", "field", "value"),
    [
        ({"max_tokens": 3}, "max_tokens", 3),
        ({"min_tokens": 2}, "min_tokens", 2),
        ({"stop_words": [""]}, "stop", ()),
        ({"stop_words": ["", "a"], "stop": "b"}, "stop", ("a", "b")),
        ({"stop_words": []}, "stop", ()),
        ({"ignore_eos": True}, "ignore_eos", True),
        ({"include_stop_str_in_output": True}, "include_stop", True),
        ({"end_id": 5}, "stop_token_ids", (5,)),
        ({"end_id": 5}, "ignore_eos", True),
        ({"end_id": -1}, "stop_token_ids", ()),
        ({"end_id": -1}, "ignore_eos", True),
        ({"pad_id": 5}, "stop_token_ids", ()),
    ],
)
async def test_members_that_end_a_text(members: dict[str, Any], field: str, value: object) -> None:
    assert getattr((await request_of(**members)).stopping, field) == value


async def test_a_text_ends_where_the_context_does_however_much_was_asked_for() -> None:
    request = await request_of(max_tokens=2000)  # what litellm asks for if its caller does not say
    assert request.stopping.max_tokens == 200 - len(request.prompt.token_ids)


async def test_a_text_that_fills_the_context_is_refused() -> None:
    assert "200" in await Api(says()).refusal_of({"text_input": "a b " * 400})


async def test_sampling_parameters_alone_say_how_to_sample() -> None:
    options = {
        "temperature": "0.5",
        "max_tokens": "7",
        "ignore_eos": "True",
        "stop": ["5", ""],
        "stop_token_ids": [9],
        "logit_bias": {"3": -1},
        "allowed_token_ids": [3, 4],
        "bad_words": ["", "no"],
        "n": 2,
        "skip_special_tokens": False,
        "top_p": None,
    }
    request = await request_of(
        sampling_parameters=json.dumps(options), temperature=1, max_tokens=1, stop_words=["x"], end_id=8
    )
    assert (request.sampling.temperature, request.sampling.top_p) == (0.5, 1.0)
    assert request.sampling.logit_bias == {3: -1.0}
    assert request.sampling.allowed_token_ids == (3, 4)
    assert request.sampling.bad_words == ("no",)
    assert (request.stopping.max_tokens, request.stopping.ignore_eos) == (7, True)
    assert (request.stopping.stop, request.stopping.stop_token_ids) == (("5",), (9,))
    assert (request.num_sequences, request.skip_special_tokens) == (2, False)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("{", "'sampling_parameters' is not JSON"),
        ("[]", "'sampling_parameters' must be the JSON text of an object"),
        ('{"temperature": -1}', "'sampling_parameters.temperature' must be greater than or equal to 0"),
        ('{"temperature": "hot"}', "'sampling_parameters.temperature' must be a number"),
        ('{"best_of": 2}', "'sampling_parameters.best_of' is not a field of this object"),
    ],
)
async def test_sampling_parameters_are_held_to_their_schema(options: str, message: str) -> None:
    assert message in await Api(says()).refusal(sampling_parameters=options)


@pytest.mark.parametrize(
    ("members", "grammar"),
    [
        ({"guided_decoding_guide_type": "json"}, Grammar(GrammarKind.JSON_SCHEMA, "true")),
        (
            {"guided_decoding_guide_type": "json_schema", "guided_decoding_guide": '{"type": "string"}'},
            Grammar(GrammarKind.JSON_SCHEMA, '{"type": "string"}'),
        ),
        (
            {"guided_decoding_guide_type": "regex", "guided_decoding_guide": "a+"},
            Grammar(GrammarKind.REGEX, "a+"),
        ),
        (
            {"guided_decoding_guide_type": "ebnf_grammar", "guided_decoding_guide": 'root ::= "a"'},
            Grammar(GrammarKind.EBNF, 'root ::= "a"'),
        ),
        ({"structured_outputs": '{"regex": "a+"}'}, Grammar(GrammarKind.REGEX, "a+")),
        ({"structured_outputs": '{"json": true}'}, Grammar(GrammarKind.JSON_SCHEMA, "true")),
        ({"structured_outputs": '{"json_object": true}'}, Grammar(GrammarKind.JSON_OBJECT)),
        ({"structured_outputs": '{"grammar": "g"}'}, Grammar(GrammarKind.EBNF, "g")),
        (
            {"sampling_parameters": '{"structured_outputs": {"regex": "a+"}}'},
            Grammar(GrammarKind.REGEX, "a+"),
        ),
    ],
)
async def test_a_form_of_the_text_is_the_engines_grammar(members: dict[str, Any], grammar: Grammar) -> None:
    assert (await request_of(**members)).sampling.grammar == grammar


async def test_forms_of_several_parts_are_structural_tags() -> None:
    tag = {"type": "structural_tag", "format": {"type": "any_text"}}
    for members in (
        {"structured_outputs": json.dumps({"choice": ["a", "b"]})},
        {"structured_outputs": json.dumps({"structural_tag": json.dumps(tag)})},
        {"guided_decoding_guide_type": "structural_tag", "guided_decoding_guide": json.dumps(tag)},
    ):
        assert (await request_of(**members)).sampling.grammar.kind is GrammarKind.STRUCTURAL_TAG


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"guided_decoding_guide": "a"}, "'guided_decoding_guide' needs 'guided_decoding_guide_type'"),
        ({"guided_decoding_guide_type": "regex"}, "needs 'guided_decoding_guide'"),
        (
            {"guided_decoding_guide_type": "json", "structured_outputs": '{"regex": "a"}'},
            "both say what the text must be",
        ),
        ({"structured_outputs": '{"regex": "a", "grammar": "b"}'}, "must have one member"),
        ({"structured_outputs": "{}"}, "must have one member"),
        ({"structured_outputs": "[]"}, "must be the JSON text of an object"),
        ({"structured_outputs": '{"regex": 5}'}, "'structured_outputs.regex' must be a string"),
    ],
)
async def test_a_form_that_is_no_form_is_refused(members: dict[str, Any], message: str) -> None:
    assert message in await Api(says()).refusal(**members)


async def test_a_server_without_grammars_refuses_every_form() -> None:
    api = Api(says(), disable_grammar_support=True)
    for members in ({"guided_decoding_guide_type": "json"}, {"structured_outputs": '{"regex": "a"}'}):
        assert "takes no grammars" in await api.refusal(**members)


async def test_beams_search_and_draw_nothing() -> None:
    request = await request_of(beam_width=3, length_penalty=2)
    assert request.beams == BeamParams(num_beams=3, length_penalty=2.0)
    assert (request.num_sequences, request.sampling.temperature) == (3, 0.0)
    assert (await request_of(beam_width=3, num_return_sequences=2)).num_sequences == 2
    assert (await request_of(beam_width=1, length_penalty=2)).beams is None


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"beam_width": 2, "temperature": 1}, "'temperature' must be 0 or absent"),
        ({"beam_width": 2, "num_return_sequences": 3}, "A beam search of 2 hypotheses has no 3 texts"),
        ({"n": 2, "num_return_sequences": 2}, "'n' and 'num_return_sequences' say the same; send one"),
        ({"embedding_bias_words": ["a"]}, "must be of one length"),
        ({"stream": True}, "generate expects model to produce exactly 1 response"),
    ],
)
async def test_members_that_do_not_go_together_are_refused(members: dict[str, Any], message: str) -> None:
    assert message in await Api(says()).refusal(**members)


async def test_a_text_that_a_stream_would_begin_with_is_refused() -> None:
    body = {"text_input": "Hi", "stream": True, "exclude_input_in_output": False}
    message = await Api(says()).refusal_of(body, "/generate_stream")
    assert message.startswith("Error generating stream: When streaming, `exclude_input_in_output` = False")


async def test_the_weight_of_a_text_is_added_to_each_of_its_tokens() -> None:
    api = Api(says(" there"))
    await api.answer(embedding_bias_words=["ab", "a"], embedding_bias_weights=[1, 2.5])
    a, b = (api.engine.tokenizer.encode(text, add_special_tokens=False)[0] for text in "ab")
    assert api.engine.request.sampling.logit_bias in ({a: 3.5, b: 1.0}, {a: 2.5} | _pair(api, 1.0))


def _pair(api: Api, weight: float) -> dict[int, float]:
    """Return the bias for a tokenizer that has one token for both letters."""
    return dict.fromkeys(api.engine.tokenizer.encode("ab", add_special_tokens=False), weight)


async def test_logprobs_are_computed_only_where_they_are_told() -> None:
    told = {"return_logprobs": True, "logprobs": 3}
    for members, expected in (
        (told, 3),
        ({"logprobs": 3}, None),
        ({"return_logprobs": True}, None),
        ({"return_cumulative_logprob": True}, 0),
        ({"return_log_probs": [True]}, 0),
        ({**told, "return_log_probs": True}, 3),
    ):
        assert (await request_of(**members)).sampling.num_logprobs == expected


async def test_no_seed_is_asked_for_where_none_is_given() -> None:
    assert (await request_of()).sampling.seed is None
