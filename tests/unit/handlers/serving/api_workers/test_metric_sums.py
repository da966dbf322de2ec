"""The sums of metrics over processes."""

from handlers.serving.api_workers.metric_sums import PATH, MetricSumsApp, summed, without_gauges
from tests.unit.verbatim_kit.runtime.client import send

TEXT = '# HELP a A\n# TYPE a counter\na{le="1.0"} 2.0\nb 0.5\n'
GAUGE = "# HELP g G\n# TYPE g gauge\ng 3.0\n"
HISTOGRAM = "# HELP h H\n# TYPE h histogram\nh_count 1.0\n"


async def other(scope: object, receive: object, send: object) -> None:
    raise AssertionError("not its path")


def test_series_are_summed_under_their_names() -> None:
    assert summed([TEXT, TEXT]) == TEXT.replace("2.0\n", "4.0\n").replace("0.5", "1.0")
    assert summed([]) == ""


async def test_each_process_counts_once_and_stays_when_it_has_ended() -> None:
    live = {"1", "2", "3"}
    app = MetricSumsApp(other, lambda: "engine 1\n", live)
    for name, count, total in (("1", 1, 1.0), ("2", 2, 3.0), ("1", 5, 7.0), ("3", 1, 8.0)):
        answer = await send(app, "POST", PATH + name, content=f"a {count}\n")
        assert answer.text == f"engine 1\na {total}\n"
        if name == "2":
            live.discard(name)


async def test_gauges_end_with_their_process_and_its_counters_do_not() -> None:
    live = {"1"}
    app = MetricSumsApp(other, lambda: "", live)
    for name in map(str, range(1, 50)):
        live.add(name)
        answer = await send(app, "POST", PATH + name, content=GAUGE + TEXT + HISTOGRAM)
        assert "g 3.0\n" in answer.text and f"h_count {float(name)}\n" in answer.text
        live.discard(name)
        late = await send(app, "POST", PATH + name, content="a 9.0\n")  # from a process that has ended
        assert "g " not in late.text and 'a{le="1.0"} ' in late.text and "a 9.0" not in late.text
    assert len(app._texts) == 0, "one text for all that have ended"


def test_what_is_left_without_gauges_is_well_formed() -> None:
    assert without_gauges(TEXT + GAUGE + HISTOGRAM) == TEXT + HISTOGRAM
    assert without_gauges(GAUGE) == ""
