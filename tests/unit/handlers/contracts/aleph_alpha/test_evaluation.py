"""Tests the likelihood of a completion after a prompt."""

import pytest

from engine.port.errors import PromptTooLong
from tests.support.scripted.engine import fails_after
from tests.unit.handlers.contracts.aleph_alpha.api import EVALUATE, MODEL, Api, completion, refused, scores


def evaluation(expected: str = "ab", /, prompt: object = "Hi") -> dict[str, object]:
    return completion(prompt, completion_expected=expected)


async def test_the_result_sums_and_averages_the_expected_tokens() -> None:
    answer = await Api(scores((64, -1.0), (66, -2.0))).answer(EVALUATE, evaluation())
    assert answer == {
        "model_version": MODEL,
        "result": {
            "log_probability": -3.0,
            "log_perplexity": 3.0,
            "log_perplexity_per_token": 1.5,
            "log_perplexity_per_character": 1.5,
            "correct_greedy": False,
            "token_count": 2,
            "character_count": 2,
            "completion": "ac",
        },
        "num_tokens_prompt_total": 4,
    }


async def test_the_average_over_characters_does_not_depend_on_tokens() -> None:
    result = (await Api(scores((195, -1.0), (169, -2.0))).answer(EVALUATE, evaluation("é")))["result"]
    assert (result["token_count"], result["character_count"]) == (2, 1)
    assert (result["log_perplexity_per_token"], result["log_perplexity_per_character"]) == (1.5, 3.0)


async def test_greedy_is_correct_where_all_likeliest_tokens_are_expected() -> None:
    result = (await Api(scores((64, -0.1), (65, -0.1))).answer(EVALUATE, evaluation()))["result"]
    assert (result["correct_greedy"], result["completion"]) == (True, "ab")


async def test_an_impossible_completion_has_a_finite_log_probability() -> None:
    result = (await Api(scores((97, float("-inf")))).answer(EVALUATE, evaluation("a")))["result"]
    assert result["log_probability"] == -9999.0


async def test_the_engine_scores_prompt_and_completion_and_makes_one_token() -> None:
    api = Api(scores((97, -1.0), (98, -2.0)))
    await api.answer(f"{EVALUATE}?nice=true", evaluation())
    request = api.engine.request
    assert api.prompt == "Hiab"
    assert (request.sampling.num_prompt_logprobs, request.stopping.max_tokens) == (1, 1)
    assert (request.sampling.num_logprobs, request.priority) == (None, 1)


@pytest.mark.parametrize("prompt", ["", []])
async def test_after_nothing_the_whole_completion_is_scored(prompt: object) -> None:
    api = Api(scores((97, -1.0), (98, -2.0)))
    answer = await api.answer(EVALUATE, evaluation(prompt=prompt))
    assert answer["num_tokens_prompt_total"] == 3
    assert answer["result"]["token_count"] == 2


async def test_an_empty_completion_is_refused() -> None:
    assert "completion_expected" in await refused(EVALUATE, evaluation(""))


async def test_a_text_that_does_not_fit_is_the_clients_to_mend() -> None:
    api = Api(fails_after(PromptTooLong(5, 1, 4)))
    assert (await api.error(EVALUATE, evaluation()))[:2] == (400, "INVALID_REQUEST")
