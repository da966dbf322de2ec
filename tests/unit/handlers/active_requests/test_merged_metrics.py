"""The metrics of several replicas in one text."""

from prometheus_client.parser import text_string_to_metric_families

from handlers.active_requests.merged_metrics import merged
from handlers.active_requests.metrics import Metrics
from tests.support.scripted.engine import ScriptedEngine, says


def metrics_text() -> str:
    engine = ScriptedEngine(says("Hello"))
    metrics = Metrics(engine.model_info, engine.stats, model_name="a b")
    metrics.received()
    return metrics.render()


def test_every_sample_of_every_replica_is_there_with_its_replica_and_its_value() -> None:
    text = metrics_text()
    expected = {
        (family.name, sample.name, frozenset({**sample.labels, "replica": name}.items()), sample.value)
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        for name in ("one", "two")
    }
    families = list(text_string_to_metric_families(merged({"one": text, "two": text})))
    found = [
        (family.name, sample.name, frozenset(sample.labels.items()), sample.value)
        for family in families
        for sample in family.samples
    ]
    assert len(found) == len(expected) and set(found) == expected
    names = [family.name for family in families]
    assert len(names) == len(set(names)), "a family stands in one place"


def test_comments_are_there_once() -> None:
    text = metrics_text()
    comments = [line for line in text.splitlines() if line.startswith("#")]
    both = merged({"one": text, "two": text})
    assert [line for line in both.splitlines() if line.startswith("#")] == comments


def test_a_family_of_one_replica_alone_keeps_its_comments() -> None:
    one = "# HELP a A\n# TYPE a gauge\na 1\n"
    two = one + '# HELP b B\n# TYPE b gauge\nb{x="}"} 2\n'
    assert merged({"one": one, "two": two}) == (
        '# HELP a A\n# TYPE a gauge\na{replica="one"} 1\na{replica="two"} 1\n'
        '# HELP b B\n# TYPE b gauge\nb{x="}",replica="two"} 2\n'
    )
