"""A Ray cluster of one node, which ends with its test, and what its dashboard says of an application."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx
import yaml

from tests.support.servers.ports import free_ports

ROOT: Final = Path(__file__).parents[2]
RAY: Final = Path(os.environ.get("RAY_BIN", ROOT / ".venv-ray" / "bin")).absolute()
APPLICATION: Final = "verbatim"
# Serve starts several processes, one after another: tens of seconds on a busy machine.
START_S: Final = 240
_TOKEN: Final = "0123456789abcdef" * 4  # Ray's processes must know one another


class Cluster(NamedTuple):
    """The addresses of a cluster, and the environment of the commands that talk to it."""

    gcs: str
    dashboard: str
    environment: Mapping[str, str]

    def command(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run a command of the environment that Ray is installed in."""
        program, *rest = arguments
        return subprocess.run(
            [str(RAY / program), *rest],
            env=dict(self.environment),
            capture_output=True,
            text=True,
            timeout=START_S,
        )

    def verbatim(self, *arguments: str) -> "subprocess.Popen[str]":
        """Start `verbatim` there."""
        command = [str(RAY / "verbatim"), *arguments]
        return subprocess.Popen(command, env=dict(self.environment), stdout=subprocess.PIPE, text=True)

    def write_config(self, path: Path, *options: str) -> None:
        """Write the configuration that `verbatim ray` prints for the options. Its port is a free one."""
        [port] = free_ports(1)
        done = self.command("verbatim", "ray", *options, "--port", str(port), "--print-config")
        assert done.returncode == 0, done.stderr
        path.write_text(done.stdout, encoding="utf-8")

    def deploy(self, config: Path) -> None:
        """Deploy a configuration, whose application may not run yet when this returns."""
        done = self.command("serve", "deploy", str(config), "--address", self.dashboard)
        assert done.returncode == 0, done.stderr

    def application(self) -> dict[str, Any]:
        """Return what the dashboard says of the application; empty if it is not there yet."""
        headers = {"Authorization": f"Bearer {_TOKEN}"}
        response = httpx.get(f"{self.dashboard}/api/serve/applications/", headers=headers, timeout=60)
        response.raise_for_status()
        found: dict[str, Any] = response.json()["applications"].get(APPLICATION, {})
        return found

    def running(self) -> dict[str, int]:
        """Return the processes of the replicas that run, by the replicas' names."""
        deployments = self.application().get("deployments", {})
        return {
            replica["replica_id"]: replica["pid"]
            for deployment in deployments.values()
            for replica in deployment["replicas"]
            if replica["state"] == "RUNNING"
        }

    def is_running(self, num_replicas: int) -> bool:
        """Return whether the application runs with so many replicas. Fails if it cannot be deployed."""
        application = self.application()
        assert application.get("status") != "DEPLOY_FAILED", application["message"]
        return application.get("status") == "RUNNING" and len(self.running()) == num_replicas


def wait_until(holds: Callable[[], bool], timeout_s: float = START_S) -> None:
    """Ask again and again until something holds; Ray reports nothing of the kind by itself."""
    ends_at = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < ends_at, "it did not come to hold in time"
        time.sleep(0.25)


def url_of(config: Path) -> str:
    """Return the URL at which a configuration's proxies listen."""
    options = yaml.safe_load(config.read_text(encoding="utf-8"))["http_options"]
    return f"http://{options['host']}:{options['port']}"


def is_up(url: str) -> bool:
    """Return whether an application answers there that it is healthy."""
    try:
        return httpx.get(f"{url}/health", timeout=60).status_code == 200
    except httpx.HTTPError:
        return False


@contextmanager
def cluster(num_cpus: int) -> Iterator[Cluster]:
    """Run a cluster for the block. All its processes end with it, and none of another cluster does."""
    gcs, dashboard, agent, client = free_ports(4)
    # The paths of sockets below it must be short.
    folder = tempfile.mkdtemp(prefix="vr", dir="/tmp")
    environment = {
        **os.environ,
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": _TOKEN,
        "RAY_USAGE_STATS_ENABLED": "0",
        # On a busy machine five seconds are not enough, and a proxy that is late is started anew.
        "RAY_SERVE_PROXY_READY_CHECK_TIMEOUT_S": "60",
        "RAY_SERVE_PROXY_HEALTH_CHECK_TIMEOUT_S": "60",
        "PATH": f"{RAY}:{os.environ['PATH']}",
    }
    options = {
        "node-ip-address": "127.0.0.1",
        "port": gcs,
        "dashboard-port": dashboard,
        "dashboard-agent-listen-port": agent,
        "ray-client-server-port": client,
        "num-cpus": num_cpus,
        "object-store-memory": 100 * 2**20,
        "temp-dir": folder,
        "include-log-monitor": "false",
    }
    arguments = [f"--{name}={value}" for name, value in options.items()]
    with (Path(folder) / "head.log").open("wb") as log:
        head = subprocess.Popen(
            [str(RAY / "ray"), "start", "--head", "--block", *arguments],
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    found = Cluster(f"127.0.0.1:{gcs}", f"http://127.0.0.1:{dashboard}", environment)
    try:
        wait_until(lambda: _answers(found, head))
        yield found
    finally:
        head.send_signal(signal.SIGTERM)
        head.wait(timeout=60)
        shutil.rmtree(folder, ignore_errors=True)


def _answers(found: Cluster, head: "subprocess.Popen[bytes]") -> bool:
    assert head.poll() is None, "ray start has ended"
    try:
        found.application()
    except httpx.HTTPError:
        return False
    return True
