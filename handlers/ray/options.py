"""The settings in Ray Serve's terms: an application, its deployment, and the proxies before it."""

from collections.abc import Mapping
from typing import Any, Final

from engine.remote.shown_url import shown_url
from handlers.ray.settings import RaySettings
from handlers.settings.settings import Settings
from handlers.settings.several_models import UNSUPERVISED

DEPLOYMENT: Final = "Verbatim"
APPLICATION: Final = "handlers.ray.application:application"
PROXY_MIDDLEWARES: Final = "handlers.ray.proxy:middlewares"

# Ray's proxies accept connections, so that these settings are theirs, or have no counterpart there.
OF_PROXIES: Final = frozenset(
    {"port", "keep_alive_timeout", "ssl_certfile", "ssl_keyfile", "ssl_keyfile_password", "ssl_ca_certs"}
)
WITHOUT_EFFECT: Final = (
    "max_url_bytes",
    "max_header_bytes",
    "max_headers",
    "header_timeout",
    "body_timeout",
    "min_body_rate",
    "client_timeout",
    "max_connections",
    *UNSUPERVISED,
)
_SECRETS: Final = ("api_key", "admin_key", "engine_api_key", "engine_command", "ssl_keyfile_password")

# Ray kills a replica so long after its requests had to be over.
STOP_S: Final = 10.0
_WAIT_LOOP_S: Final = 0.5
_HEALTH_PERIOD_S: Final = 5.0
# Refusals and probes take little, and a replica must have room for them next to what runs.
_ONGOING: Final = 2


def secrets(settings: Settings) -> list[str]:
    """Return the names of given settings that hold, or may hold, a key or a password.

    A command is one of them, whatever it is; a URL where it has a user.
    """
    has_user = any(shown_url(url) != url.rstrip("/") for url in settings.engine_url)
    names = (*_SECRETS, "engine_url") if has_user else _SECRETS
    return [name for name in names if getattr(settings, name) is not None]


def replica_settings(settings: Settings) -> dict[str, Any]:
    """Return the given settings by name, as JSON, without those of the proxies."""
    left_out = OF_PROXIES.union(WITHOUT_EFFECT, ("config",))  # whose settings are among those given
    # Pages of other sites are refused by the address to listen on, which each replica must know.
    names = (settings.model_fields_set | {"host"}) - left_out
    return {name: value for name, value in settings.model_dump(mode="json").items() if name in names}


def deployment_options(settings: Settings, ray: RaySettings) -> dict[str, Any]:
    """Return the options of the deployment, under the names of both Ray's decorator and its files."""
    return {
        **_number(settings, ray),
        # Beyond them, requests wait in the proxies, which know no contract's answer to an overload.
        "max_ongoing_requests": _ONGOING * settings.max_concurrent_requests,
        "max_queued_requests": _ONGOING * settings.max_concurrent_requests,
        "graceful_shutdown_wait_loop_s": _WAIT_LOOP_S,
        "graceful_shutdown_timeout_s": settings.graceful_termination_timeout + STOP_S,
        "health_check_period_s": _HEALTH_PERIOD_S,
        "ray_actor_options": {"num_cpus": ray.replica_cpus, **_named("num_gpus", ray.replica_gpus)},
        **_placement(ray),
    }


def _number(settings: Settings, ray: RaySettings) -> dict[str, Any]:
    if ray.max_replicas is None:
        return {"num_replicas": ray.replicas}
    target = ray.target_ongoing_requests or max(1.0, settings.max_concurrent_requests / 2)
    return {
        "autoscaling_config": {
            "min_replicas": ray.replicas,
            "max_replicas": ray.max_replicas,
            "target_ongoing_requests": target,
        }
    }


def _placement(ray: RaySettings) -> dict[str, Any]:
    """Return the placement of a replica's cores and GPUs, which one node must have together."""
    if ray.replicas_per_node is not None:  # Ray takes no placement group in addition
        return {"max_replicas_per_node": ray.replicas_per_node}
    return {
        "placement_group_bundles": [{"CPU": ray.replica_cpus, **_named("GPU", ray.replica_gpus)}],
        "placement_group_strategy": "STRICT_PACK",
    }


def _named(name: str, number: float) -> dict[str, float]:
    return {name: number} if number else {}


def http_options(settings: Settings) -> dict[str, Any]:
    """Return the options of Ray's proxies, which listen on every node that has a replica."""
    tls = {
        "ssl_certfile": settings.ssl_certfile,
        "ssl_keyfile": settings.ssl_keyfile or settings.ssl_certfile,
        "ssl_keyfile_password": settings.ssl_keyfile_password,
        "ssl_ca_certs": settings.ssl_ca_certs,
    }
    return {
        "host": settings.host,
        "port": settings.port,
        "keep_alive_timeout_s": int(settings.keep_alive_timeout),
        **({name: value for name, value in tls.items() if value} if settings.ssl_certfile else {}),
    }


def proxy_environment(settings: Settings, ray: RaySettings) -> Mapping[str, str]:
    """Return the variables by which Ray's proxies find `handlers.ray.proxy`, and that find the contracts."""
    return {
        "RAY_SERVE_HTTP_PROXY_CALLBACK_IMPORT_PATH": PROXY_MIDDLEWARES,
        "VERBATIM_ROOT": ",".join(settings.root),
        "VERBATIM_ROUTE_PREFIX": ray.route_prefix,
    }


def logging_options(settings: Settings) -> dict[str, Any]:
    """Return the options of Ray Serve's own log."""
    return {
        "log_level": settings.log_level.upper(),
        "encoding": "JSON" if settings.logs_json else "TEXT",
        "enable_access_log": False,
    }
