"""Turns of a conversation are timed with as many tokens either way."""

import argparse

import pytest

from tools.bench.http import chat_turns


async def test_each_conversation_is_timed_with_and_without_its_memory(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = await chat_turns.run(argparse.Namespace(tokens=[0, 3_000], rounds=2))
    short, long = rows
    assert float(long["tokens"]) > 3_000 > float(short["tokens"])
    assert float(long["again_ms"]) < float(long["whole_ms"])
    assert "next_x" in capsys.readouterr().out
