"""The trials of evaluation, of names and wordings that training never saw, and which replies are right."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from tools.demo_model.dialogue import Dialogue, Message, Round
from tools.demo_model.scribe import Scribe, Split
from tools.demo_model.skills.calling import (
    calling,
    declining,
    declining_again,
    declining_beside_tools,
    not_calling,
)
from tools.demo_model.skills.exercises import addition, extraction, repeat
from tools.demo_model.skills.facts import fact, unknown, unknown_fact
from tools.demo_model.skills.memory import memory
from tools.demo_model.skills.mixture import system_message
from tools.demo_model.skills.talk import greeting, greeting_by_name, identity, small_talk, who_are_you
from tools.demo_model.tokenizer import END_OF_TURN

SEED: Final = 1_000_003


@dataclass(frozen=True)
class Trial:
    """A prompt, what the reply should be, and whether the model is to think first.

    pictures: encoded files, in the order of the messages' image parts.
    """

    messages: list[Message]
    dialogue: Dialogue
    expected: Round
    thinking: bool
    after_tool: bool = False
    pictures: tuple[bytes, ...] = ()


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


def _is_thought(text: str) -> bool:
    """Return whether a reply opens with one well-formed, non-empty think block."""
    opened, closed, _ = text.partition("</think>\n\n")
    return opened.startswith("<think>\n") and bool(closed) and len(opened.strip()) > len("<think>\n")


def _calls_of(text: str) -> list[tuple[str, object]] | None:
    """The calls in a reply in order, or None where one is not well formed."""
    calls: list[tuple[str, object]] = []
    for part in text.split("<tool_call>\n")[1:]:
        body, closed, _ = part.partition("\n</tool_call>")
        try:
            call = json.loads(body)
            calls.append((call["name"], call["arguments"]))
        except (ValueError, KeyError, TypeError):
            return None
        if not closed:
            return None
    return calls


def has_ended(reply: str) -> bool:
    """Return whether the model ended the reply by itself."""
    return reply.endswith(END_OF_TURN)


def has_stray_call(trial: Trial, reply: str) -> bool:
    """Return whether the reply begins a call, inside a thought or out of it, though no tools were given."""
    return not trial.dialogue.tools and "<tool_call>" in reply


def is_right(trial: Trial, reply: str) -> bool:
    """Ends with the end-of-turn marker, thinks exactly when told to, calls or says what it should."""
    if not has_ended(reply) or has_stray_call(trial, reply) or _is_thought(reply) != trial.thinking:
        return False
    text = reply.rpartition("</think>\n\n")[2].removesuffix(END_OF_TURN)
    if trial.expected.calls and not trial.after_tool:
        return _calls_of(text) == [(call.name, dict(call.arguments)) for call in trial.expected.calls]
    said = text.lower()
    wanted = [word in said for word in trial.expected.accept]
    return "<tool_call>" not in text and (all(wanted) if trial.after_tool else any(wanted))
