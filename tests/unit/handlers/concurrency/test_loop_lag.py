"""No body keeps the event loop from other requests.

Measured is the processor time that the loop's thread takes between two ticks of a task, since the clock would
tell of the machine's load; what other threads do that keeps the interpreter's lock is measured where it is
done (`tests/unit/engine/port/text/test_prompt_length.py`).
"""

import asyncio
import json
import time

import pytest

from tests.support.samples.long_bodies import CASES, Case
from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.handlers.contracts.openai.api import Api
from tests.unit.verbatim_kit.runtime.client import send

# 50 ms are allowed; a processor that two busy threads share takes up to twice as long for the same work.
_MAX_LAG_S = 0.1


async def _longest_gap(is_over: asyncio.Event) -> float:
    """Seconds of the thread's processor time from one turn of the loop to the next, at most."""
    longest = 0.0
    last = time.thread_time()
    while not is_over.is_set():
        await asyncio.sleep(0.001)
        now = time.thread_time()
        longest = max(longest, now - last)
        last = now
    return longest


# One text, one of many tokens, and one of each kind of list; the others take the same ways.
_USUAL = ("openai chat", "tgi tokenize", "messages", "arrays", "a map", "token ids", "bad words")


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=() if case.name in _USUAL else pytest.mark.long, id=case.name)
        for case in CASES
    ],
)
async def test_the_loop_turns_while_a_long_body_is_read(case: Case) -> None:
    api = Api(ScriptedEngine(says("x"), max_total_tokens=1000))
    content = json.dumps(case.body).encode()
    headers = {"content-type": "application/json", "anthropic-version": "2023-06-01"}
    is_over = asyncio.Event()
    gap = asyncio.create_task(_longest_gap(is_over))
    response = await send(api.app, "POST", case.path, content=content, headers=headers)
    is_over.set()
    assert response.status_code < 500, response.text[:300]
    assert await gap < _MAX_LAG_S
