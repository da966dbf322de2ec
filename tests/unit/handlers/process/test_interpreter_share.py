"""A loop that computes all the time sleeps half of it while the engine runs."""

import asyncio
import time

import pytest

from handlers.process.interpreter_share import InterpreterShare


class Clocks:
    """Time that passes only where the loop computes, waits or sleeps."""

    def __init__(self) -> None:
        self.now_s = self.computed_s = self.slept_s = 0.0

    def compute(self, seconds: float) -> None:
        self.now_s += seconds
        self.computed_s += seconds

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds
        self.slept_s += seconds


@pytest.mark.parametrize(
    ("computed_s", "waited_s", "slept_s"),
    [
        pytest.param(0.010, 0.0, 0.010, id="all of the time"),
        pytest.param(0.008, 0.002, 0.006, id="four fifths"),
        pytest.param(0.005, 0.005, 0.0, id="half"),
        pytest.param(0.001, 0.009, 0.0, id="a tenth"),
        pytest.param(0.500, 0.0, 0.050, id="so long that the loop must go on"),
    ],
)
async def test_the_loop_sleeps_what_it_has_computed_beyond_half(
    computed_s: float, waited_s: float, slept_s: float
) -> None:
    clocks = Clocks()
    await look_once(clocks, computed_s, waited_s, is_busy=True)
    assert clocks.slept_s == pytest.approx(slept_s)


async def test_it_does_not_sleep_while_no_sequence_runs() -> None:
    clocks = Clocks()
    await look_once(clocks, 0.01, 0.0, is_busy=False)
    assert clocks.slept_s == 0.0


async def look_once(clocks: Clocks, computed_s: float, waited_s: float, *, is_busy: bool) -> None:
    has_looked = asyncio.Event()

    def is_engine_busy() -> bool:
        has_looked.set()
        return is_busy

    share = InterpreterShare(
        is_engine_busy,
        clock=lambda: clocks.now_s,
        processor_clock=lambda: clocks.computed_s,
        sleep=clocks.sleep,
    )
    async with share.kept():
        clocks.compute(computed_s)
        clocks.now_s += waited_s
        async with asyncio.timeout(5.0):
            await has_looked.wait()


async def test_a_loop_that_never_rests_leaves_half_of_the_time_to_other_threads() -> None:
    async with InterpreterShare(lambda: True).kept():
        began_s, computed_s = time.perf_counter(), time.thread_time()
        while time.perf_counter() - began_s < 1.0:
            await asyncio.sleep(0)
        share = (time.thread_time() - computed_s) / (time.perf_counter() - began_s)
    assert share < 0.6
