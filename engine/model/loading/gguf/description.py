"""The description of a GGUF file: a directory with all that other checkpoints have in files of their own."""

import hashlib
import json
import os
import shutil
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from engine.model.loading.gguf.configuration import architecture_of, read_configuration
from engine.model.loading.gguf.header import GGUFHeader, GGUFTensor, read_header
from engine.model.loading.gguf.named_file import LINK, described_directory
from engine.model.loading.gguf.vocabulary import end_token_ids, write_tokenizer
from engine.port.errors import ModelNotSupported

_STATE: Final = "gguf.json"
_FORM: Final = 2  # of what is written; higher once it changes
# What a file recommends for sampling, by the names of generation_config.json.
_SAMPLING: Final = {
    "temp": "temperature",
    "top_k": "top_k",
    "top_p": "top_p",
    "min_p": "min_p",
    "penalty_repeat": "repetition_penalty",
}


def describe(file: Path) -> Path:
    """Return the directory of a file's description, written anew unless it is that of this very header.

    The header is hashed and the file's length compared at every start. Raises ModelNotSupported.
    """
    directory = described_directory(file)
    if (kept := _kept(directory)) is None or not _is_of(kept, file):
        _write(file, directory)
    return directory


def tensors_of(directory: Path) -> tuple[GGUFTensor, ...]:
    """Return the tensors of a described file, as its header was found to be."""
    state = _kept(directory)
    assert state is not None, f"{directory} is no description"
    return tuple(
        GGUFTensor(name, kind, tuple(shape), (block[0], block[1]), first)
        for name, kind, shape, block, first in state["tensors"]
    )


def is_described(directory: Path) -> bool:
    """Return whether a directory is the description of a GGUF file."""
    return (directory / _STATE).is_file() and (directory / LINK).is_file()


def _kept(directory: Path) -> dict[str, Any] | None:
    try:
        found = json.loads((directory / _STATE).read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and found.get("made_by") == _made_by() else None


def _is_of(state: dict[str, Any], file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            if os.fstat(opened.fileno()).st_size < state["num_bytes"]:
                return False  # which the reading of its header reports
            return bool(_digest(opened.read(state["header_bytes"])) == state["header"])
    except OSError as error:
        raise ModelNotSupported(f"{file} cannot be read: {error.strerror or error}") from error


def _write(file: Path, directory: Path) -> None:
    header = read_header(file)
    architecture_of(file, header)
    directory.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix=f"{directory.name}.", dir=directory.parent))
    try:
        _dump(new / "config.json", read_configuration(file, header))
        _dump(new / "generation_config.json", _generation(file, header))
        write_tokenizer(file, header, new)
        (new / LINK).symlink_to(file.absolute())
        _dump(new / _STATE, _state(file, header))
        shutil.rmtree(directory, ignore_errors=True)
        try:
            new.rename(directory)
        except OSError:  # another process was quicker, with the same
            if not is_described(directory):
                raise
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _generation(file: Path, header: GGUFHeader) -> dict[str, Any]:
    ends = end_token_ids(header)
    found: dict[str, Any] = {"eos_token_id": ends} if ends else {}
    for key, name in _SAMPLING.items():
        value = header.metadata.get(f"general.sampling.{key}")
        if isinstance(value, int | float) and not isinstance(value, bool):
            found[name] = value
    return found


def _state(file: Path, header: GGUFHeader) -> dict[str, Any]:
    with file.open("rb") as opened:
        digest = _digest(opened.read(header.num_bytes))
    return {
        "made_by": _made_by(),
        "header": digest,
        "header_bytes": header.num_bytes,
        "num_bytes": max((tensor.first + tensor.num_bytes for tensor in header.tensors), default=0),
        "tensors": [list(tensor) for tensor in header.tensors],
    }


def _made_by() -> list[str]:
    """Return the versions that decide what is written."""
    return [str(_FORM), *(f"{name} {version(name)}" for name in ("transformers", "tokenizers", "gguf"))]


def _dump(path: Path, found: dict[str, Any]) -> None:
    path.write_text(json.dumps(found), encoding="utf-8")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
