"""The size of a model's weights, before it is loaded; no torch."""

from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

from engine.model.loading.gguf.named_file import SUFFIX, hub_file

_FORMS: Final = ("*.safetensors", "pytorch_model*.bin")  # the first that a model has is read
_ASK_S: Final = 5.0


def weight_bytes(model: str, revision: str | None) -> int:
    """Return the size of the weights on this machine, or on the hub, which is asked; 0 if it is not known."""
    path = Path(model)
    if path.is_file():
        return path.stat().st_size
    if path.is_dir():
        return next(filter(None, (_stored(path, form) for form in (*_FORMS, f"*{SUFFIX}"))), 0)
    named = hub_file(model)
    if named is not None:
        return _hub_bytes(named.repository, revision, f"*{named.wanted}*")
    return next(filter(None, (_hub_bytes(model, revision, form) for form in _FORMS)), 0)


def _stored(directory: Path, form: str) -> int:
    return sum(file.stat().st_size for file in directory.glob(form))


def _hub_bytes(repository: str, revision: str | None, form: str) -> int:
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    with suppress(HFValidationError, LocalEntryNotFoundError):
        path = snapshot_download(repository, revision=revision, local_files_only=True)
        if found := _stored(Path(path), form):
            return found
    with suppress(
        Exception
    ):  # those of the library by which the hub's client asks, which differs by its release
        info = HfApi().model_info(repository, revision=revision, files_metadata=True, timeout=_ASK_S)
        files = info.siblings or ()
        return sum(file.size or 0 for file in files if fnmatch(file.rfilename, form))
    return 0
