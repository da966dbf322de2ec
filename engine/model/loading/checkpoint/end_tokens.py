"""The tokens that end a sequence, as a model's files name them; no torch."""

from pathlib import Path
from typing import Any, Final

from engine.model.loading.checkpoint.json_files import json_object
from engine.port.errors import ModelNotSupported

_GENERATION: Final = "generation_config.json"


def read_end_token_ids(directory: Path, of_config: object, vocab_size: int) -> tuple[int, ...]:
    """Return the end tokens that generation_config.json names if it names any, else those of config.json.

    of_config: the latter's eos_token_id, for the part of the model that generates. A list may hold ids that
    the model does not have, which never come, so they are left out; a list of none but these is refused,
    since nothing would end. Raises ModelNotSupported.
    """
    path = directory / _GENERATION
    generation: dict[str, Any] = json_object(path) if path.is_file() else {}
    name, named = _GENERATION, generation.get("eos_token_id")
    if named is None:
        name, named = "config.json", of_config
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
