"""The manifest, the KServe runtime and the systemd unit fit the paths, settings and drain of the server."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.files import DEPLOY, ROOT, documents, read, settings_of

# The server ends at most three seconds after its grace period (docs/stopping.md).
LATEST_END = 3


def container_of(pod: Any) -> Any:
    (container,) = pod["containers"]
    return container


def deployed_pod() -> Any:
    (deployment,) = [each for each in documents(DEPLOY / "kubernetes.yaml") if each["kind"] == "Deployment"]
    return deployment["spec"]["template"]["spec"]


def runtime_pod() -> Any:
    return read(DEPLOY / "kserve" / "servingruntime.yaml")["spec"]


def environment_of(container: Any) -> dict[str, str]:
    return {each["name"]: each["value"] for each in container.get("env", [])}


def paths_of(contract: str) -> set[str]:
    """Return the paths of a contract below its own prefix."""
    document = json.loads((ROOT / "generated" / contract / "openapi.json").read_text(encoding="utf-8"))
    return {f"/{contract}{path}" for path in document["paths"]}


@pytest.mark.parametrize("pod", [deployed_pod, runtime_pod], ids=["manifest", "kserve"])
def test_a_pod_has_settings_that_there_are_and_probes_on_paths_of_the_server(pod: Any) -> None:
    container = container_of(pod())
    settings = settings_of(container["args"], environment_of(container))
    assert settings.host == "0.0.0.0"
    assert [port["containerPort"] for port in container["ports"]] == [settings.port]
    known = paths_of("tgi") | paths_of("triton")
    probes = {name: each["httpGet"] for name, each in container.items() if name.endswith("Probe")}
    assert {"readinessProbe", "livenessProbe"} <= {*probes}
    for probe in probes.values():
        assert probe["path"] in known and probe["port"] in ("http", settings.port)
    assert probes["livenessProbe"]["path"].endswith("/live")
    assert container["securityContext"]["readOnlyRootFilesystem"]
    assert [mount["mountPath"] for mount in container["volumeMounts"]] == ["/data", "/tmp"]


def test_kubernetes_waits_longer_than_the_server_takes_to_drain() -> None:
    pod = deployed_pod()
    container = container_of(pod)
    settings = settings_of(container["args"], environment_of(container))
    slept = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
    drained = slept + settings.graceful_termination_timeout + LATEST_END
    assert pod["terminationGracePeriodSeconds"] > drained


def test_the_chart_scrapes_a_path_of_the_server() -> None:
    for path in ("helm/verbatim/templates/monitoring.yaml", "monitoring/prometheus.yaml"):
        assert "/tgi/metrics" in (DEPLOY / path).read_text(encoding="utf-8")
    assert "/tgi/metrics" in paths_of("tgi")


def test_systemd_waits_longer_than_the_server_takes_to_drain() -> None:
    unit = lines_of(DEPLOY / "systemd" / "verbatim.service")
    environment = dict(each.split("=", 1) for line in unit["Environment"] for each in line.split())
    (command,) = unit["ExecStart"]
    settings = settings_of(command.split()[1:], environment)
    assert settings.host == "127.0.0.1"
    assert int(unit["TimeoutStopSec"][0]) >= settings.graceful_termination_timeout + LATEST_END


def lines_of(path: Path) -> dict[str, list[str]]:
    """Return the values of a unit, by name."""
    found: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and line[0] not in "#[":
            name, value = line.split("=", 1)
            found.setdefault(name, []).append(value)
    return found
