"""Names of the document as names of Python."""

import keyword
import re


def snake_case(name: str) -> str:
    """`chatCompletions`, `chat-completions` and `chat.completions` as `chat_completions`."""
    words = re.sub(r"([a-z0-9])([A-Z])|([A-Z]+)([A-Z][a-z])", r"\1\3_\2\4", name)
    return re.sub(r"[^0-9a-zA-Z]+", "_", words).strip("_").lower()


def pascal_case(name: str) -> str:
    """`chat_completions` as `ChatCompletions`."""
    return "".join(word[:1].upper() + word[1:] for word in snake_case(name).split("_"))


def is_identifier(name: str) -> bool:
    """Return whether Python lets a method be called so."""
    return name.isidentifier() and not keyword.iskeyword(name)
