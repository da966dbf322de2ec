"""The directory of a model that is named by a path; no torch, so that a wrong path is an error at once."""

import os
from pathlib import Path

from engine.model.loading.gguf.named_file import described_directory, hub_file, own_file
from engine.port.errors import ModelNotSupported
from engine.whole_file import refuse_irregular


def own_directory(model: str, revision: str | None) -> Path | None:
    """Return the directory that `model` names, or None for the id of a model on the Hugging Face hub.

    That of a GGUF file is the one of its description, which need not be there yet.
    Raises ModelNotSupported if there is no such directory, if no model is in it, or if a revision is asked of
    it.
    """
    directory = Path(model)
    if (file := own_file(model)) is not None:
        if revision is not None:
            raise ModelNotSupported(
                f"revision {revision} cannot be had of {model}: it is a file, and only models on the Hugging "
                "Face hub have revisions"
            )
        return described_directory(file)
    if not directory.is_dir():
        if hub_file(model) is not None:
            return None
        if model.startswith((".", "/", "~")) or model.count("/") > 1:  # a hub id is "owner/name"
            raise ModelNotSupported(f"no such directory: {model}")
        return None
    if revision is not None:
        raise ModelNotSupported(
            f"revision {revision} cannot be had of {model}: it is a directory, and only models on the "
            "Hugging Face hub have revisions"
        )
    if not (directory / "config.json").is_file():
        raise ModelNotSupported(f"{model} holds no model: there is no config.json in it")
    _refuse_irregular(directory)
    return directory


def _refuse_irregular(directory: Path) -> None:
    """Raise ModelNotSupported for a pipe or a device in place of a file, which a library would wait for."""
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                if not entry.is_dir() and os.path.exists(entry.path):
                    refuse_irregular(entry.stat(), entry.path)
    except OSError as error:
        raise ModelNotSupported(f"{error.filename} cannot be read: {error.strerror}") from error
