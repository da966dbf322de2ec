"""The interface of the ways in which model families keep thoughts apart from their answer."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import Enum

import msgspec

from engine.port.request import ThinkingBudget
from handlers.chat.structured_output.structural_tag import Tag


class ReasoningStart(Enum):
    """The state of the thoughts at the start of an answer."""

    OPEN = "open"  # the prompt has opened the block
    POSSIBLE = "possible"  # the model may open one
    CLOSED = "closed"  # the prompt holds a whole block, or the answer itself has begun


class AnswerPart(Enum):
    """The part of an answer that a token belongs to, for token counts and log-probabilities."""

    REASONING = "reasoning"  # tags too
    LAYOUT = (
        "layout"  # blanks between thoughts and answer, headers of messages; special tokens that do not show
    )
    ANSWER = "answer"  # content and tool calls


class ReasoningText(msgspec.Struct, frozen=True):
    """A run of text: thoughts, and content that comes after them."""

    reasoning: str = ""
    content: str = ""


class ReasoningParser(ABC):
    """The parser of one text into thoughts and content; pure.

    The runs joined depend only on the text, not on how it was cut.

    part: the part of the answer that the piece fed last belongs to; None if it goes with the next piece. A
        piece that ends thoughts and begins the answer belongs to the answer.
    """

    def __init__(self) -> None:
        self.part: AnswerPart | None = None

    @property
    @abstractmethod
    def reads_content_alone(self) -> bool:
        """True if all text from here on is content."""

    @abstractmethod
    def feed(self, text: str) -> tuple[ReasoningText, ...]:
        """Return the runs that are certain after this piece, in their order."""

    @abstractmethod
    def finish(self, *, is_cut: bool = False) -> tuple[ReasoningText, ...]:
        """Return the rest at the end of the text. is_cut: the argument of `ToolParser.finish`."""


@dataclass(frozen=True, kw_only=True)
class ReasoningFormat(ABC):
    """One family's way of writing thoughts and what follows them.

    frames_content: whether content too has a header, so that an answer without thoughts must still be parsed.
    is_single: whether an answer has at most one thought, at its start.
    end_tokens: tokens that end an answer, whether or not the checkpoint lists them among its end tokens.
    efforts: efforts of reasoning that the family does not know, each with the nearest that it does know.
    """

    frames_content: bool = False
    is_single: bool = True
    end_tokens: tuple[str, ...] = ()
    efforts: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    @abstractmethod
    def tags(self) -> tuple[str, ...]:
        """The fixed texts of the format."""

    @property
    @abstractmethod
    def kept_tags(self) -> tuple[str, ...]:
        """The tags that an assistant's content may hold when a client sends it back."""

    def holds(self, token_text: str) -> bool:
        """Return whether a token is a tag or a part of one."""
        return bool(token_text) and any(token_text in tag for tag in self.tags)

    @abstractmethod
    def is_format_of(self, template: str) -> bool:
        """Return whether a chat template belongs to this family."""

    @abstractmethod
    def is_in(self, tokens: Collection[str]) -> bool:
        """Return whether the family's tags are among a vocabulary's added tokens."""

    @abstractmethod
    def start(self, prompt: str, continued: str | None = None) -> ReasoningStart:
        """Return the state of the thoughts where a rendered prompt ends.

        continued: the assistant's text that the answer continues, if any.
        """

    @abstractmethod
    def parser(
        self, start: ReasoningStart, *, verbatim: bool = False, tools: Collection[str] = ()
    ) -> ReasoningParser:
        """Return a new parser.

        verbatim: thoughts keep tags around them, for answers that leave them in the content.
        tools: the names of the functions that the model may call.
        """

    @abstractmethod
    def stop_free(self, start: ReasoningStart) -> tuple[tuple[tuple[str, str], ...], str | None]:
        """Return the spans that are no content, and the end of the one that the text begins in, as the
        `stop_free` and `stop_free_until` of `engine.port.request.StopConditions`.
        """

    @abstractmethod
    def opening(self, start: ReasoningStart) -> str:
        """Return the text between a prompt that ends in this state and an answer without thoughts."""

    @property
    @abstractmethod
    def thought_markers(self) -> tuple[str, str]:
        """The texts that begin and end a thought."""

    @abstractmethod
    def closing(self, shown: str) -> str:
        """Return the text that closes a thought.

        shown: the text between a thought and the answer in the model's template; "" if it shows no thoughts.
        """

    def budget(self, max_tokens: int, start: ReasoningStart, shown: str) -> ThinkingBudget | None:
        """Return the bound of an answer's thoughts; None if it has none. shown: as in `closing`."""
        if start is ReasoningStart.CLOSED:
            return None
        begin, end = self.thought_markers
        return ThinkingBudget(
            max_tokens=max_tokens,
            begin=begin,
            end=end,
            closing=self.closing(shown),
            is_open=start is ReasoningStart.OPEN,
            is_single=self.is_single,
        )

    @abstractmethod
    def after_reasoning(self, bound: Tag, start: ReasoningStart) -> Tag:
        """Return a tag of any thoughts, and then of the tag that binds the answer."""

    def framed(self, content: Tag, start: ReasoningStart) -> Tag:
        """Return the tag of content with the header that the format gives it."""
        return content
