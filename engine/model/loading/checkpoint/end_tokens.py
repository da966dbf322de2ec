"""The tokens that end a sequence, as a model's files name them; no torch."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from engine.model.loading.checkpoint.json_files import json_object
from engine.port.errors import ModelNotSupported
from engine.port.text.tokenizer import Tokenizer

_GENERATION: Final = "generation_config.json"
_KEY: Final = "eos_token_id"


class NamedEnds(NamedTuple):
    """The end tokens that a model's configurations name.

    ids: those of generation_config.json, or of config.json if the former names none. others: those that
    config.json names next to them, which may be a default of a class that has nothing to do with the
    vocabulary.
    """

    ids: tuple[int, ...]
    others: tuple[int, ...] = ()


def read_end_token_ids(
    directory: Path, raw: Mapping[str, Any], of_text: object, vocab_size: int
) -> NamedEnds:
    """Return the end tokens that generation_config.json and config.json name.

    raw: config.json. of_text: eos_token_id of the part of the model that generates, which may be the default
    of its class. A list may hold ids that the model does not have, which never come, so they are left out; a
    list of none but these is refused, since nothing would end. Raises ModelNotSupported.
    """
    path = directory / _GENERATION
    generation = json_object(path).get(_KEY) if path.is_file() else None
    written = [*_written(raw)]
    config = [*(_ids(directory, "config.json", each, vocab_size) for each in written)]
    if generation is None and not written:
        return NamedEnds(_ids(directory, "config.json", of_text, vocab_size))
    others = tuple(dict.fromkeys(token_id for ids in config for token_id in ids))
    if generation is None:
        return NamedEnds(others)
    ids = _ids(directory, _GENERATION, generation, vocab_size)
    return NamedEnds(ids, tuple(each for each in others if each not in ids))


def ends_note(named: NamedEnds, tokenizer: Tokenizer) -> str | None:
    """Return a sentence without its end where a model's files name different end tokens; else None."""
    if not named.ids or set(named.ids) == set(tokenizer.end_token_ids):
        return None
    ends = ", ".join(map(tokenizer.token_text, tokenizer.end_token_ids))
    return f"its configurations and its tokenizer name different end tokens, and each of them ends: {ends}"


def _written(config: Mapping[str, Any]) -> Iterator[object]:
    """Yield what config.json names as end tokens, of the model or of the parts that generate."""
    if config.get(_KEY) is not None:
        yield config[_KEY]
    for name, part in config.items():
        if isinstance(part, dict) and name in _GENERATING_PARTS:
            yield from _written(part)


_GENERATING_PARTS: Final = ("text_config", "llm_config", "language_config", "thinker_config")


def _ids(directory: Path, name: str, named: object, vocab_size: int) -> tuple[int, ...]:
    if named is None:
        return ()
    listed: list[object] = [*named] if isinstance(named, list | tuple) else [named]
    ids = [token_id for token_id in listed if isinstance(token_id, int) and not isinstance(token_id, bool)]
    if len(ids) < len(listed):
        raise ModelNotSupported(
            f"{directory / name}: eos_token_id must be a token id or a list of them, and is {named!r}"
        )
    known = tuple(token_id for token_id in ids if 0 <= token_id < vocab_size)
    if ids and not known:
        raise ModelNotSupported(
            f"{directory / name}: eos_token_id is {named}, and the model has the tokens 0 to {vocab_size - 1}"
        )
    return known
