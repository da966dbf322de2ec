"""The compose files, which are not run here, name services, images and options that there are."""

import argparse
import shlex
from typing import Any

import pytest
import yaml

from handlers.settings.command_line import add_model_argument, add_options, read_settings
from tests.unit.docs.pages import DOCS

FILES = sorted((DOCS / "compose").glob("*.yaml"))


def front(services: dict[str, Any]) -> list[str]:
    """Return the words of the command that starts the front, after `verbatim serve`."""
    (*_, script) = services["front"]["command"]
    words = shlex.split(script.partition("&&")[2])
    assert words[:3] == ["exec", "verbatim", "serve"]
    return words[3:]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.stem))
def test_the_front_of_a_compose_file_has_options_that_there_are_and_servers_of_that_file(file: Any) -> None:
    assert "Never run" in file.read_text(encoding="utf-8").splitlines()[0]
    composed = yaml.safe_load(file.read_text(encoding="utf-8"))
    services = composed["services"]
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_options(parser)
    add_model_argument(parser)
    settings = read_settings(parser.parse_args(front(services)))
    assert settings.engine == file.stem and settings.model is not None
    assert {url.split("//")[1].split(":")[0] for url in settings.engine_url} == {*services} - {"front"}
    assert services["front"]["ports"] == [f"{settings.port}:{settings.port}"]
    assert f"127.0.0.1:{settings.port}/health" in services["front"]["healthcheck"]["test"][-1]
    assert int(services["front"]["stop_grace_period"].rstrip("s")) > settings.graceful_termination_timeout
    for service in services.values():
        assert {volume.split(":")[0] for volume in service["volumes"]} <= {*composed["volumes"]}
    for url in settings.engine_url:
        name, port = url.split("//")[1].split(":")
        assert f"--port={port}" in services[name]["command"]
        assert f"{settings.model}" in " ".join(services[name]["command"])


def test_there_is_a_compose_file_for_each_engine_of_other_servers() -> None:
    assert [file.stem for file in FILES] == ["sglang", "vllm"]
