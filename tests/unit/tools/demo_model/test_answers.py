"""The committed weights still do what they were trained for: held-out prompts of the main kinds, greedily."""

import pytest
from transformers import AutoModelForCausalLM

from engine.demo_model import DEMO_MODEL
from handlers.llm.llm import LLM
from tools.demo_model.dialogue import Dialogue, Round
from tools.demo_model.evaluation import Examinee, Trial, is_right, num_ended, trials
from tools.demo_model.skills.calling import ACCEPT

NUM_PROMPTS = 4
NUM_DRAWS = 50
TOOLLESS_QUESTIONS = (
    "What is the weather in Oslo?",
    "What is the weather like today?",
    "What time is it in Paris?",
    "What time is it?",
    "What is 123 + 456?",
)


@pytest.fixture(scope="module")
def examinee() -> Examinee:
    return Examinee(DEMO_MODEL)


@pytest.mark.parametrize("thinking", [False, True])
@pytest.mark.parametrize("kind", ["greeting", "who are you", "tool call", "no tools at all"])
def test_most_held_out_prompts_are_answered_right(examinee: Examinee, kind: str, thinking: bool) -> None:
    asked = trials(kind, NUM_PROMPTS, thinking)
    replies = examinee.replies(asked)
    right = [is_right(trial, reply) for trial, reply in zip(asked, replies, strict=True)]
    assert sum(right) >= NUM_PROMPTS - 1, replies


@pytest.mark.by_turns("thinking", "question")
@pytest.mark.parametrize("thinking", [False, True])
@pytest.mark.parametrize("question", TOOLLESS_QUESTIONS)
def test_a_question_for_a_tool_that_nobody_gave_is_turned_down(
    examinee: Examinee, question: str, thinking: bool
) -> None:
    asked = Round(question, "", "", ACCEPT)
    trial = Trial([{"role": "user", "content": question}], Dialogue("", (asked,)), asked, thinking)
    (reply,) = examinee.replies([trial])
    assert is_right(trial, reply), reply


# The weights end 98% of forms and 99% of calls; another processor's rounding draws others, and these are few.
@pytest.mark.parametrize(("kind", "least"), [("forced form", 46), ("forced call", 48)])
def test_a_forced_answer_that_does_not_fit_the_question_ends_soon(kind: str, least: int) -> None:
    with LLM(str(DEMO_MODEL)) as llm:
        assert num_ended(llm, trials(kind, NUM_DRAWS, thinking=False), failures=True) >= least


def test_the_weights_fit_the_package() -> None:
    model = AutoModelForCausalLM.from_pretrained(DEMO_MODEL)
    assert 3_000_000 < model.num_parameters() < 6_000_000
    assert (DEMO_MODEL / "model.safetensors").stat().st_size < 16 * 2**20
