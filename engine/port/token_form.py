"""The forms of prompts, files and grammars in the body of a token API, vLLM's field names; no torch.

Whoever asks a server for tokens writes them, and whoever renders a request for one to send later.
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
    """Return the token ids to send: of a prompt with files, those before its expansion, with one placeholder
    for each file.
    """
    if not prompt.media:
        return prompt.token_ids
    assert isinstance(prompt, FilePrompt), "a processor that keeps files made it"
    return prompt.placeholder_token_ids


def file_parts(prompt: Prompt) -> list[tuple[FileType, bytes]]:
    """Return the `type` and the `url` of each file of a prompt, in the order of their placeholders.

    A url is a data URL in ASCII, without a copy of it.
    """
    if not prompt.media:
        return []
    assert isinstance(prompt, FilePrompt), "a processor that keeps files made it"
    return [(_TYPES[media.kind], source) for media, source in zip(prompt.media, prompt.sources, strict=True)]


def structured_outputs(grammar: Grammar) -> dict[str, str | bool]:
    """Return a grammar as the object of that name, which has one field: the kind."""
    if grammar.kind is GrammarKind.JSON_OBJECT:
        return {"json_object": True}
    return {_FORMS[grammar.kind]: grammar.source}
