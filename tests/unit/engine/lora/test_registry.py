"""Adapters by name: how many are in memory, which of them make room, and what a name means over time."""

import asyncio
import gc
import json
import os
import weakref
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn

from engine.config import AdapterLimits, AdapterSource
from engine.lora.registry import AdapterRegistry
from engine.lora.sites import Site
from engine.port.errors import CannotLoadAdapter, EngineBusy, GenerationFailed, UnknownAdapter
from engine.port.info.adapter import UsedAdapters
from tests.support.clocks.until import until

PATH = "model.layers.0.q_proj"
SITES = {PATH: Site(nn.Identity(), 600, 500, torch.float32, torch.device("cpu"))}
NUM_BYTES = (600 + 500) * 4


def write(folder: Path, value: float = 1.0) -> AdapterSource:
    folder.mkdir(exist_ok=True)
    config = {"peft_type": "LORA", "r": 1, "target_modules": ["q_proj"]}
    (folder / "adapter_config.json").write_text(json.dumps(config))
    tensors = {"A": torch.full((1, 600), value), "B": torch.ones(500, 1)}
    save_file(
        {f"base_model.model.{PATH}.lora_{side}.weight": tensor for side, tensor in tensors.items()},
        folder / "adapter_model.safetensors",
    )
    return AdapterSource(folder.name, str(folder))


def registry(root: Path, **limits: Any) -> AdapterRegistry:
    return AdapterRegistry(SITES, AdapterLimits(**limits), root)


@pytest.mark.parametrize("limits", [{"max_in_memory": 2}, {"max_bytes": 2 * NUM_BYTES + 10}])
async def test_the_adapter_that_was_idle_longest_makes_room_and_comes_back(
    tmp_path: Path, limits: dict[str, int]
) -> None:
    adapters = registry(tmp_path, **limits)
    for name in "abc":
        adapters.add_now(write(tmp_path / name))
    assert adapters.names == ("a", "b", "c")
    async with adapters.using("a") as first:
        pass
    async with adapters.using("c"):
        pass
    async with adapters.using("a") as again:
        assert again is first, "the one that was idle longer has made room"
    async with adapters.using("a") as again, adapters.using("b"):
        assert again is first
    async with adapters.using("a") as again, adapters.using("c"):
        assert again is not None and again is first and again.digest == first.digest
    adapters.close()


async def test_adapters_in_use_make_no_room(tmp_path: Path) -> None:
    adapters = registry(tmp_path, max_in_memory=1)
    adapters.add_now(write(tmp_path / "a"))
    adapters.add_now(write(tmp_path / "b"))
    async with adapters.using("a"):
        with pytest.raises(EngineBusy):
            async with adapters.using("b"):
                pass
        with pytest.raises(EngineBusy):
            await adapters.load(write(tmp_path / "c"))
        adapters.unload("a")  # whose weights are still used
        with pytest.raises(EngineBusy):
            async with adapters.using("b"):
                pass
        with pytest.raises(UnknownAdapter):
            async with adapters.using("a"):
                pass
    async with adapters.using("b"):
        pass
    adapters.close()


async def test_a_name_that_is_loaded_again_has_other_weights_and_another_digest(tmp_path: Path) -> None:
    adapters = registry(tmp_path, max_in_memory=2)
    source = write(tmp_path / "a")
    await adapters.load(source)
    async with adapters.using("a") as old:
        write(tmp_path / "a", value=2.0)
        with pytest.raises(CannotLoadAdapter, match="'a' has already been loaded"):
            await adapters.load(source)
        await adapters.load(source, replaces=True)
        async with adapters.using("a") as new:
            assert old is not None and new is not None and old.digest != new.digest
            assert old.layers[PATH].down[0, 0] == 1.0 and new.layers[PATH].down[0, 0] == 2.0
    adapters.close()


async def test_an_adapter_whose_files_are_gone_fails_its_requests_alone(tmp_path: Path) -> None:
    adapters = registry(tmp_path, max_in_memory=1)
    adapters.add_now(write(tmp_path / "a"))
    adapters.add_now(write(tmp_path / "b"))
    (tmp_path / "b" / "adapter_config.json").unlink()
    with pytest.raises(GenerationFailed, match="adapter 'b': adapter_config.json: No such file"):
        async with adapters.using("b"):
            pass
    async with adapters.using("a"):
        pass
    adapters.close()


async def test_no_more_may_be_named_than_the_limit(tmp_path: Path) -> None:
    adapters = registry(tmp_path, max_named=1)
    await adapters.load(write(tmp_path / "a"))
    with pytest.raises(CannotLoadAdapter, match="1 adapters are loaded already"):
        await adapters.load(write(tmp_path / "b"))
    adapters.unload("a")
    await adapters.load(write(tmp_path / "b"))
    with pytest.raises(UnknownAdapter):
        adapters.unload("a")
    adapters.close()


async def test_only_folders_below_the_root_are_read(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    outside = write(tmp_path / "outside")
    adapters = registry(root)
    os.symlink(outside.path, root / "link")
    os.symlink(root / "loop", root / "loop")
    for path in (outside.path, "../outside", "link", "loop", "missing", "nul\0", "/"):
        with pytest.raises(CannotLoadAdapter, match="names no folder below"):
            await adapters.load(AdapterSource("a", path))
    write(root / "inside")
    await adapters.load(AdapterSource("a", "inside"))
    assert "a" in adapters
    adapters.close()


@pytest.mark.parametrize("file", ["adapter_config.json", "adapter_model.safetensors", "adapter_model.bin"])
async def test_a_file_below_the_root_is_no_link_that_leaves_it(tmp_path: Path, file: str) -> None:
    root, secret = tmp_path / "root", tmp_path / "secret"
    root.mkdir()
    write(root / "whole")
    write(root / "a")
    if file.endswith(".bin"):
        torch.save(load_file(root / "a" / "adapter_model.safetensors"), root / "a" / file)
        (root / "a" / "adapter_model.safetensors").unlink()
    (root / "a" / file).rename(secret)
    os.symlink(secret, root / "a" / file)
    adapters = registry(root, max_in_memory=1)
    with pytest.raises(CannotLoadAdapter, match=f"'a': {file} is a link that leaves the adapters' root"):
        await adapters.load(AdapterSource("a", "a"))
    adapters.add_now(AdapterSource("named_at_the_start", str(root / "a")))

    os.remove(root / "a" / file)
    secret.rename(root / "moved")
    os.symlink(root / "moved", root / "a" / file)
    await adapters.load(AdapterSource("a", "a"))  # by a link that stays
    await adapters.load(AdapterSource("whole", "whole"))  # which takes the place of `a`
    (root / "moved").rename(secret)
    os.remove(root / "a" / file)
    os.symlink(secret, root / "a" / file)
    with pytest.raises(GenerationFailed, match=f"{file} is a link that leaves the adapters' root"):
        async with adapters.using("a"):
            pass
    adapters.close()


async def test_an_adapter_that_is_being_read_waits(tmp_path: Path) -> None:
    adapters = registry(tmp_path, max_in_memory=1)
    for name in "ab":
        adapters.add_now(write(tmp_path / name))
    os.remove(tmp_path / "b" / "adapter_model.safetensors")
    used = UsedAdapters(("a", "gone"), ("a",))
    first = adapters.stats(used)
    assert first is not None and (first.running, first.waiting) == (("a", "gone"), ("a",))
    assert adapters.stats(used) == first
    reading = asyncio.create_task(adapters.using("b").__aenter__())
    await asyncio.sleep(0)
    second = adapters.stats(used)
    assert second is not None and (second.running, second.waiting) == (("a", "gone"), ("a", "b"))
    assert second.changed_at > first.changed_at and second.max_in_memory == 1
    with pytest.raises(GenerationFailed, match="No such file"):
        await reading
    third = adapters.stats(used)
    assert third is not None and third.waiting == ("a",)
    adapters.close()


def test_an_engine_that_takes_no_adapters_has_no_statistics_of_them() -> None:
    assert AdapterRegistry({}, AdapterLimits()).stats(UsedAdapters((), ())) is None


async def test_an_adapter_that_makes_room_or_is_unloaded_leaves_memory(tmp_path: Path) -> None:
    adapters = registry(tmp_path, max_in_memory=1)
    gc.disable()  # what is left to it stays for long
    try:
        await adapters.load(write(tmp_path / "a"))
        async with adapters.using("a") as adapter:
            assert adapter is not None
            first = weakref.ref(adapter)
        del adapter
        assert first() is not None
        await adapters.load(write(tmp_path / "b"))
        await until(lambda: first() is None)  # the loop and the thread that loaded it have gone on
        async with adapters.using("a") as adapter:
            assert adapter is not None
            again = weakref.ref(adapter)
        del adapter
        adapters.unload("a")
        await until(lambda: again() is None)
    finally:
        gc.enable()
        adapters.close()
