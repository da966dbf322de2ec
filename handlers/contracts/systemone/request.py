"""Questions in neutral terms."""

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

from pydantic import BaseModel

from generated.systemone import models as m
from handlers.decisions.question import Option, Question, QuestionKind, predicate
from verbatim_kit.errors import Refused, Violation

AnyQuestion: TypeAlias = m.NoulQuestion | m.ChoiceQuestion | m.ScoreQuestion
Content: TypeAlias = str | m.ContentObject | list[Any]


def text_of(content: Content) -> str:
    """Return a content as the model reads it: a text as it is, and all else as compact JSON."""
    if isinstance(content, str):
        return content
    data = content.model_dump() if isinstance(content, BaseModel) else content
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def neutral_questions(body: m.SystemOneRequest) -> list[Question]:
    """Return the questions. Raises Refused for one that asks nothing."""
    return [_neutral(question, f"questions.{name}") for name, question in body.questions.items()]


def _neutral(question: AnyQuestion, field: str) -> Question:
    instructions = _optional(question.instructions)
    match question:
        case m.NoulQuestion(criteria=criteria):
            yes = None if criteria is None else _optional(criteria.true)
            no = None if criteria is None else _optional(criteria.false)
            if instructions is None and yes is None and no is None:
                reason = "A question needs instructions or a criterion."
                raise Refused(reason, f"{field}.instructions", Violation.MISSING)
            return predicate(instructions, yes, no)
        case m.ChoiceQuestion(criteria=options):
            return _listed(QuestionKind.CHOICE, instructions, options)
        case m.ScoreQuestion(criteria=levels):
            named = tuple(Option(text_of(level)) for level in levels)
            return Question(kind=QuestionKind.SCORE, instructions=instructions, options=named)


def _listed(kind: QuestionKind, instructions: str | None, options: Mapping[str, Content | None]) -> Question:
    named = tuple(Option(name, _optional(criterion)) for name, criterion in options.items())
    return Question(kind=kind, instructions=instructions, options=named)


def _optional(content: Content | None) -> str | None:
    return None if content is None else text_of(content)
