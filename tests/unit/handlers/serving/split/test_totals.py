"""The sums of metrics over processes."""

from handlers.serving.split.totals import PATH, TotalsApp, summed
from tests.unit.handlers.runtime.client import send

TEXT = '# HELP a A\n# TYPE a counter\na{le="1.0"} 2.0\nb 0.5\n'


def test_series_are_summed_under_their_names() -> None:
    assert summed([TEXT, TEXT]) == TEXT.replace("2.0\n", "4.0\n").replace("0.5", "1.0")
    assert summed([]) == ""


async def test_each_process_counts_once_and_stays_when_it_has_ended() -> None:
    async def other(scope: object, receive: object, send: object) -> None:
        raise AssertionError("not its path")

    app = TotalsApp(other, lambda: "engine 1\n", lambda name: True)
    for name, count, total in (("1", 1, 1.0), ("2", 2, 3.0), ("1", 5, 7.0), ("3", 1, 8.0)):
        answer = await send(app, "POST", PATH + name, content=f"a {count}\n")
        assert answer.text == f"engine 1\na {total}\n"


async def test_what_an_ended_process_held_is_counted_no_more_and_what_it_did_is() -> None:
    async def other(scope: object, receive: object, send: object) -> None:
        raise AssertionError("not its path")

    text = "# HELP held h\n# TYPE held gauge\nheld 3.0\n# HELP done d\n# TYPE done counter\ndone 2.0\n"
    running = {"1", "2"}
    app = TotalsApp(other, lambda: "", running.__contains__)
    await send(app, "POST", PATH + "1", content=text)
    assert (await send(app, "POST", PATH + "2", content=text)).text == text.replace("3.0", "6.0").replace(
        "2.0", "4.0"
    )
    running.remove("1")
    assert (await send(app, "POST", PATH + "2", content=text)).text == text.replace("2.0", "4.0")
