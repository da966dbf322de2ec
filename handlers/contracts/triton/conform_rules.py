"""The rules of Triton's contract."""

from typing import Final

from verbatim_kit.conform.document import Json
from verbatim_kit.conform.place import ABSENT, Place
from verbatim_kit.conform.rules import Ban, Companion, Rules, When, is_above, is_one_of

_GUIDES: Final = {
    "json": "{}",
    "json_schema": "{}",
    "regex": "a",
    "ebnf_grammar": 'root ::= "a"',
    "structural_tag": '{"type": "structural_tag", "format": {"type": "any_text"}}',
}
_ONCE: Final = "an input must be given only once"
_TOO_MANY: Final = "the server does not run that many sequences"
_PREFIXES: Final = ("", "parameters.")
_SOON: Final[dict[Place, Json]] = {("stop_words",): [" ", "e"]}
# Inputs may be members of the body or of its `parameters`.
_PARENTS: Final = ((), ("parameters",))


def _given_once() -> tuple[Companion, ...]:
    """Return companions that remove an input from one place when it is tested in the other."""
    return tuple(
        Companion("*", ".".join((*here, f"{name}*")), {(*there, name): ABSENT}, _ONCE)
        for here, there in (_PARENTS, _PARENTS[::-1])
        for name in ("max_tokens", "temperature", "stream")
    )


def _of_one_length(field: Place, other: Place, item: Json) -> tuple[Companion, ...]:
    def of(num_items: int) -> When:
        return lambda value, body: (len(value) if isinstance(value, list) else 1) == num_items

    return tuple(
        Companion("*", ".".join(map(str, field)), {other: [item] * num}, "each word needs a weight", of(num))
        for num in (0, 1, 63, 64)
    )


def _pairs() -> tuple[Companion, ...]:
    """Return companions for pairs of inputs that depend on each other."""
    found: list[Companion] = []
    for parent in _PARENTS:
        words, weights = (*parent, "embedding_bias_words"), (*parent, "embedding_bias_weights")
        kind, guide = (*parent, "guided_decoding_guide_type"), (*parent, "guided_decoding_guide")
        found += [
            *_of_one_length(words, weights, 0.5),
            *_of_one_length(weights, words, "a"),
            Companion("*", ".".join(guide), {kind: "regex"}, "a guide needs a type"),
        ]
        found += [
            Companion(
                "*", f"{'.'.join(kind)}*", {guide: text}, "a type needs a guide", is_one_of(name, [name])
            )
            for name, text in _GUIDES.items()
        ]
    return tuple(found)


RULES: Final = Rules(
    names_only=True,
    companions=(
        Companion("*", "parameters.text_input*", {("text_input",): ABSENT}, _ONCE),
        *_given_once(),
        *_pairs(),
        *(
            Companion("*", f"{parent}max_tokens*", _SOON, "otherwise the answer fills the context")
            for parent in _PREFIXES
        ),
        Companion("*/generate", "[!s]*", {("stream",): ABSENT}, "generate returns one response"),
    ),
    bans=(
        Ban("*/generate", "*stream", "generate returns one response", is_one_of(True, [True])),
        Ban(
            "*",
            "*sampling_parameters",
            "it must be the JSON text of an object",
            is_one_of("1", "true", "a", ["1"], ["true"], ["a"]),
        ),
        Ban("*", "*end_id", "it exceeds the vocabulary", is_above(2**30), True),
        Ban("*", "*num_return_sequences", _TOO_MANY, is_above(128), True),
        Ban("*", "*beam_width", _TOO_MANY, is_above(128), True),
        Ban("*", "n", _TOO_MANY, is_above(128), True),
        Ban("*", "parameters.n", _TOO_MANY, is_above(128), True),
        Ban("*", "model_name", "the model does not exist"),
    ),
    overload_statuses=(503,),
)
