"""A decision's probabilities are those of transformers, which reads each label of each question by itself."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from math import exp
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from engine.async_engine import AsyncEngine
from engine.config import EngineConfig
from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.tiny_models.text import save_tiny_model
from tests.unit.verbatim_kit.runtime.client import send

TOLERANCE = 1e-5
# Dense, a sliding window with capped logits, and experts; then others, one of them recurrent.
FIRST = ("llama", "gemma2", "qwen3_moe")
OTHERS = ("qwen3", "mistral", "gemma3", "gpt2", "deepseek_v3", "gpt_oss", "falcon_h1", "gpt_neox")

INPUT = "The ferns on the left are brown, and nobody has watered them for nine days."
LAST_OF_CHOICE = "Which option fits best? Reply with its label only."
PAIRS = ["A" + second for second in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"] + ["BA", "BB"]
# Each question with the text that asks it, and its labels: one token, several, and several that begin alike.
QUESTIONS: dict[str, tuple[dict[str, Any], str, list[str]]] = {
    "predicate": (
        {"type": "predicate", "instructions": "They are thirsty."},
        "They are thirsty.\n\nDoes this hold? Reply with one word only: Yes or No.",
        ["Yes", "No"],
    ),
    "choice": (
        {
            "type": "choice",
            "instructions": "Do what?",
            "choices": [
                {"value": "water"},
                {"value": "move", "description": "More light"},
                {"value": "wait"},
            ],
        },
        f"Do what?\n\nA: water\nB: move - More light\nC: wait\n\n{LAST_OF_CHOICE}",
        ["A", "B", "C"],
    ),
    "score": (
        {"type": "score", "instructions": "How bad?", "levels": [{"label": "little"}, {"label": "very"}]},
        "How bad?\n\n0: little\n1: very\n\nWhich level fits best? Reply with its label only.",
        ["0", "1"],
    ),
    "many choices": (
        {"type": "choice", "instructions": "Who?", "choices": [{"value": f"{n}"} for n in range(28)]},
        "Who?\n\n"
        + "\n".join(f"{label}: {number}" for number, label in enumerate(PAIRS))
        + f"\n\n{LAST_OF_CHOICE}",
        PAIRS,
    ),
}


@dataclass(frozen=True)
class Case:
    """A served model, and the same one in transformers."""

    app: Any
    model: Any
    tokenizer: Any

    def reference(self, question: str, labels: list[str]) -> list[float]:
        """Return the probabilities of whole labels after the prompt, one among all of these."""
        prompt = f"<|user|>{INPUT}\n\n{question}<|end|><|assistant|>"
        before = self.tokenizer.encode(prompt, add_special_tokens=False)
        weights = []
        for label in labels:
            after = self.tokenizer.encode(label, add_special_tokens=False)
            with torch.inference_mode():
                logits = self.model(torch.tensor([before + after])).logits[0]
            scores = logits[len(before) - 1 : -1].double().log_softmax(dim=-1)
            weights.append(exp(sum(scores[at, token_id].item() for at, token_id in enumerate(after))))
        return [weight / sum(weights) for weight in weights]


@pytest.fixture(
    scope="module", params=[*FIRST, *(pytest.param(name, marks=pytest.mark.long) for name in OTHERS)]
)
async def case(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Case]:
    directory = save_tiny_model(tmp_path_factory.mktemp(request.param), request.param)
    model = AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32, attn_implementation="eager")
    config = EngineConfig(model=str(directory), device="cpu", dtype="float32", num_kv_blocks=256)
    engine = await AsyncEngine.start(config)
    settings = Settings(served_model_name="tiny")
    yield Case(build_app(settings, engine), model, AutoTokenizer.from_pretrained(directory))
    await engine.stop()


async def decide(case: Case, *questions: dict[str, Any]) -> tuple[list[list[float]], dict[str, Any]]:
    """Return the probabilities of each question's options, and the usage."""
    body = {"model": "tiny", "input": INPUT, "questions": questions}
    response = await send(case.app, "POST", "/openai/v1/decisions", json=body)
    assert response.status_code == 200, response.text
    answer = response.json()
    found = [
        [each["probability"] for each in one["probabilities"]]
        if "probabilities" in one
        else [one["probability"], 1 - one["probability"]]
        for one in answer["answers"]
    ]
    return found, answer["usage"]


async def test_probabilities_are_those_of_whole_labels_in_transformers(case: Case) -> None:
    found, usage = await decide(case, *(question for question, _, _ in QUESTIONS.values()))
    assert usage["input_tokens_details"]["cached_tokens"] > 0
    for probabilities, (_, text, labels) in zip(found, QUESTIONS.values(), strict=True):
        assert sum(probabilities) == pytest.approx(1)
        assert probabilities == pytest.approx(case.reference(text, labels), abs=TOLERANCE)


async def test_an_answer_does_not_depend_on_the_other_questions(case: Case) -> None:
    together, _ = await decide(case, *(question for question, _, _ in QUESTIONS.values()))
    for name, among_others in zip(QUESTIONS, together, strict=True):
        (alone,), _ = await decide(case, QUESTIONS[name][0])
        assert alone == pytest.approx(among_others, abs=TOLERANCE), name
