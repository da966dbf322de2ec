"""The GGUF file that a model's name stands for, and the directory of its description; no torch.

Everything else that reads a model reads a directory: config.json, a tokenizer, generation_config.json. Those
of a GGUF file are written once, from its metadata, to a directory in the user's cache that is named after the
file and has a link to it.
"""

import atexit
import hashlib
import os
import re
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from engine.host.user_cache import user_cache
from engine.port.errors import ModelNotSupported

SUFFIX: Final = ".gguf"
LINK: Final = "weights.gguf"
_FOLDER: Final = "gguf"
_READ_FIRST: Final = ("*.safetensors", "pytorch_model*.bin")  # of a directory that has GGUF files too
_OF_IMAGES: Final = "mmproj"  # in the names of files with a model's part for images
_REFERENCE: Final = re.compile(r"([\w.-]+/[\w.-]+):([\w.-]+)")


class HubFile(NamedTuple):
    """A GGUF file on the hub. wanted: its name, or the part of it that names how weights are stored."""

    repository: str
    wanted: str


def own_file(model: str) -> Path | None:
    """Return the GGUF file that a path stands for: a file, or the only one of a directory of nothing else.

    Raises ModelNotSupported if there is no such file, or more than one.
    """
    path = Path(model)
    if path.is_dir():
        return None if any(True for each in _READ_FIRST for _ in path.glob(each)) else only_file(path, model)
    if path.suffix.lower() != SUFFIX or hub_file(model) is not None:
        return None
    if not path.is_file():
        raise ModelNotSupported(f"no such file: {model}")
    return path


def only_file(directory: Path, name: str) -> Path | None:
    """Return the only GGUF file of a directory that holds text; None if it has none.

    name: of the directory, for messages. Raises ModelNotSupported if there are several.
    """
    found = directory.rglob(f"*{SUFFIX}")
    files = sorted(each for each in found if _OF_IMAGES not in each.name.lower() and each.is_file())
    if len(files) > 1:
        shown = ", ".join(each.name for each in files[:4]) + (" and others" if len(files) > 4 else "")
        raise ModelNotSupported(f"{name} holds {len(files)} GGUF files, of which one must be named: {shown}")
    return files[0] if files else None


def hub_file(model: str) -> HubFile | None:
    """Return what `owner/name:Q4_K_M` or `owner/name:file.gguf` names; None for anything else."""
    found = _REFERENCE.fullmatch(model)
    return None if found is None else HubFile(*found.groups())


def described_directory(file: Path) -> Path:
    """Return the directory of a file's description, which need not be there yet."""
    place = hashlib.sha256(os.fsencode(file.absolute())).hexdigest()[:16]
    return _folder() / place / file.name


def _folder() -> Path:
    """Return the folder of all descriptions: of the user's cache, or one for this process if that fails."""
    try:
        folder = user_cache() / _FOLDER
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except (OSError, RuntimeError):  # no home, or one that may only be read
        pass
    return _folder_of_process()


@cache
def _folder_of_process() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="verbatim-gguf-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
