"""Decisions in the contract's form."""

from collections.abc import Sequence
from typing import TypeAlias

from generated.openai import models as m
from handlers.contracts.openai.decisions.request import AnyQuestion
from handlers.decisions.decider import Decision
from handlers.decisions.numbers import choice_confidence, expected_score, likeliest, score_confidence
from handlers.operations.missing import given

Answer: TypeAlias = (
    m.DecisionPredicateAnswer | m.DecisionChoiceAnswer | m.DecisionScoreAnswer | m.DecisionRefusal
)


def decision_response(
    model: str, questions: Sequence[AnyQuestion], decisions: Sequence[Decision]
) -> m.Decision:
    """Return the whole answer. model: the name of the served model or of the adapter."""
    num_input_tokens = sum(decision.cost.num_prompt_tokens for decision in decisions)
    return m.Decision(
        model=model,
        answers=[
            _answer(question, decision.probabilities)
            for question, decision in zip(questions, decisions, strict=True)
        ],
        usage=m.DecisionUsage(
            input_tokens=num_input_tokens,
            input_tokens_details=m.ResponseInputTokensDetails(
                cached_tokens=sum(decision.cost.num_cached_tokens for decision in decisions),
                cache_write_tokens=0,
            ),
            output_tokens=0,
            output_tokens_details=m.ResponseOutputTokensDetails(reasoning_tokens=0),
            total_tokens=num_input_tokens,
        ),
    )


def _answer(question: AnyQuestion, probabilities: Sequence[float]) -> Answer:
    name = given(question.name)
    match question:
        case m.DecisionPredicate():
            return m.DecisionPredicateAnswer(type="predicate", name=name, probability=probabilities[0])
        case m.DecisionChoice(choices=choices):
            return m.DecisionChoiceAnswer(
                type="choice",
                name=name,
                choice=choices[likeliest(probabilities)].value,
                confidence=choice_confidence(probabilities),
                probabilities=[
                    m.DecisionValueProbability(value=choice.value, probability=probability)
                    for choice, probability in zip(choices, probabilities, strict=True)
                ],
            )
        case m.DecisionScore(levels=levels):
            return m.DecisionScoreAnswer(
                type="score",
                name=name,
                score=expected_score(probabilities),
                confidence=score_confidence(probabilities),
                probabilities=[
                    m.DecisionLevelProbability(value=value, label=level.label, probability=probability)
                    for value, (level, probability) in enumerate(zip(levels, probabilities, strict=True))
                ],
            )
