"""The cost of the server without an engine is measured on every contract that is listed."""

import argparse

import pytest

from tools.bench.http import http_layer


@pytest.mark.long
async def test_whole_answers_and_events_of_every_contract_are_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    few = {"only": None, "rounds": 2, "clients": 2, "requests": 4, "tokens": 5, "warm_up": 1}
    rows = await http_layer.run(argparse.Namespace(**few))
    assert [row["contract"] for row in rows] == [http_layer.BARE, *http_layer.REQUESTS]
    for row in rows:
        assert 0 < float(row["request_us"]) <= float(row["request_all_us"])
        assert 0 < float(row["event_us"]) <= float(row["event_all_us"])
        assert float(row["requests_per_s"]) > 0, row
    assert (rows[0]["request_x"], rows[0]["event_x"]) == (1, 1)
    assert "openai" in capsys.readouterr().out
