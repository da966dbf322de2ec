"""The metrics that docs/metrics.md lists; `python -m tests.unit.docs.metrics` writes its table anew."""

import re
from typing import Final, NamedTuple

import msgspec
from prometheus_client.parser import text_string_to_metric_families

from engine.port.info.stats import AdapterStats, CacheStats, KVEventCounters, MediaStats, seconds_histogram
from engine.port.text.token_memory import TokenMemory
from handlers.active_requests.metrics import Metrics
from handlers.media.reads import Reads
from tests.unit.docs.pages import DOCS, code, rows
from tests.unit.handlers.access.visits.test_record_log import entry
from tests.unit.handlers.active_requests.test_metrics import INFO, STATS

PAGE: Final = DOCS / "metrics.md"
READS: Final = Reads()
READS.count("image", 1, 0.1)
_CACHE: Final = CacheStats(num_hits=1, num_misses=2, num_bytes=3)
# Of an engine that has everything that may be counted.
ALL: Final = msgspec.structs.replace(
    STATS,
    kv_events=KVEventCounters(num_batches=1, num_lost=0),
    adapters=AdapterStats(max_in_memory=2, running=("a",), waiting=(), changed_at=1.0),
    media=MediaStats(items=_CACHE, rows=_CACHE),
    grammars_s=seconds_histogram(),
)

_BEGIN: Final = "<!-- written by python -m tests.unit.docs.metrics -->\n"
_END: Final = "<!-- end -->\n"
_HEAD: Final = re.compile(r"^# (HELP|TYPE) (\S+) (.*)$", re.MULTILINE)
_OF_VLLM: Final = {"engine", "model_name"}  # labels of most of its metrics, which the page names once


class Family(NamedTuple):
    """A metric. name: as the line of its type has it. labels: without those of buckets."""

    name: str
    kind: str
    meaning: str
    labels: frozenset[str]


def all_metrics() -> str:
    """Return the metrics of a server that has all that may be counted."""
    metrics = Metrics(INFO, lambda: ALL, memory=TokenMemory(), reads=READS)
    metrics.ignored("openai", ("field",))
    visit = entry()
    visit.fail("Overloaded", 429)
    metrics.ended(visit)
    return metrics.render()


def families(text: str) -> list[Family]:
    """Return the metrics in a text, in its order."""
    heads = _HEAD.findall(text)
    meanings = {name: rest for what, name, rest in heads if what == "HELP"}
    labels = {
        family.name: {label for sample in family.samples for label in sample.labels} - {"le"}
        for family in text_string_to_metric_families(text)
    }
    return [
        Family(name, kind, meanings[name], frozenset(labels.get(name) or labels[name.removesuffix("_total")]))
        for what, name, kind in heads
        if what == "TYPE"
    ]


def table() -> str:
    """Return the table in Markdown: a row for each meaning, with all names that it has."""
    by_meaning: dict[tuple[str, str], list[Family]] = {}
    for family in families(all_metrics()):
        by_meaning.setdefault((family.meaning.rstrip("."), family.kind), []).append(family)
    lines = [
        "| what | kind | vLLM's name | TGI's, Prometheus's or our name | labels |",
        "|---|---|---|---|---|",
    ]
    for (meaning, kind), named in sorted(by_meaning.items()):
        theirs = [one.name for one in named if one.name.startswith("vllm:")]
        ours = [one.name for one in named if not one.name.startswith("vllm:")]
        labels = sorted(frozenset[str]().union(*(one.labels for one in named)) - _OF_VLLM)
        cells = [", ".join(f"`{name}`" for name in names) for names in (theirs, ours, labels)]
        lines.append(f"| {' | '.join((meaning, kind, *cells))} |")
    return "\n".join(lines) + "\n"


def filled(page: str) -> str:
    """Return the page with the table as it is now."""
    before, _, rest = page.partition(_BEGIN)
    return f"{before}{_BEGIN}\n{table()}\n{_END}{rest.partition(_END)[2]}"


def documented_families() -> list[str]:
    """Return the names in the table of all metrics, as the lines of their types have them."""
    tables = [row.cells for row in rows(PAGE) if "kind" in row.cells]
    cells = [cell for row in tables for column, cell in row.items() if column.endswith("name")]
    return [text for cell in cells for text in code(cell)]


def scraped_families(text: str) -> set[str]:
    """Return the families in a text, as the lines of their types have them."""
    return {family.name for family in families(text)}


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
