"""A question in the neutral form that contracts translate to, and its wording in a prompt."""

from collections.abc import Sequence
from enum import Enum
from typing import Final

import msgspec

from handlers.chat.messages import Content
from handlers.chat.prompt.conversation import joined

YES: Final = "Yes"
NO: Final = "No"


class QuestionKind(Enum):
    """The kind of answer that a question wants."""

    PREDICATE = "predicate"  # whether it holds; the options are yes and no, in this order
    CHOICE = "choice"  # one of several options
    SCORE = "score"  # one of several levels, the lowest first


class Option(msgspec.Struct, frozen=True):
    """A possible answer. description: when it is the right one; None if nothing says so."""

    name: Content
    description: Content = None

    def line(self, label: str) -> Content:
        """Return the option as a line of a prompt."""
        named = (label, ": ", self.name) if self.name != label else (label,)
        if self.description is None:
            return joined(named, "")
        return joined((*named, " - " if self.name != label else ": ", self.description), "")


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A question about an input. instructions: what is asked; None if the options say it."""

    kind: QuestionKind
    instructions: Content
    options: tuple[Option, ...]


def predicate(instructions: Content, yes: Content = None, no: Content = None) -> Question:
    """Return the question whether something holds. yes, no: when it does, and when it does not."""
    return Question(
        kind=QuestionKind.PREDICATE,
        instructions=instructions,
        options=(Option(YES, yes), Option(NO, no)),
    )


def wording(question: Question, labels: Sequence[str], order: Sequence[int]) -> Content:
    """Return the question as the end of a user's turn.

    labels: the label of each place in the list of options. order: the number of the option at each place.
    """
    options = [question.options[number] for number in order]
    lines = [option.line(label) for label, option in zip(labels, options, strict=True)]
    match question.kind:
        case QuestionKind.PREDICATE:
            if all(option.description is None for option in options):
                lines = []
            request = "Does this hold? Reply with one word only: Yes or No."
        case QuestionKind.CHOICE:
            request = "Which option fits best? Reply with its label only."
        case QuestionKind.SCORE:
            request = "Which level fits best? Reply with its label only."
    return joined([question.instructions, joined(lines, "\n"), request], "\n\n")
