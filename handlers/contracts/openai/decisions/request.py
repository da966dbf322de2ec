"""Requests for decisions in neutral terms."""

import json
from collections.abc import Callable, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from generated.openai import models as m
from handlers.chat.media import placed
from handlers.chat.messages import ChatMessage, Content, ContentPart, TextPart
from handlers.contracts.openai.responses.request.conversation import Conversation, content_of
from handlers.decisions.question import Option, Question, QuestionKind, predicate
from handlers.operations.missing import given
from verbatim_kit.errors import Refused

AnyQuestion: TypeAlias = m.DecisionPredicate | m.DecisionChoice | m.DecisionScore


def input_messages(body: m.CreateDecisionRequest) -> tuple[ChatMessage, ...]:
    """Return the input as a conversation, in which parts that are not text name their fields.

    Raises Refused for an item that cannot be honoured.
    """
    conversation = Conversation(None, body.input)

    return tuple(
        replace(message, content=_as_lines(message.content, conversation.field))
        for message in placed(conversation.messages)
    )


def neutral_questions(body: m.CreateDecisionRequest) -> list[Question]:
    """Return the questions. Raises Refused for those that break a rule which no schema states."""
    _check_names(body.questions)
    return [_neutral(question, f"questions[{at}]") for at, question in enumerate(body.questions)]


def _check_names(questions: Sequence[AnyQuestion]) -> None:
    seen: set[str] = set()
    for at, question in enumerate(questions):
        name = given(question.name)
        if name is not None and name in seen:
            raise Refused(f"Another question has the name '{name[:200]}'.", f"questions[{at}].name")
        if name is not None:
            seen.add(name)


def _neutral(question: AnyQuestion, at: str) -> Question:
    field = f"{at}.instructions"
    content = content_of(question.instructions, field)
    (message,) = placed([ChatMessage(role="user", content=content)])
    instructions = _as_lines(message.content, lambda place: place.replace("messages[0].content", field))
    match question:
        case m.DecisionPredicate():
            return predicate(instructions)
        case m.DecisionChoice():
            kind, options = QuestionKind.CHOICE, _choices(question.choices, at)
        case m.DecisionScore():
            kind, options = QuestionKind.SCORE, _levels(question.levels, at)
    return Question(kind=kind, instructions=instructions, options=options)


def _as_lines(content: Content, name: Callable[[str], str]) -> Content:
    """Return a content in which texts next to each other are on lines of their own.

    name: returns the request's name for the place of a part.
    """
    if not isinstance(content, tuple):
        return content
    parts: list[ContentPart] = []
    for part in content:
        if isinstance(part, TextPart):
            if parts and isinstance(parts[-1], TextPart):
                parts.append(TextPart("\n"))
            parts.append(part)
        else:
            parts.append(replace(part, place=name(part.place)))
    return tuple(parts)


def _choices(choices: Sequence[m.DecisionChoiceOption], at: str) -> tuple[Option, ...]:
    """Return the choices. Texts are quoted where a choice is a boolean: the text `true` is another value."""
    values = [choice.value for choice in choices]
    seen: set[str | bool] = set()
    for number, value in enumerate(values):
        if value in seen:
            raise Refused("Another choice has the same value.", f"{at}.choices[{number}].value")
        seen.add(value)
    quotes = any(isinstance(value, bool) for value in values)
    return tuple(
        Option(
            json.dumps(choice.value, ensure_ascii=False) if quotes else str(choice.value),
            given(choice.description),
        )
        for choice in choices
    )


def _levels(levels: Sequence[m.DecisionLevel], at: str) -> tuple[Option, ...]:
    options = tuple(Option(level.label, given(level.description)) for level in levels)
    known: dict[str, Option] = {}
    for number, (level, option) in enumerate(zip(levels, options, strict=True)):
        if known.setdefault(level.label, option) != option:
            reason = f"Another level is '{level.label[:200]}' too, and has another description."
            raise Refused(reason, f"{at}.levels[{number}].label")
    return options
