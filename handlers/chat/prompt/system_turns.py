"""System and developer messages in places where a chat template refuses them or leaves them out.

Clients put them anywhere: Codex begins with two, Claude Code sends one after the user's turn, frameworks
steer a conversation with more. Most templates write them where they stand, and then nothing is changed.
Others refuse all but the first (Qwen 3.5), refuse every one (Gemma 2), or write only the first and drop the
others without an error (gpt-oss). For these,

- several at the start become one, with blank lines between them;
- those at the start become the beginning of the user's first turn, if the template takes none at all;
- a later one becomes text in `<system-reminder>` tags in a user's turn at the same place, as Claude Code
  writes reminders itself. Turns of the user next to it are joined with it, since many templates demand that
  turns alternate. For templates that take no user's turn after a tool's result, it ends the result.

A later message stays where it is, so the text before it does not change and is found in the prefix cache.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Final

from msgspec.structs import replace

from handlers.chat.messages import ChatMessage, Content
from handlers.chat.prompt.conversation import joined
from handlers.chat.tools import ToolDefinition

REMINDER_TAGS: Final = ("<system-reminder>", "</system-reminder>")

_ROLES: Final = ("system", "developer")
_SYSTEM: Final = frozenset(_ROLES)
_BETWEEN: Final = "\n\n"
_MAX_PROBES: Final = 256  # more than there are


class SystemTurns:
    """The places in which one template writes system and developer messages."""

    def __init__(self, writes_all: Callable[[Sequence[ChatMessage], bool], bool]) -> None:
        """Try nothing yet.

        writes_all: returns whether the template writes the content of all these messages, with tools or
        without (`ChatTemplate.writes_all`).
        """
        self._writes_all = writes_all
        self._is_written = lru_cache(_MAX_PROBES)(self._probe)

    def forms(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolDefinition] = ()
    ) -> Iterator[Sequence[ChatMessage]]:
        """Yield the conversation in the forms to render, best first. The template may still refuse a form,
        and then the next is tried.
        """
        if _SYSTEM.isdisjoint([message.role for message in messages]):
            yield messages
            return
        has_tools = bool(tools)
        messages = self._with_start(messages, has_tools)
        num_start = _num_at_start(messages)
        later = {message.role for message in messages[num_start:] if message.role in _ROLES}
        start = tuple(message.role for message in messages[:num_start])
        if all(self._is_written(_later_roles(start, role), has_tools) for role in sorted(later)):
            yield messages
        if later:
            yield _with_reminders(messages, in_results=False)
            yield _with_reminders(messages, in_results=True)

    def _with_start(self, messages: Sequence[ChatMessage], has_tools: bool) -> Sequence[ChatMessage]:
        """Return the conversation with the messages at its start in a form that the template writes."""
        num = _num_at_start(messages)
        if num == 0:
            return messages
        first, *others = (message.role for message in messages[:num])
        rest = messages[num:]
        if self._is_written((first, *sorted(set(others)), "user"), has_tools):
            return messages
        text = _joined(messages[:num])
        if num > 1 and self._is_written((first, "user"), has_tools):
            return [replace(messages[0], content=text), *rest]
        if not self._is_written(("user",), has_tools):
            return messages  # it writes nothing that could be looked for
        if rest and rest[0].role == "user":
            return [replace(rest[0], content=joined((text, rest[0].content), _BETWEEN)), *rest[1:]]
        return [ChatMessage(role="user", content=text), *rest]

    def _probe(self, roles: tuple[str, ...], has_tools: bool) -> bool:
        probes = [ChatMessage(role=role, content=f"probe-{at}") for at, role in enumerate(roles)]
        return self._writes_all(probes, has_tools)


def _num_at_start(messages: Sequence[ChatMessage]) -> int:
    return sum(1 for _ in takewhile(lambda message: message.role in _ROLES, messages))


def _later_roles(start: tuple[str, ...], role: str) -> tuple[str, ...]:
    """Return the roles of a conversation in which this one stands after a user, after an assistant, and at
    the end.
    """
    return (*start[:1], "user", role, "assistant", role, "user", role)


def _with_reminders(messages: Sequence[ChatMessage], *, in_results: bool) -> Sequence[ChatMessage]:
    """Return the conversation with reminders in place of the later system messages.

    in_results: whether a reminder after a tool's result becomes its end, and no turn of its own.
    """
    turns = [_Turn(message) for message in messages[: _num_at_start(messages)]]
    can_join = False  # the user's next message to the last turn, which a reminder ends
    for message in messages[len(turns) :]:
        last = turns[-1].message if turns else None
        if message.role in _ROLES:
            reminder = _reminder(message)
            if last is not None and (last.role == "user" or (in_results and last.role == "tool")):
                turns[-1].contents.append(reminder.content)
            else:
                turns.append(_Turn(reminder))
            can_join = turns[-1].message.role == "user"
            continue
        if can_join and last and message.role == "user" and last.name in (None, message.name):
            turns[-1].message = message
            turns[-1].contents.append(message.content)
        else:
            turns.append(_Turn(message))
        can_join = False
    return [turn.joined() for turn in turns]


class _Turn:
    """Messages that become one, with the options of `message`; joined once, as there may be thousands."""

    def __init__(self, message: ChatMessage) -> None:
        self.message = message
        self.contents = [message.content]

    def joined(self) -> ChatMessage:
        if len(self.contents) == 1:
            return self.message
        return replace(self.message, content=joined(self.contents, _BETWEEN))


def _reminder(message: ChatMessage) -> ChatMessage:
    begin, end = REMINDER_TAGS
    return ChatMessage(role="user", content=joined((f"{begin}\n", message.content, f"\n{end}"), ""))


def _joined(messages: Sequence[ChatMessage]) -> Content:
    return joined((message.content for message in messages), _BETWEEN)
