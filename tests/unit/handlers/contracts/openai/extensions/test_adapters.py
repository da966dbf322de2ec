"""Adapters are loaded and unloaded as by vLLM, below the folder that the operator names, and nowhere else."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import torch
from torch import nn

from engine.config import AdapterLimits
from engine.lora.registry import AdapterRegistry
from engine.lora.sites import Site
from tests.support.scripted.engine import ScriptedEngine, says
from tests.support.tiny_models.adapter_files import save_adapter_of_ones
from tests.unit.handlers.contracts.openai.api import CHAT, MODELS, Api

LOAD, UNLOAD = "/openai/v1/load_lora_adapter", "/openai/v1/unload_lora_adapter"
PATH = "model.layers.0.q_proj"


@pytest.fixture
async def api(tmp_path: Path) -> AsyncIterator[Api]:
    save_adapter_of_ones(tmp_path / "poet", PATH, 6, 5)
    engine = ScriptedEngine(says("x"))
    site = Site(nn.Identity(), 6, 5, torch.float32, torch.device("cpu"))
    adapters = AdapterRegistry({PATH: site}, AdapterLimits(), tmp_path)
    engine.adapters = adapters
    yield Api(engine, api_key="secret")
    adapters.close()


KEY = {"headers": {"authorization": "Bearer secret"}}


async def test_an_adapter_is_named_as_a_model_from_its_loading_to_its_unloading(api: Api) -> None:
    body = {"lora_name": "bard", "lora_path": "poet"}
    chat = {"model": "bard", "messages": [{"role": "user", "content": "Hi"}]}
    assert (await api.post(CHAT, chat, **KEY)).status_code == 404
    loaded = await api.post(LOAD, body, **KEY)
    assert (loaded.status_code, loaded.text) == (200, "Success: LoRA adapter 'bard' added successfully.")
    assert (await api.post(CHAT, chat, **KEY)).json()["model"] == "bard"
    assert [model["id"] for model in (await api.get(MODELS, **KEY)).json()["data"]][1:] == ["bard"]
    again = await api.post(LOAD, body, **KEY)
    assert (again.status_code, again.json()["error"]["param"]) == (400, "lora_path")
    assert "'bard' has already been loaded" in again.json()["error"]["message"]
    assert (await api.post(LOAD, {**body, "load_inplace": True}, **KEY)).status_code == 200
    gone = await api.post(UNLOAD, {"lora_name": "bard", "lora_int_id": 1}, **KEY)
    assert (gone.status_code, gone.text) == (200, "Success: LoRA adapter 'bard' removed successfully.")
    assert (await api.post(CHAT, chat, **KEY)).status_code == 404
    assert (await api.post(UNLOAD, {"lora_name": "bard"}, **KEY)).status_code == 404


async def test_folders_outside_of_the_root_and_the_models_own_names_are_refused(api: Api) -> None:
    for path in ("/etc", "..", "poet/../..", "nothing"):
        answer = await api.post(LOAD, {"lora_name": "a", "lora_path": path}, **KEY)
        assert (answer.status_code, answer.json()["error"]["param"]) == (400, "lora_path")
        assert "names no folder below" in answer.json()["error"]["message"]
    answer = await api.post(LOAD, {"lora_name": "verbatim-demo", "lora_path": "poet"}, **KEY)
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "lora_name")


async def test_loading_needs_the_key_and_a_folder_that_the_operator_names(api: Api) -> None:
    for path in (LOAD, UNLOAD):
        assert (await api.post(path, {"lora_name": "a", "lora_path": "poet"})).status_code == 401
    closed = Api(says("x"))
    for path, body in ((LOAD, {"lora_name": "a", "lora_path": "poet"}), (UNLOAD, {"lora_name": "a"})):
        answer = await closed.post(path, body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "model_not_found")
        assert "--lora-root" in answer.json()["error"]["message"]
