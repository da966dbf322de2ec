"""The page plots what the engine counted."""

from typing_extensions import override

from engine.port.info.stats import Counters, EngineStats
from handlers.root_paths.playground.state import State
from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.handlers.contracts.tgi.api import Api, generate_body


def test_blocks_are_told_in_tokens_and_steps_with_their_sequences() -> None:
    counters = Counters(num_prompt_tokens=30, num_generated_tokens=12)
    for size in (1, 4):
        counters.batch_sizes.observe(size)
    stats = EngineStats(
        num_running=2, num_waiting=3, num_blocks=10, num_free_blocks=7, num_idle_blocks=4, counters=counters
    )
    state = State.of(stats, block_size=16)
    assert (state.num_running, state.num_waiting) == (2, 3)
    assert (state.num_used_tokens, state.num_idle_tokens, state.num_cache_tokens) == (48, 64, 160)
    assert (state.num_steps, state.num_step_sequences) == (2, 5)
    assert (state.num_prompt_tokens, state.num_generated_tokens) == (30, 12)


async def test_time_passes_between_two_states() -> None:
    one = Api(says("a"))
    first, second = [(await one.get("/playground/state")).json() for _ in range(2)]
    assert second["time_s"] > first["time_s"]


async def test_the_engine_is_asked_only_when_the_page_asks() -> None:
    num_asked = 0

    class Counted(ScriptedEngine):
        @override
        def stats(self) -> EngineStats:
            nonlocal num_asked
            num_asked += 1
            return super().stats()

    one = Api(Counted(says("a")))
    await one.post("/generate", generate_body())
    await one.get("/playground")
    before = num_asked
    await one.get("/playground/state")
    assert (before, num_asked) == (0, 1)


async def test_a_state_is_never_kept() -> None:
    assert (await Api(says("a")).get("/playground/state")).headers["cache-control"] == "no-store"
