"""The page of metrics names all that a server shows, and nothing else, however many processes answer."""

import msgspec

from engine.port.text.token_memory import TokenMemory
from handlers.active_requests.metrics import Metrics
from handlers.serving.api_workers.metric_sums import PATH, MetricSumsApp
from tests.unit.docs.metrics import ALL, PAGE, READS, documented_families, filled, scraped_families
from tests.unit.docs.pages import code, rows
from tests.unit.handlers.active_requests.test_metrics import INFO, STATS
from tests.unit.verbatim_kit.runtime.client import send


def shown_by_one_process() -> set[str]:
    return scraped_families(Metrics(INFO, lambda: ALL, memory=TokenMemory(), reads=READS).render())


def test_the_table_is_that_of_the_code() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == filled(page), "python -m tests.unit.docs.metrics"


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
    front = Metrics(INFO, lambda: STATS, memory=TokenMemory(), share_metrics=exchange, reads=READS)
    assert scraped_families(await front.of_all()) == shown_by_one_process()


def test_a_front_over_other_servers_shows_all_but_what_they_count_themselves() -> None:
    info = msgspec.structs.replace(INFO, kv_cache_bytes=0, num_parameters=0)
    shown = scraped_families(Metrics(info, lambda: STATS, memory=TokenMemory(), reads=READS).render())
    of_an_engine = {family for family in shown_by_one_process() if "cache" in family or "kv" in family}
    left_out = {*of_an_engine, "vllm:lora_requests_info", "verbatim_grammar_compile_seconds"}
    assert shown_by_one_process() - shown == left_out | {"vllm:num_preemptions_total"}


def test_each_name_that_a_router_reads_is_in_the_table() -> None:
    read = {
        text
        for row in rows(PAGE)
        if "router" in row.cells
        for text in code(row.cells["names"])
        if text.startswith("vllm:") and not text.startswith("vllm:gpu_")
    }
    assert len(read) >= 5
    assert read <= {*documented_families()}
