"""States and questions in neutral terms."""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from pydantic import BaseModel

from engine.port.request import MediaKind
from engine.port.text.patterns import any_of
from generated.systemone import models as m
from handlers.chat.messages import Content, ContentPart, MediaPart, TextPart
from handlers.decisions.question import Option, Question, QuestionKind, predicate
from verbatim_kit.errors import Refused, Violation

AnyQuestion: TypeAlias = m.NoulQuestion | m.ChoiceQuestion | m.ScoreQuestion
WireContent: TypeAlias = str | m.ContentObject | list[Any]


class NeutralRequest(NamedTuple):
    """The subject of a request, and its questions."""

    state: Content
    questions: list[Question]


def neutral_request(body: m.SystemOneRequest) -> NeutralRequest:
    """Return the request. Raises Refused for a question that asks nothing, and an image without a place."""
    reader = _ContentReader(body.assets or {})
    state = reader.read(body.state)
    questions = [reader.question(each, f"questions.{name}") for name, each in body.questions.items()]
    reader.check_places()
    return NeutralRequest(state, questions)


class _ContentReader:
    """Reads the contents of one request. Images stand where the names of assets do."""

    def __init__(self, assets: Mapping[str, m.Asset]) -> None:
        self._images = {
            name: MediaPart(
                MediaKind.IMAGE,
                f"data:image/{asset.format or 'png'};base64,{asset.data_base64}",
                f"assets.{name}.data_base64",
            )
            for name, asset in assets.items()
        }
        self._placed: set[str] = set()

    def check_places(self) -> None:
        """Raise Refused for an image that is in none of the contents so far."""
        for name in self._images:
            if name not in self._placed:
                reason = "No text of the state, instructions or criteria has this name."
                raise Refused(reason, f"assets.{name}")

    def read(self, content: WireContent) -> Content:
        """Return a content as the model reads it: a text as it is, and all else as compact JSON."""
        if isinstance(content, str):
            return self._with_images(content, {name: name for name in self._images})
        data = content.model_dump() if isinstance(content, BaseModel) else content
        return self._with_images(_json(data), {_json(name)[1:-1]: name for name in self._images})

    def question(self, question: AnyQuestion, field: str) -> Question:
        """Return a question. Raises Refused for one that asks nothing."""
        instructions = self._optional(question.instructions)
        match question:
            case m.NoulQuestion(criteria=criteria):
                yes = None if criteria is None else self._optional(criteria.true)
                no = None if criteria is None else self._optional(criteria.false)
                if instructions is None and yes is None and no is None:
                    reason = "A question needs instructions or a criterion."
                    raise Refused(reason, f"{field}.instructions", Violation.MISSING)
                return predicate(instructions, yes, no)
            case m.ChoiceQuestion(criteria=criteria):
                kind = QuestionKind.CHOICE
                options = [Option(self.read(name), self._optional(when)) for name, when in criteria.items()]
            case m.ScoreQuestion(criteria=levels):
                kind, options = QuestionKind.SCORE, [Option(self.read(level)) for level in levels]
        return Question(kind=kind, instructions=instructions, options=tuple(options))

    def _optional(self, content: WireContent | None) -> Content:
        return None if content is None else self.read(content)

    def _with_images(self, text: str, names: Mapping[str, str]) -> Content:
        """Return a text with images in their places. names: those of the images, as the text has them."""
        if not names:
            return text
        parts: list[ContentPart] = []
        end = 0
        for match in re.finditer(any_of(names), text):
            name = names[match[0]]
            self._placed.add(name)
            parts += [TextPart(text[end : match.start()]), self._images[name]]
            end = match.end()
        return (*parts, TextPart(text[end:])) if parts else text


def _json(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
