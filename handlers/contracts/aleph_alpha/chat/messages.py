"""A conversation of the wire in neutral terms, in the order that the contract prescribes."""

from collections.abc import Sequence
from typing import Final

from generated.aleph_alpha import models as m
from handlers.chat.messages import ChatMessage
from verbatim_kit.errors import Refused

_TURNS: Final = ("user", "assistant")


def conversation(messages: Sequence[m.ChatMessage]) -> tuple[ChatMessage, ...]:
    """Return the messages of a conversation, at least one. Names are ignored, as the contract says.

    Raises Refused for the first message of a wrong role for its place.
    """
    _check_order([message.role for message in messages])
    return tuple(ChatMessage(role=message.role, content=message.content) for message in messages)


def _check_order(roles: Sequence[str]) -> None:
    first = 1 if roles[0] == "system" else 0
    for place, role in enumerate(roles[first:], first):
        if role == "system":
            raise Refused("only the first message can be the system's", f"messages[{place}].role")
        if role != _TURNS[(place - first) % 2]:
            raise Refused("user and assistant must alternate, the user first", f"messages[{place}].role")
    if roles[-1] != "user":
        raise Refused("the last message must be the user's", f"messages[{len(roles) - 1}].role")
