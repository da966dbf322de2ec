"""The compose files, which are not run here, name services, files, devices and options that there are."""

from pathlib import Path
from typing import Any

import pytest

from tests.deploy.files import DEPLOY, ROOT, read, settings_of
from tests.unit.docs.pages import DOCS

COMPOSE = DEPLOY / "compose"
SERVERS = sorted(path for path in COMPOSE.glob("*.yaml") if path.stem != "monitoring")
FRONTS = [path for path in SERVERS if path.stem != "engine"]


def services_of(file: Path) -> dict[str, Any]:
    services: dict[str, Any] = read(file)["services"]
    return services


def test_there_is_a_compose_file_for_each_engine() -> None:
    assert [file.stem for file in SERVERS] == ["engine", "sglang", "vllm"]


@pytest.mark.parametrize("file", SERVERS, ids=lambda file: str(file.stem))
def test_verbatim_has_options_that_there_are_and_can_write_only_to_its_volumes(file: Path) -> None:
    assert "Never run" in file.read_text(encoding="utf-8").splitlines()[0]
    composed = read(file)
    service = composed["services"]["verbatim"]
    settings = settings_of(service["command"], {})
    assert service["ports"][0].endswith(f":{settings.port}")
    assert settings.host == "0.0.0.0"
    assert int(service["stop_grace_period"].rstrip("s")) > settings.graceful_termination_timeout + 3
    assert service["read_only"] and service["tmpfs"] == ["/tmp"] and service["volumes"] == ["data:/data"]
    for each in composed["services"].values():
        assert {volume.split(":")[0] for volume in each["volumes"]} <= {*composed["volumes"]}


@pytest.mark.parametrize("file", SERVERS, ids=lambda file: str(file.stem))
def test_verbatim_is_built_from_a_target_of_the_dockerfile(file: Path) -> None:
    service = services_of(file)["verbatim"]
    assert (file.parent / service["build"]["context"]).resolve() == ROOT
    target = service["build"]["target"]
    assert service["image"] == f"verbatim:{target}"
    assert f" AS {target}\n" in (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert target == ("front" if file in FRONTS else "cpu")


@pytest.mark.parametrize("file", FRONTS, ids=lambda file: str(file.stem))
def test_a_front_has_servers_of_its_file(file: Path) -> None:
    services = services_of(file)
    front = services["verbatim"]
    settings = settings_of(front["command"], {})
    assert settings.engine == file.stem and settings.model is not None
    assert {url.split("//")[1].split(":")[0] for url in settings.engine_url} == {*services} - {"verbatim"}
    assert settings.api_keys_file == f"/run/secrets/{front['secrets'][0]}"
    for url in settings.engine_url:
        name, port = url.split("//")[1].split(":")
        assert f"--port={port}" in services[name]["command"]
        assert f"{settings.model}" in " ".join(services[name]["command"])


@pytest.mark.parametrize("file", FRONTS, ids=lambda file: str(file.stem))
def test_each_server_has_a_device_of_its_own_and_the_front_none(file: Path) -> None:
    """A count of devices would give every service the first ones."""
    services = services_of(file)
    assert "deploy" not in services.pop("verbatim")
    reserved = []
    for service in services.values():
        (device,) = service["deploy"]["resources"]["reservations"]["devices"]
        assert device["driver"] == "nvidia" and device["capabilities"] == ["gpu"]
        reserved += device["device_ids"]
    assert len(reserved) == len(services)
    assert len({*reserved}) == len(reserved), "two servers would share a device"


def test_vllm_has_the_options_that_its_page_asks_for() -> None:
    page = (DOCS / "vllm.md").read_text(encoding="utf-8")
    values = read(DEPLOY / "helm" / "verbatim" / "values-front-vllm.yaml")
    services = services_of(COMPOSE / "vllm.yaml")
    for arguments in (services["vllm-a"]["command"], services["vllm-b"]["command"], values["vllm"]["args"]):
        for option in ("--enable-scale-out", "--max-logprobs 21", "--structured-outputs-config "):
            assert option in page
            assert option.replace(" ", "=") in " ".join(arguments)


def test_prometheus_and_grafana_read_files_that_there_are() -> None:
    services = services_of(COMPOSE / "monitoring.yaml")
    for service in services.values():
        for volume in service["volumes"]:
            if volume.startswith("."):
                assert (COMPOSE / volume.split(":")[0]).resolve().exists(), volume
    assert all(port.startswith("127.0.0.1:") for each in services.values() for port in each["ports"])
    (job,) = read(DEPLOY / "monitoring" / "prometheus.yaml")["scrape_configs"]
    assert job["static_configs"][0]["targets"] == ["verbatim:80"]
