"""Whole answers of `/generate`: what a request means, and what its answer tells."""

import pytest

from engine.port.events import FinishReason
from engine.port.request import GenerationRequest, GrammarKind, Watermark
from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.handlers.contracts.tgi.api import Api, generate_body

PATHS = ["/", "/generate"]


def only(answer: object, path: str) -> object:
    """`POST /` answers with an array of one, for the clients that it is kept for."""
    if path == "/":
        assert isinstance(answer, list)
        (answer,) = answer
    return answer


@pytest.mark.parametrize("path", PATHS)
async def test_an_answer_is_the_text_alone_unless_details_are_asked(path: str) -> None:
    answer = await Api(says("Hel", "lo")).answer(path, {"inputs": "Hi"})
    assert only(answer, path) == {"generated_text": "Hello"}


async def submitted(**parameters: object) -> GenerationRequest:
    api = Api(says("x"))
    await api.answer("/generate", generate_body(**parameters))
    return api.engine.request


async def test_absent_parameters_mean_the_contracts_defaults() -> None:
    api = Api(says("x"))
    await api.answer("/generate", {"inputs": "Hi"})
    assert api.engine.request.sampling.is_greedy
    assert api.engine.request.stopping.max_tokens == 100


async def test_null_max_new_tokens_fills_the_context() -> None:
    request = await submitted(max_new_tokens=None)
    assert len(request.prompt.token_ids) + request.stopping.max_tokens == 200


@pytest.mark.parametrize(
    ("parameters", "is_sampled"),
    [
        ({}, False),
        ({"temperature": 1.0}, False),
        ({"top_p": 1.0, "typical_p": 1.0}, False),
        ({"seed": 5}, False),
        ({"repetition_penalty": 1.5}, False),
        ({"do_sample": True}, True),
        ({"temperature": 0.5}, True),
        ({"top_k": 3}, True),
        ({"top_p": 0.9}, True),
        ({"typical_p": 0.9}, True),
    ],
)
async def test_tokens_are_drawn_only_if_an_option_needs_it(
    parameters: dict[str, object], is_sampled: bool
) -> None:
    assert (await submitted(**parameters)).sampling.is_greedy is not is_sampled


async def test_sampling_options_reach_the_engine() -> None:
    sampling = (
        await submitted(
            details=True,
            temperature=0.5,
            top_k=3,
            top_p=0.9,
            typical_p=0.8,
            repetition_penalty=1.2,
            frequency_penalty=-0.5,
            seed=18446744073709551615,
            watermark=True,
            top_n_tokens=2,
            decoder_input_details=True,
        )
    ).sampling
    assert (sampling.temperature, sampling.top_k, sampling.top_p, sampling.typical_p) == (0.5, 3, 0.9, 0.8)
    assert (sampling.repetition_penalty, sampling.frequency_penalty) == (1.2, -0.5)
    assert sampling.seed == 18446744073709551615
    assert sampling.watermark == Watermark(gamma=0.5, delta=2.0)
    assert (sampling.num_logprobs, sampling.num_prompt_logprobs) == (2, 0)


@pytest.mark.parametrize(
    ("parameters", "are_asked"),
    [
        ({}, False),
        ({"top_n_tokens": 2}, False),
        ({"details": True}, True),
        ({"best_of": 2, "do_sample": True}, True),
    ],
)
async def test_logprobs_are_computed_only_where_somebody_reads_them(
    parameters: dict[str, object], are_asked: bool
) -> None:
    assert ((await submitted(**parameters)).sampling.num_logprobs is not None) is are_asked


async def test_the_watermark_is_the_servers() -> None:
    api = Api(says("x"), watermark_gamma=0.25, watermark_delta=4.0)
    await api.answer("/generate", generate_body(watermark=True))
    assert api.engine.request.sampling.watermark == Watermark(gamma=0.25, delta=4.0)


async def test_the_matched_stop_text_stays_in_the_output() -> None:
    stopping = (await submitted(stop=["\n"])).stopping
    assert (stopping.stop, stopping.include_stop, stopping.length_first) == (("\n",), True, True)


async def test_an_adapter_is_asked_of_the_engine() -> None:
    assert (await submitted(adapter_id="lora")).adapter == "lora"


SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}


@pytest.mark.parametrize(
    ("grammar", "kind"),
    [
        ({"type": "json", "value": SCHEMA}, GrammarKind.JSON_SCHEMA),
        ({"type": "json", "value": '{"type": "string"}'}, GrammarKind.JSON_SCHEMA),
        ({"type": "json_object", "value": SCHEMA}, GrammarKind.JSON_SCHEMA),
        ({"type": "json_schema", "value": {"schema": SCHEMA}}, GrammarKind.JSON_SCHEMA),
        ({"type": "regex", "value": "[0-9]+"}, GrammarKind.REGEX),
    ],
)
async def test_every_form_of_grammar_reaches_the_engine(
    grammar: dict[str, object], kind: GrammarKind
) -> None:
    asked = (await submitted(grammar=grammar)).sampling.grammar
    assert asked is not None and asked.kind is kind


@pytest.mark.parametrize(
    ("finish", "told"),
    [
        (FinishReason.LENGTH, "length"),
        (FinishReason.END_TOKEN, "eos_token"),
        (FinishReason.STOP, "stop_sequence"),
    ],
)
async def test_details_tell_the_finish_in_words_of_generate(finish: FinishReason, told: str) -> None:
    answer = await Api(says("a", finish=finish)).answer("/generate", generate_body(details=True))
    assert answer["details"]["finish_reason"] == told


async def test_details_list_every_token_the_end_token_too() -> None:
    details = (await Api(says("a", "b")).answer("/generate", generate_body(details=True)))["details"]
    assert details == {
        "finish_reason": "eos_token",
        "generated_tokens": 3,
        "prefill": [],
        "seed": None,
        "tokens": [
            {"id": 100, "logprob": -0.5, "special": False, "text": "a"},
            {"id": 101, "logprob": -0.5, "special": False, "text": "b"},
            {"id": 102, "logprob": -0.5, "special": True, "text": "<|im_end|>"},
        ],
    }


async def test_decoder_input_details_tell_the_prompt_and_bring_the_details_with_them() -> None:
    answer = await Api(says("a")).answer("/generate", generate_body("Hi", decoder_input_details=True))
    first, second = answer["details"]["prefill"]
    assert first["logprob"] is None
    assert second["logprob"] == -1.0


async def test_top_n_tokens_lists_as_many_for_each_token() -> None:
    details = (await Api(says("a", "b")).answer("/generate", generate_body(details=True, top_n_tokens=2)))[
        "details"
    ]
    assert [len(tokens) for tokens in details["top_tokens"]] == [2, 2, 2]
    logprobs = [token["logprob"] for token in details["top_tokens"][0]]
    assert logprobs == sorted(logprobs, reverse=True)


async def test_a_seed_is_told_only_where_something_was_drawn() -> None:
    api = Api(says("a"))
    sampled = await api.answer("/generate", generate_body(details=True, do_sample=True, seed=0))
    greedy = await api.answer("/generate", generate_body(details=True, seed=7))
    assert (sampled["details"]["seed"], greedy["details"]["seed"]) == (0, None)


async def test_a_seed_that_the_server_drew_is_told_and_differs_between_requests() -> None:
    api = Api(says("a"))
    answers = [await api.answer("/generate", generate_body(details=True, do_sample=True)) for _ in range(3)]
    seeds = [answer["details"]["seed"] for answer in answers]
    assert seeds == [request.sampling.seed for request in api.engine.requests]
    assert len(set(seeds)) == 3


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("asked", [{"do_sample": True}, {"details": True}])
async def test_no_seed_is_drawn_that_no_answer_reports(path: str, asked: dict[str, bool]) -> None:
    api = Api(says("a"))
    await api.answer(path, generate_body(**asked))
    assert api.engine.request.sampling.seed is None


@pytest.mark.parametrize(("given", "text"), [(None, "Hello"), (False, "Hello"), (True, "HiHello")])
@pytest.mark.parametrize("path", PATHS)
async def test_the_prompt_precedes_the_text_only_if_asked(path: str, given: bool | None, text: str) -> None:
    answer = await Api(says("Hello")).answer(path, generate_body("Hi", return_full_text=given))
    assert only(answer, path) == {"generated_text": text}


async def test_best_of_answers_the_highest_mean_logprob_and_lists_the_others() -> None:
    api = Api(says("a", logprobs=(-2.0, -1.0, -3.0)), max_best_of=3)
    answer = await api.answer("/generate", generate_body(details=True, best_of=3, do_sample=True))
    seed = api.engine.request.sampling.seed
    assert seed is not None and answer["details"]["seed"] == seed + 1
    others = answer["details"]["best_of_sequences"]
    assert [other["seed"] for other in others] == [seed, seed + 2]
    assert {other["finish_reason"] for other in others} == {"eos_token"}


async def test_a_best_of_of_zero_counts_as_one() -> None:
    assert (await submitted(best_of=0)).num_sequences == 1


async def test_a_logprob_that_json_cannot_hold_is_null() -> None:
    script = says("a", logprobs=(float("-inf"),))
    details = (await Api(script).answer("/generate", generate_body(details=True)))["details"]
    assert details["tokens"][0]["logprob"] is None


async def test_a_long_prompt_is_tokenized_whole() -> None:
    engine = ScriptedEngine(says("a"), max_total_tokens=10_000)
    await Api(engine).answer("/generate", generate_body("x" * 5000))
    assert len(engine.request.prompt.token_ids) == 5000
