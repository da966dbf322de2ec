"""The run of `verbatim ray`: deploy the application, and delete it when stopped."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, ModuleType
from typing import Final, NoReturn

from engine.extras import how_to_install
from handlers.process.end_by_signal import STOP
from handlers.process.exit_status import ExitStatus
from handlers.process.standard_output import say, say_stopping
from handlers.ray.application import bound_application
from handlers.ray.options import (
    STOP_S,
    http_options,
    logging_options,
    proxy_environment,
    replica_settings,
)
from handlers.ray.settings import RaySettings
from handlers.settings.settings import Settings

_OBJECT_STORE_BYTES: Final = 256 * 2**20  # requests and answers, which are small, pass through


class CannotDeploy(Exception):
    """Ray is not there, or does not take the application."""


class _Stopped(BaseException):
    """A signal to stop has come."""


def deploy(settings: Settings, ray_settings: RaySettings) -> int:
    """Deploy the application, wait for a signal to stop, delete it, and return the exit status.

    Requests that run then have their grace period. A cluster that was started here ends too.
    Raises CannotDeploy.
    """
    ray = _imported()
    is_ready = False
    with _cluster(ray, ray_settings):
        try:
            with _stop_signals():
                _start(ray, settings, ray_settings)
                say(f"  ready at {settings.url(settings.port)}{ray_settings.route_prefix.rstrip('/')}")
                is_ready = True
                threading.Event().wait()
        except _Stopped:
            say_stopping(f"waits up to {settings.graceful_termination_timeout} s for running requests")
            return ExitStatus.STOPPED if is_ready else ExitStatus.INTERRUPTED
        finally:
            _delete(ray, ray_settings.application, settings.graceful_termination_timeout)
    raise AssertionError("nothing else ends the wait")


def _imported() -> ModuleType:
    try:
        import ray
        import ray.serve
    except ImportError as error:
        raise CannotDeploy(
            f"Ray Serve cannot be imported ({error}); {how_to_install('ray')} installs it"
        ) from None
    module: ModuleType = ray
    return module


@contextmanager
def _cluster(ray: ModuleType, ray_settings: RaySettings) -> Iterator[None]:
    """Connect to the cluster, or start one, for the block."""
    address = ray_settings.ray_address
    try:
        if address is not None:
            ray.init(address=address, namespace="serve", log_to_driver=False, logging_level="WARNING")
        else:
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray would send statistics to its makers
            ray.init(
                address="local",
                namespace="serve",
                include_dashboard=False,
                object_store_memory=_OBJECT_STORE_BYTES,
                logging_level="WARNING",
            )
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise CannotDeploy(f"{address or 'a cluster of this machine'}: {error}") from error
    try:
        yield
    finally:
        if address is None:
            ray.serve.shutdown()
        ray.shutdown()


def _start(ray: ModuleType, settings: Settings, ray_settings: RaySettings) -> None:
    """Return once all replicas run. Raises CannotDeploy."""
    if ray_settings.ray_address is None:
        _check_room(ray, ray_settings)
    ray.serve.start(
        proxy_location="EveryNode",
        http_options=http_options(settings),
        logging_config=logging_options(settings),
        controller_options={"runtime_env": {"env_vars": dict(proxy_environment(settings, ray_settings))}},
    )
    app = bound_application(settings, replica_settings(settings), ray_settings)
    try:
        ray.serve.run(
            app,
            name=ray_settings.application,
            route_prefix=ray_settings.route_prefix,
            logging_config=logging_options(settings),
        )
    except RuntimeError as error:  # as Ray reports replicas that do not start
        raise CannotDeploy(str(error)) from error


def _check_room(ray: ModuleType, ray_settings: RaySettings) -> None:
    """Raise CannotDeploy if this machine has no room for the replicas, for which Ray would wait forever."""
    there = ray.cluster_resources()
    for name, each in (("CPU", ray_settings.replica_cpus), ("GPU", ray_settings.replica_gpus)):
        if ray_settings.replicas * each > there.get(name, 0):
            raise CannotDeploy(
                f"{ray_settings.replicas} replicas with {each:g} {name} each do not fit on this machine, "
                f"which has {there.get(name, 0):g}"
            )


@contextmanager
def _stop_signals() -> Iterator[None]:
    """Raise _Stopped in the block at the first signal; later ones have the handlers of before."""
    previous = {
        sent: handler
        for sent in (signal.SIGINT, *STOP)
        if (handler := signal.getsignal(sent)) != signal.SIG_IGN  # as SIGHUP under nohup
    }

    def restore() -> None:
        for sent, handler in previous.items():
            signal.signal(sent, handler)

    def stop(sent: int, frame: FrameType | None) -> NoReturn:
        restore()
        raise _Stopped

    for sent in previous:
        signal.signal(sent, stop)
    try:
        yield
    finally:
        restore()


def _delete(ray: ModuleType, name: str, grace_s: float) -> None:
    """Delete the application, if Serve runs at all, once its requests are over or their time is."""
    ends_at = time.monotonic() + grace_s + STOP_S
    while True:
        try:
            ray.serve.delete(name)
        except TimeoutError:  # after a minute
            if time.monotonic() < ends_at:
                continue
        except ray.serve.exceptions.RayServeException:
            return
        return
