"""The trace of a request that a replica on Ray Serve answers."""

from pathlib import Path

import httpx
import pytest

from tests.ray.cluster import cluster, is_up, url_of, wait_until
from tests.ray.streams import MODEL
from tests.support.servers.collector import running_collector

pytestmark = pytest.mark.timeout(600)

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"


async def test_a_replica_continues_the_trace_of_the_caller(tmp_path: Path) -> None:
    config = tmp_path / "verbatim.yaml"
    async with running_collector() as collector:
        with cluster(num_cpus=1) as ray:
            ray.write_config(config, "--replicas", "1", "--otlp-endpoint", collector.url)
            ray.deploy(config)
            url = url_of(config)
            wait_until(lambda: ray.is_running(1) and is_up(url))
            body = {"model": MODEL, "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 4}
            async with httpx.AsyncClient(timeout=60) as client:
                headers = {"traceparent": f"00-{TRACE}-{PARENT}-01"}
                answer = await client.post(f"{url}/v1/chat/completions", json=body, headers=headers)
            assert answer.status_code == 200, answer.text
            tree = await collector.tree()
    assert (tree.root.trace_id.hex(), tree.root.parent_span_id.hex()) == (TRACE, PARENT)
    assert tree.root.name == "POST /v1/chat/completions"
    assert list(tree.children) == ["prepare", "queue", "prefill", "decode"]
