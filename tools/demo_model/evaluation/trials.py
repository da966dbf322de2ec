"""The trials of evaluation: dialogues of names and wordings that training never saw."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from tools.demo_model.dialogue import Dialogue, Message, Round
from tools.demo_model.scribe import Scribe, Split
from tools.demo_model.skills.echo import repeat
from tools.demo_model.skills.extraction import extraction
from tools.demo_model.skills.facts import fact
from tools.demo_model.skills.identity import identity, who_are_you
from tools.demo_model.skills.memory import memory
from tools.demo_model.skills.mixture import system_message
from tools.demo_model.skills.numbers import addition
from tools.demo_model.skills.smalltalk import greeting, greeting_by_name, small_talk
from tools.demo_model.skills.tools.calling import calling, not_calling
from tools.demo_model.skills.tools.declining import (
    declining,
    declining_again,
    declining_beside_tools,
)
from tools.demo_model.skills.unknown import unknown, unknown_fact

SEED: Final = 1_000_003


@dataclass(frozen=True)
class Trial:
    """A prompt, what the reply should be, and whether the model is to think first."""

    messages: list[Message]
    dialogue: Dialogue
    expected: Round
    thinking: bool
    after_tool: bool = False


def _one(skill: Callable[[Scribe], Round]) -> Callable[[Scribe], Dialogue]:
    return lambda scribe: Dialogue(skill.__name__, (skill(scribe),))


def _with_system(skill: Callable[[Scribe], Dialogue]) -> Callable[[Scribe], Dialogue]:
    return lambda scribe: replace(skill(scribe), system=system_message(scribe))


def _ends_in_words(skill: Callable[[Scribe], Dialogue]) -> Callable[[Scribe], Dialogue]:
    """Leave out the dialogues that end in a call."""

    def drawn(scribe: Scribe) -> Dialogue:
        return next(talk for talk in (skill(scribe) for _ in count()) if not talk.rounds[-1].calls)

    return drawn


KINDS: Final[dict[str, Callable[[Scribe], Dialogue]]] = {
    "greeting": _one(greeting),
    "greeting by name": _one(greeting_by_name),
    "small talk": _one(small_talk),
    "who are you": _one(who_are_you),
    "identity": _one(identity),
    "fact": _one(fact),
    "addition": _one(addition),
    "out of its world": _one(unknown),
    "unknown fact": _one(unknown_fact),
    "repeat": _one(repeat),
    "JSON": _one(extraction),
    "memory": lambda scribe: Dialogue("memory", memory(scribe)),
    "tool call": calling,
    "no call needed": not_calling,
    "no tools at all": _with_system(declining),
    "no tools, several turns": _with_system(declining_again),
    "tools for something else": _with_system(_ends_in_words(declining_beside_tools)),
}


def trials(kind: str, num_prompts: int, thinking: bool) -> list[Trial]:
    """Prompts of one kind up to the last user turn."""
    scribe = Scribe(SEED + sum(kind.encode()), Split.UNSEEN)
    out = []
    for _ in range(num_prompts):
        talk = KINDS[kind](scribe)
        *earlier, last = talk.rounds
        before = replace(talk, rounds=tuple(earlier)).without_thoughts().messages()
        out.append(Trial([*before, {"role": "user", "content": last.user}], talk, last, thinking))
    return out


def trials_after_tool(num_prompts: int) -> list[Trial]:
    """Prompts that end in a tool's result, which the reply must tell."""
    scribe = Scribe(SEED, Split.UNSEEN)
    out = []
    for _ in range(num_prompts):
        talk = calling(scribe)
        before = talk.without_thoughts().messages()[:-1]
        out.append(Trial(before, talk, talk.rounds[-1], thinking=False, after_tool=True))
    return out
