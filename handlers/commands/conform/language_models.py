"""The rules that all contracts of language models share."""

from typing import Final

from handlers.commands.conform.texts import streamed_text, whole_text
from verbatim_kit.conform.document import Json
from verbatim_kit.conform.place import Place
from verbatim_kit.conform.rules import Rules, Texts

_LENGTHS: Final[tuple[Place, ...]] = tuple(
    (*parent, name)
    for parent in ((), ("parameters",))
    for name in (
        "max_completion_tokens",
        "max_tokens",
        "max_new_tokens",
        "maximum_tokens",
        "max_output_tokens",
    )
)
_GREEDY: Final[dict[Place, Json]] = {("temperature",): 0, ("parameters", "temperature"): 0}


def with_shared(rules: Rules) -> Rules:
    """Return a contract's rules with those that all share, where it has none of its own."""
    return rules._replace(
        lengths=rules.lengths or _LENGTHS, repeatable=_GREEDY, texts=Texts(whole_text, streamed_text)
    )
