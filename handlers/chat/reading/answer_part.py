"""The part of an answer to which each of its tokens belongs; pure."""

from engine.port.events import TokenEvent
from handlers.chat.reading.answer_parser import AnswerFormat
from handlers.chat.reading.reasoning import AnswerPart


class PartReader:
    """Sorts the tokens of one answer as they come.

    It reads `TokenEvent.token_text`, which has each token at once: the output text may be held back for a
    stop string.
    """

    def __init__(self, answer_format: AnswerFormat) -> None:
        reasoning = answer_format.reasoning
        self._parser = reasoning.parser() if reasoning else None
        self._tags = reasoning.reasoning_format if reasoning else None
        self._hides_special = answer_format.hides_special

    @property
    def reads_answer_alone(self) -> bool:
        """True if all tokens from here on are the answer's, except special ones."""
        return self._parser is None or self._parser.reads_content_alone

    def feed(self, event: TokenEvent) -> AnswerPart | None:
        """Return the token's part, or None if it is that of the next token. The last event's is
        never None.
        """
        is_tag = self._tags is not None and self._tags.holds(event.token_text)
        if event.is_special and self._hides_special and not is_tag:
            return AnswerPart.LAYOUT
        parser = self._parser
        if parser is None or self.reads_answer_alone:
            return AnswerPart.ANSWER
        parser.feed(event.token_text)
        return AnswerPart.ANSWER if parser.part is None and event.finish else parser.part
