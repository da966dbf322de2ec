from handlers.serve import describe
from handlers.settings import Settings
from tests.scripted_engine import ScriptedEngine, says


def test_the_start_shows_model_device_cache_and_where_each_contract_stands() -> None:
    lines = describe(Settings(), ScriptedEngine(says("a")).model_info).splitlines()
    assert lines[0].split(maxsplit=1) == ["model", "verbatim-demo (Scripted, 0.0M parameters)"]
    assert lines[1].split(maxsplit=1) == ["device", "cpu, float32"]
    assert lines[2].split(maxsplit=1) == ["cache", "128 tokens (0 MiB), at most 200 for one request"]
    assert lines[3].split()[:7] == ["contract", "tgi", "under", "/tgi,", "and", "at", "/"]


def test_a_contract_with_no_place_at_the_root_is_shown_under_its_prefix_alone() -> None:
    lines = describe(Settings(root=()), ScriptedEngine(says("a")).model_info).splitlines()
    assert lines[3].split() == ["contract", "tgi", "under", "/tgi"]
