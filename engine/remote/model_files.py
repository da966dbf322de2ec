"""The tokenizer and the description of a model whose weights another server has; no torch."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

from engine.extras import how_to_install, missing
from engine.model.loading.checkpoint.described_files import check_described_files
from engine.model.loading.checkpoint.directory import own_directory
from engine.model.loading.checkpoint.end_tokens import ends_note, read_end_token_ids
from engine.model.loading.checkpoint.json_files import json_object
from engine.model.loading.gguf.named_file import own_file
from engine.port.errors import LibrariesMissing, ModelNotSupported
from engine.port.info.speech_info import SPEECH_MODEL_TYPES
from engine.port.media_item import FileKeeper
from engine.port.text.tokenizer import Tokenizer
from engine.remote.config import RemoteConfig
from engine.remote.media import read_media_files
from engine.remote.wire.apis import APIS

_NEEDED_FILES: Final = ["*.json", "*.jinja", "*.txt", "*.model", "*.py"]
_DTYPES: Final = frozenset({"float16", "bfloat16", "float32"})  # that servers compute in
_DEFAULT_DTYPE: Final = "bfloat16"  # most checkpoints'


class ModelFiles(NamedTuple):
    """A model's files without its weights.

    dtype: the type that is computed in, even if weights have fewer bits. context: the most tokens that the
    model itself allows; None where it names no number. media: the reader of files for the model; None if
    nothing reads them.
    """

    tokenizer: Tokenizer
    revision: str | None
    architecture: str
    dtype: str
    vocab_size: int
    hidden_size: int
    context: int | None
    media: FileKeeper | None = None


def read_model_files(config: RemoteConfig, on_progress: Callable[[str], object]) -> ModelFiles:
    """Read the files, fetching them from the Hugging Face hub where `config.model` is no directory.

    Raises ModelNotSupported if they cannot be read, and LibrariesMissing where that takes an extra.
    """
    directory, revision = _find(config, on_progress)
    own = json_object(directory / "config.json")
    check_described_files(directory)
    is_of_this_server = config.model_info is not None
    if own.get("model_type") in SPEECH_MODEL_TYPES and not is_of_this_server:
        raise ModelNotSupported(
            f"{config.model} transcribes, which the engine of the server itself does alone: leave out "
            "--engine and --engine-url"
        )
    text: dict[str, Any] = own.get("text_config") or own
    vocab_size = text.get("vocab_size")
    if not isinstance(vocab_size, int):
        raise ModelNotSupported(f"{directory / 'config.json'} names no vocab_size")
    dtype = str(text.get("dtype") or text.get("torch_dtype"))
    ends = read_end_token_ids(directory, own, None, vocab_size)
    tokenizer = Tokenizer.from_directory(
        directory,
        vocab_size=vocab_size,
        end_token_ids=ends.ids,
        doubtful_end_token_ids=ends.others,
        trust_remote_code=config.trust_remote_code,
        as_written=_is_described(directory),
    )
    if note := ends_note(ends, tokenizer):
        on_progress(f"note: {note}")
    return ModelFiles(
        tokenizer,
        revision,
        architecture=(own.get("architectures") or ["unknown"])[0],
        dtype=dtype if dtype in _DTYPES else _DEFAULT_DTYPE,
        vocab_size=vocab_size,
        hidden_size=int(text.get("hidden_size") or 0),
        context=text.get("max_position_embeddings"),
        media=read_media_files(directory, own, APIS[config.api], tokenizer, config.media_limits, on_progress)
        if config.media and (config.model_info is None or config.model_info.media)
        else None,
    )


def _is_described(directory: Path) -> bool:
    """Return whether a directory is the description of a GGUF file, which takes transformers to be made."""
    if missing("transformers"):
        return False
    from engine.model.loading.gguf.description import is_described

    return is_described(directory)


def _find(config: RemoteConfig, on_progress: Callable[[str], object]) -> tuple[Path, str | None]:
    if (directory := own_directory(config.model, config.revision)) is not None:
        if (file := own_file(config.model)) is None:
            return directory, None
        if lacking := missing("transformers"):
            raise LibrariesMissing(
                f"GGUF files are not read without {', '.join(lacking)}: {how_to_install('transformers')}"
            )
        from engine.model.loading.gguf.description import describe

        return describe(file), None
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    on_progress(f"fetching the tokenizer of {config.model} from the Hugging Face hub")
    try:
        path = Path(snapshot_download(config.model, revision=config.revision, allow_patterns=_NEEDED_FILES))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError) as error:
        raise ModelNotSupported(
            f"{config.model} is neither a directory nor a model that the Hugging Face hub gives: {error}"
        ) from error
    return path, path.name  # snapshots are named after their commit
