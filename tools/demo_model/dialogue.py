"""Rounds of talk, which the skills write, and the dialogues made of them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"
Message: TypeAlias = dict[str, Json]
Tool: TypeAlias = dict[str, Json]
# Private characters around what a grammar writes of an answer, not the model.
_GIVEN_FROM: Final = "\ue000"
_GIVEN_TO: Final = "\ue001"
_GIVEN: Final = re.compile(f"{_GIVEN_FROM}(.*?){_GIVEN_TO}", re.DOTALL)


def given(text: str) -> str:
    """Mark a part of an answer as one that a grammar writes."""
    return f"{_GIVEN_FROM}{text}{_GIVEN_TO}"


def parts_of(answer: str) -> list[str]:
    """Return an answer's parts: those at odd places are given."""
    return _GIVEN.split(answer)


@dataclass(frozen=True)
class Call:
    """One tool call as the model must write it."""

    name: str
    arguments: Mapping[str, Json]


@dataclass(frozen=True)
class Round:
    """A user turn and all that the model says until the next one.

    `accept` holds lower-case strings, one of which must occur in a reply for it to count as right; evaluation
    reads it, training does not. A round with calls goes on with `results`, one for each call, and the answer.
    """

    user: str
    thought: str
    answer: str
    accept: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    results: tuple[str, ...] = ()

    def messages(self) -> list[Message]:
        """The round as chat messages in OpenAI's shape, which the chat template reads."""
        asked: Message = {"role": "user", "content": self.user}
        thought, called = self.thought, list[Message]()
        if self.calls:
            calls: list[Json] = [
                {"type": "function", "function": {"name": call.name, "arguments": dict(call.arguments)}}
                for call in self.calls
            ]
            called.append(
                {"role": "assistant", "content": "", "tool_calls": calls, "reasoning_content": thought}
            )
            called.extend({"role": "tool", "content": result} for result in self.results)
            thought = "The tool has answered. I tell the user." if thought else ""
        return [asked, *called, {"role": "assistant", "content": self.answer, "reasoning_content": thought}]

    def without_thought(self) -> "Round":
        """The same round as the model writes it when thinking is off."""
        return replace(self, thought="")


@dataclass(frozen=True)
class Dialogue:
    """A whole conversation, ready for the chat template."""

    skill: str
    rounds: tuple[Round, ...]
    system: str | None = None
    tools: tuple[Tool, ...] = ()

    def without_thoughts(self) -> "Dialogue":
        """The same dialogue with thinking off."""
        return replace(self, rounds=tuple(talk.without_thought() for talk in self.rounds))

    def messages(self) -> list[Message]:
        """All messages in order, the system message first when there is one."""
        system: list[Message] = [] if self.system is None else [{"role": "system", "content": self.system}]
        return system + [message for talk in self.rounds for message in talk.messages()]
