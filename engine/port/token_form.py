"""The encoding of prompts, files and grammars in the body of a token API, with vLLM's field names; no torch.

It is used for requests to a server, and for rendering requests that are sent later.
"""

from collections.abc import Mapping
from typing import Final, Literal

from engine.port.media_item import FilePrompt
from engine.port.request import Grammar, GrammarKind, MediaKind, Prompt

FileType = Literal["image_url", "audio_url", "video_url"]

_TYPES: Final[Mapping[MediaKind, FileType]] = {
    MediaKind.IMAGE: "image_url",
    MediaKind.AUDIO: "audio_url",
    MediaKind.VIDEO: "video_url",
}

_FORMS: Final[Mapping[GrammarKind, str]] = {
    GrammarKind.JSON_SCHEMA: "json",
    GrammarKind.REGEX: "regex",
    GrammarKind.EBNF: "grammar",
    GrammarKind.STRUCTURAL_TAG: "structural_tag",
}


def sent_token_ids(prompt: Prompt) -> tuple[int, ...]:
    """Return the token ids to send; a prompt with files has one placeholder for each file."""
    if not prompt.media:
        return prompt.token_ids
    assert isinstance(prompt, FilePrompt), "prompts with media are created by a processor that keeps files"
    return prompt.placeholder_token_ids


def file_parts(prompt: Prompt) -> list[tuple[FileType, bytes]]:
    """Return the `type` and the `url` of each file in a prompt, in the order of their placeholders.

    The url is a data URL in ASCII; it is not copied.
    """
    if not prompt.media:
        return []
    assert isinstance(prompt, FilePrompt), "prompts with media are created by a processor that keeps files"
    return [(_TYPES[media.kind], source) for media, source in zip(prompt.media, prompt.sources, strict=True)]


def structured_outputs(grammar: Grammar) -> dict[str, str | bool]:
    """Return the `structured_outputs` object of a grammar, which has one field, named after its kind."""
    if grammar.kind is GrammarKind.JSON_OBJECT:
        return {"json_object": True}
    return {_FORMS[grammar.kind]: grammar.source}
