"""The protocol of an engine is one page, which all engines name, and the port around it loads no torch."""

import subprocess
import sys
from inspect import getdoc
from pkgutil import walk_packages
from typing import Any

import pytest

import engine.port
from engine.async_engine import AsyncEngine
from engine.port.engine import Engine
from engine.remote.remote_engine import RemoteEngine

MEMBERS = sorted(Engine.__abstractmethods__)


@pytest.mark.parametrize("implementation", [AsyncEngine, RemoteEngine])
def test_an_engine_names_the_protocol_and_has_all_of_it(implementation: type[Any]) -> None:
    assert Engine in implementation.__mro__
    assert not implementation.__abstractmethods__


@pytest.mark.parametrize("name", MEMBERS)
def test_each_member_is_described_where_it_is_declared(name: str) -> None:
    assert getdoc(Engine.__dict__[name])


def test_every_member_is_required_of_an_engine() -> None:
    public = {name for name in Engine.__dict__ if not name.startswith("_")}
    assert set(MEMBERS) == public


def test_an_engine_without_one_of_them_cannot_be_made() -> None:
    class Incomplete(RemoteEngine):
        death = Engine.death

    with pytest.raises(TypeError, match="abstract method '?death"):
        Incomplete()  # type: ignore[call-arg]  # what is shown is that it cannot be


def test_no_module_of_the_port_loads_torch() -> None:
    names = [module.name for module in walk_packages(engine.port.__path__, "engine.port.")]
    assert {"engine.port.engine", "engine.port.request", "engine.port.text.tokenizer"} <= set(names)
    program = f"import sys, {', '.join(names)}; assert 'torch' not in sys.modules, 'torch is loaded'"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
