"""Our `vllm:` metrics beside a real vLLM's: their names, types, labels and buckets are its own."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.token_servers.real_server import Engines
from tests.unit.verbatim_kit.runtime.client import send

pytestmark = pytest.mark.timeout(900)

CHAT: Final = "/v1/chat/completions"
BODY: Final[Mapping[str, Any]] = {
    "model": "m",
    "messages": [{"role": "user", "content": "Hello"}],
    "max_tokens": 8,
}
# Labels in which vLLM lists all settings of its cache; routers read the two that we have.
INFO: Final = "vllm:cache_config_info"


class Family(NamedTuple):
    """A metric. labels: their names by the name of a series. values: those of labels that name a kind."""

    type: str
    labels: dict[str, frozenset[str]]
    values: frozenset[str]


def families(text: str) -> dict[str, Family]:
    """Return vLLM's metrics in a text by their names."""
    found = {}
    for family in text_string_to_metric_families(text):
        if family.name.startswith("vllm:"):
            # When a series began is of the client library, and no metric of vLLM's own.
            samples = [sample for sample in family.samples if not sample.name.endswith("_created")]
            labels = {sample.name: frozenset(sample.labels) for sample in samples}
            kinds = {
                sample.labels[name]
                for sample in samples
                for name in ("finished_reason",)
                if name in sample.labels
            }
            found[family.name] = Family(family.type, labels, frozenset(kinds))
    return found


async def test_each_metric_has_vllms_name_type_and_labels(engines: Engines, url: str) -> None:
    async with httpx.AsyncClient(timeout=120) as client:
        (await client.post(url + CHAT, json=BODY)).raise_for_status()
        theirs = families((await client.get(f"{url}/metrics")).text)
    app = build_app(Settings(served_model_name="m"), engines.own)
    assert (await send(app, "POST", CHAT, json=BODY)).status_code == 200
    ours = families((await send(app, "GET", "/metrics")).text)
    assert len(ours) > 15
    assert not ours.keys() - theirs.keys()
    for name, family in ours.items():
        assert family.type == theirs[name].type, name
        assert family.values <= theirs[name].values, name
        if name == INFO:
            assert family.labels[name] <= theirs[name].labels[name]
        else:
            assert family.labels == theirs[name].labels, name


async def test_a_front_has_no_metric_that_the_engine_has_not(engines: Engines) -> None:
    """It leaves out those of the cache, which are its servers' own."""
    own, front = [
        families((await send(build_app(Settings(), engine), "GET", "/metrics")).text) for engine in engines
    ]
    assert front.keys() < own.keys()
    assert all(front[name] == own[name] for name in front)
    assert INFO not in front
