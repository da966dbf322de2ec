"""The adapters of an engine at its start."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from engine.config import AdapterSource, EngineConfig
from engine.core.runner import Runner
from engine.lora.fused_adapters import fuse_adapters
from engine.lora.registry import AdapterRegistry
from engine.lora.sites import open_sites
from engine.model.runner import ModelRunner
from engine.port.errors import CannotLoadAdapter
from engine.port.info.kernels import Kernel, check_none_is_missing


class OpenedAdapters(NamedTuple):
    """The adapters of an engine, and the compiled code that computes them, if it takes any."""

    registry: AdapterRegistry
    kernels: tuple[Kernel, ...] = ()


def open_adapters(runner: Runner, config: EngineConfig, on_progress: Callable[[str], None]) -> OpenedAdapters:
    """Let the model take adapters if any are asked for, and load those of the configuration.

    Raises CannotLoadAdapter, and KernelsMissing by `config.require_native`.
    """
    if not config.adapters and config.adapter_root is None:
        return OpenedAdapters(AdapterRegistry({}, config.adapter_limits))
    if not isinstance(runner, ModelRunner) or runner.num_slots is not None:
        raise CannotLoadAdapter("adapters need a model that attends over pages and has no recurrent layers")
    if config.adapter_root is not None and not Path(config.adapter_root).is_dir():
        raise CannotLoadAdapter(f"no such directory: {config.adapter_root}")
    root = None if config.adapter_root is None else Path(config.adapter_root)
    sites = open_sites(runner.model)
    fused = fuse_adapters(runner, sites, is_quantized=config.quantize is not None)
    if config.require_native:
        check_none_is_missing([fused])
    adapters = AdapterRegistry(sites, config.adapter_limits, root)
    for source in config.adapters:
        adapters.add_now(AdapterSource(source.name, str(_folder(source))))
        on_progress(f"adapter {source.name} from {source.path}")
    return OpenedAdapters(adapters, (fused,))


def _folder(source: AdapterSource) -> Path:
    """Return the folder of an adapter, which is downloaded if its path is a repository on the hub."""
    folder = Path(source.path).expanduser()
    if folder.is_dir():
        return folder.resolve()
    if source.path.startswith((".", "/", "~")) or source.path.count("/") != 1:
        raise CannotLoadAdapter(f"adapter {source.name!r}: no such directory: {source.path}")
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(source.path, allow_patterns=["adapter_*"]))
    except Exception as error:  # of the network, the hub or the disk
        reason = " ".join(str(error).split())
        raise CannotLoadAdapter(f"adapter {source.name!r}: {source.path}: {reason}") from error
