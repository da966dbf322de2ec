"""The compose files, which are not run here, name services, files, devices and options that there are."""

import argparse
import json
import shlex
from typing import Any

import pytest
import yaml

from handlers.settings.command_line import add_settings, read_settings
from handlers.settings.settings import Settings
from tests.unit.docs.dockerfile import copied, instructions
from tests.unit.docs.pages import DOCS, ROOT

FILES = sorted((DOCS / "compose").glob("*.yaml"))


def services_of(file: Any) -> dict[str, Any]:
    services: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))["services"]
    return services


def settings_of(front: dict[str, Any]) -> Settings:
    """Return what the front's command sets."""
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_settings(parser)
    return read_settings(parser.parse_args(front["command"]))


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.stem))
def test_the_front_of_a_compose_file_has_options_that_there_are_and_servers_of_that_file(file: Any) -> None:
    assert "Never run" in file.read_text(encoding="utf-8").splitlines()[0]
    composed = yaml.safe_load(file.read_text(encoding="utf-8"))
    services = composed["services"]
    settings = settings_of(services["front"])
    assert settings.engine == file.stem and settings.model is not None
    assert {url.split("//")[1].split(":")[0] for url in settings.engine_url} == {*services} - {"front"}
    assert services["front"]["ports"] == [f"{settings.port}:{settings.port}"]
    assert f"127.0.0.1:{settings.port}/health" in services["front"]["healthcheck"]["test"][-1]
    assert int(services["front"]["stop_grace_period"].rstrip("s")) > settings.graceful_termination_timeout
    assert settings.api_keys_file == f"/run/secrets/{services['front']['secrets'][0]}"
    for service in services.values():
        assert {volume.split(":")[0] for volume in service["volumes"]} <= {*composed["volumes"]}
    for url in settings.engine_url:
        name, port = url.split("//")[1].split(":")
        assert f"--port={port}" in services[name]["command"]
        assert f"{settings.model}" in " ".join(services[name]["command"])


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.stem))
def test_each_server_has_a_device_of_its_own_and_the_front_none(file: Any) -> None:
    """A count of devices would give every service the first ones."""
    services = services_of(file)
    assert "deploy" not in services.pop("front")
    reserved = []
    for service in services.values():
        (device,) = service["deploy"]["resources"]["reservations"]["devices"]
        assert device["driver"] == "nvidia" and device["capabilities"] == ["gpu"]
        reserved += device["device_ids"]
    assert len(reserved) == len(services)
    assert len({*reserved}) == len(reserved), "two servers would share a device"


def test_vllm_has_the_options_that_its_page_asks_for() -> None:
    page = (DOCS / "vllm.md").read_text(encoding="utf-8")
    for name in ("vllm-a", "vllm-b"):
        command = " ".join(services_of(DOCS / "compose" / "vllm.yaml")[name]["command"])
        for option in ("--enable-scale-out", "--max-logprobs 21", "--structured-outputs-config "):
            assert option in page
            assert option.replace(" ", "=") in command


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.stem))
def test_the_front_is_built_once_from_the_repository_and_without_torch(file: Any) -> None:
    front = services_of(file)["front"]
    context = (file.parent / front["build"]["context"]).resolve()
    assert context == ROOT and front["image"] == "verbatim-front"
    found = instructions(context / front["build"]["dockerfile"])
    # The command that starts it installs nothing, and needs no git, which the image has not.
    assert json.loads(found[-1].text) == ["verbatim", "serve"] and found[-1].name == "ENTRYPOINT"
    commands = [shlex.split(each.text) for each in found if each.name == "RUN"]
    assert [command[:3] for command in commands] == [["pip", "install", "--no-cache-dir"]] * 2
    assert commands[0][3:] == ["--requirement", "requirements/front.txt"]
    assert commands[1][3:] == ["--no-deps", "."]
    sources = [source for source, _ in copied(found)]
    assert {"requirements", "pyproject.toml", "engine", "generated", "handlers"} <= {*sources}
    assert all((ROOT / source).exists() for source in sources)


def test_there_is_a_compose_file_for_each_engine_of_other_servers() -> None:
    assert [file.stem for file in FILES] == ["sglang", "vllm"]
