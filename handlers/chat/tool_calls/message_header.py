"""The headers of harmony's messages, which say who speaks, on which channel, and to whom; pure.

A message is `<|start|>` HEADER `<|message|>` TEXT and one of the ends, as OpenAI's harmony documents it. The
recipient stands after the role or after the channel.
"""

import re
from typing import Final

import msgspec

from handlers.chat.markers import partial_suffix

START: Final = "<|start|>"
CHANNEL: Final = "<|channel|>"
CONSTRAIN: Final = "<|constrain|>"
MESSAGE: Final = "<|message|>"
END: Final = "<|end|>"
CALL: Final = "<|call|>"
RETURN: Final = "<|return|>"
ENDS: Final = (END, CALL, RETURN)
FRAMING: Final = (START, CHANNEL, CONSTRAIN, MESSAGE, *ENDS)
ASSISTANT: Final = "assistant"
FUNCTIONS: Final = "functions."  # the namespace of a request's own tools

MAX_LENGTH: Final = 512  # characters of a header
# No two parts of the pattern can share a blank, so that a header takes time linear in its length: where each
# blank could belong to four parts, blanks alone took seconds.
_TO: Final = r"(?:\s*+to=(?P<{}>[^<\s]*+(?:\s++[^<\s]++)*?))?"
_TYPE: Final = (
    r"(?:\s*+(?P<is_{0}>\<\|constrain\|\>)\s*+(?P<{0}>[\w-]*+)|\s*+(?<=\s)(?P<plain_{0}>json|code|text))?\s*+"
)
_WORDS: Final = (ASSISTANT, FUNCTIONS, "analysis", "commentary", "final", "to=", " json", " code", " text")
_BLANK: Final = re.compile(r"\s")  # any of them may stand where a word has a space
_CHANNEL: Final = r"\s*+\<\|channel\|\>\s*+(?P<{}>analysis|commentary|final)?"
# Models also write the recipient for the role, and the channel twice.
_HEADER: Final = re.compile(
    r"\s*+(?P<role>assistant|(?P<callee>functions\.[^<\s]*+))?"
    + _TO.format("first")
    + f"(?:{_CHANNEL.format('channel')}{_TO.format('second')}"
    + f"(?P<again>{_CHANNEL.format('last_channel')}{_TO.format('third')})?)?"
    + rf"(?P<kind>{_TYPE.format('type')})"
)


class MessageHeader(msgspec.Struct, frozen=True, kw_only=True):
    """One header; recipient "" is a message to the user. role "" where the prompt has written it."""

    role: str
    channel: str
    recipient: str
    text: str

    @classmethod
    def parse(cls, text: str) -> "MessageHeader | None":
        """Return the header of this text, without `<|start|>` and `<|message|>`; None if it is none.

        Its `text` is in the one order that calls are read in: channel, recipient, type of content.
        """
        found = _HEADER.fullmatch(text) if len(text) <= MAX_LENGTH else None
        if found is None:
            return None
        addressed = found["third"] or found["second"] or found["first"]
        if addressed and found["callee"]:  # the result of a call has a recipient too
            return None
        recipient = addressed or found["callee"] or ""
        channel = found["last_channel"] or found["channel"] or ""
        if found["second"] and found["again"] is None:
            ordered = text[text.index(CHANNEL) :]
        else:
            ordered = f"{CHANNEL}{channel}{f' to={recipient}' if recipient else ''}{found['kind']}"
        return cls(role=found["role"] or "", channel=channel, recipient=recipient.strip(), text=ordered)


def may_become_header(text: str, *, has_role: bool, is_whole: bool) -> bool:
    """Return whether the text is the beginning of a header.

    is_whole: whether no further text can complete a word of it.
    has_role: whether the prompt has written the role, so that none is expected here.
    """
    if len(text) > MAX_LENGTH:
        return False
    num_begun = 0 if is_whole else partial_suffix(_BLANK.sub(" ", text), (*FRAMING, *_WORDS))
    certain = text[: len(text) - num_begun]
    found = _HEADER.fullmatch(text) or _HEADER.fullmatch(certain)
    return found is not None and not (has_role and found["role"])
