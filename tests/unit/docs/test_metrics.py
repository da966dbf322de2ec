"""The page of metrics names all that a server shows, and nothing else, however many processes answer."""

import msgspec

from engine.port.info.stats import AdapterStats, CacheStats, KVEventCounters, MediaStats
from engine.port.text.token_memory import TokenMemory
from handlers.active_requests.metrics import Metrics
from handlers.serving.api_workers.metric_sums import PATH, MetricSumsApp
from tests.unit.docs.metrics import documented_families, scraped_families
from tests.unit.docs.pages import DOCS, code, rows
from tests.unit.handlers.active_requests.test_metrics import INFO, OF_CACHE, STATS
from tests.unit.handlers.runtime.client import send

_CACHE = CacheStats(num_hits=1, num_misses=2, num_bytes=3)
# Of an engine that has everything that may be counted.
ALL = msgspec.structs.replace(
    STATS,
    kv_events=KVEventCounters(num_batches=1, num_lost=0),
    adapters=AdapterStats(max_in_memory=2, running=("a",), waiting=(), changed_at=1.0),
    media=MediaStats(items=_CACHE, rows=_CACHE),
)


def shown_by_one_process() -> set[str]:
    return scraped_families(Metrics(INFO, lambda: ALL, memory=TokenMemory()).render())


def test_the_table_has_each_family_that_a_server_shows_once_and_no_other() -> None:
    documented = documented_families()
    assert sorted(documented) == sorted(shown_by_one_process())


async def test_several_processes_in_front_of_an_engine_show_the_families_of_one() -> None:
    async def no_app(scope: object, receive: object, send: object) -> None:
        raise AssertionError("not its path")

    app = MetricSumsApp(no_app, Metrics(INFO, lambda: ALL).engine_text, {"1"})

    async def exchange(text: str) -> str:
        return (await send(app, "POST", f"{PATH}1", content=text)).text

    # Its own engine is the one over the socket, which has no cache.
    front = Metrics(INFO, lambda: STATS, memory=TokenMemory(), share_metrics=exchange)
    assert scraped_families(await front.of_all()) == shown_by_one_process()


def test_a_front_over_other_servers_shows_all_but_what_they_count_themselves() -> None:
    info = msgspec.structs.replace(INFO, kv_cache_bytes=0, num_parameters=0)
    shown = scraped_families(Metrics(info, lambda: STATS, memory=TokenMemory()).render())
    of_an_engine = {family for family in shown_by_one_process() if "cache" in family or "kv" in family}
    assert shown_by_one_process() - shown == {*of_an_engine, *OF_CACHE, "vllm:lora_requests_info"}


def test_each_name_that_a_router_reads_is_in_the_table() -> None:
    read = {
        text
        for row in rows(DOCS / "metrics.md")
        if "router" in row.cells
        for text in code(row.cells["names"])
        if text.startswith("vllm:") and not text.startswith("vllm:gpu_")
    }
    assert len(read) >= 5
    assert {name.removesuffix("_total") for name in read} <= {*documented_families()}
