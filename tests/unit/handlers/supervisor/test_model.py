"""A model's process gets the settings of the command line, except those that are the supervisor's own."""

import json
import pickle
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from handlers.settings.settings import Settings
from handlers.supervisor.model import CannotStart, Model, State
from handlers.supervisor.supervise import process_session
from tests.support.clocks.until import until

SAVES = (
    "import sys; settings = open(int(sys.argv[-1]), 'rb').read(); open({target!r}, 'wb').write(settings);"
    "print('verbatim: error: enough')"
)
SAYS_JSON = 'print(\'{"timestamp": "", "fields": {"message": "no such file"}}\')'


async def failure(settings: Settings, source: str) -> str:
    """Return why a program that ends at once did not start."""
    states: list[State] = []
    async with process_session() as session:
        model = Model(
            "a", settings, (sys.executable, "-c", source), session, lambda: states.append(model.state)
        )
        model.launch()
        with pytest.raises(CannotStart) as caught:
            await model.started()
        await until(lambda: model.state is State.STOPPED)
    assert states == [State.STARTING, State.STOPPED]
    return str(caught.value)


@pytest.mark.parametrize(
    ("given", "passed"),
    [
        ({"api_key": "secret", "max_total_tokens": 77}, {"api_key": "secret", "max_total_tokens": 77}),
        ({"host": "0.0.0.0", "allowed_hosts": ("x",)}, {"host": "127.0.0.1", "allowed_hosts": ()}),
        ({"ssl_certfile": "x", "ssl_ca_certs": "y"}, {"ssl_certfile": None, "ssl_ca_certs": None}),
        ({"admin_key": "x", "models": ("a", "b")}, {"admin_key": None, "models": ()}),
    ],
)
async def test_the_settings_are_passed_on_and_left_in_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, Any], passed: dict[str, Any]
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    target = tmp_path / "settings"
    assert await failure(Settings(**given), SAVES.format(target=str(target))) == "enough"
    assert [*(tmp_path / "temporary").iterdir()] == [], "also where both processes are killed"
    settings = pickle.loads(target.read_bytes())
    assert {name: getattr(settings, name) for name in passed} == passed
    assert settings.port != Settings().port


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("print('one'); print('verbatim: error: two')", "two"),
        (SAYS_JSON, "no such file"),
        ("", "its process ended without a word"),
        ("print('x' * 1000)", "x" * 300),
    ],
)
async def test_the_reason_of_a_failure_is_its_last_line(source: str, reason: str) -> None:
    assert await failure(Settings(), source) == reason


async def test_a_model_counts_with_its_weights_before_it_has_run(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"x" * 100)
    (tmp_path / "config.json").write_text(json.dumps({}))
    async with process_session() as session:
        model = Model("a", Settings(model=str(tmp_path)), (), session, lambda: None)
        await model.weigh()
        assert model.memory_bytes == 100
