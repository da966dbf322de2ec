"""Answers in the contract's form."""

from collections.abc import Sequence
from typing import TypeAlias

from generated.systemone import models as m
from handlers.contracts.systemone.request import AnyQuestion
from handlers.decisions.decider import Decision
from handlers.decisions.numbers import choice_confidence, expected_score, likeliest, score_confidence

Answer: TypeAlias = m.NoulAnswer | m.ChoiceAnswer | m.ScoreAnswer


def system_one_response(
    model: str, body: m.SystemOneRequest, decisions: Sequence[Decision]
) -> m.SystemOneResponse:
    """Return the whole answer. model: the name of the served model or of the adapter."""
    asked = zip(body.questions.items(), decisions, strict=True)
    return m.SystemOneResponse(
        model=model,
        answers={name: _answer(question, decision.probabilities) for (name, question), decision in asked},
        usage=m.Usage(
            input_tokens=sum(decision.cost.num_prompt_tokens for decision in decisions), output_tokens=0
        ),
    )


def _answer(question: AnyQuestion, probabilities: Sequence[float]) -> Answer:
    match question:
        case m.NoulQuestion():
            return m.NoulAnswer(type="noul", noul=probabilities[0])
        case m.ChoiceQuestion(criteria=options):
            return m.ChoiceAnswer(
                type="choice",
                choice=list(options)[likeliest(probabilities)],
                confidence=choice_confidence(probabilities),
                probabilities=dict(zip(options, probabilities, strict=True)),
            )
        case m.ScoreQuestion(criteria=levels):
            return m.ScoreAnswer(
                type="score",
                score=expected_score(probabilities),
                confidence=score_confidence(probabilities),
                legend={str(number): level for number, level in enumerate(levels)},
                probabilities={str(number): each for number, each in enumerate(probabilities)},
            )
