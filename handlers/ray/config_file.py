"""The configuration that `serve deploy` takes, as text."""

from typing import Any

import yaml

from handlers.ray.options import (
    APPLICATION,
    DEPLOYMENT,
    deployment_options,
    http_options,
    logging_options,
    proxy_environment,
    replica_settings,
    secrets,
)
from handlers.ray.settings import RaySettings
from handlers.settings.settings import Settings


def config_file(settings: Settings, ray: RaySettings) -> str:
    """Return the configuration as YAML, without secrets, for which comments name the variables."""
    lines = ["# Ray Serve's configuration: `serve deploy FILE` deploys it, and updates what is deployed.\n"]
    lines += [
        f"# Not in this file: {name}. Set it on all nodes in VERBATIM_{name.upper()}.\n"
        for name in secrets(settings)
    ]
    return "".join(lines) + yaml.safe_dump(config(settings, ray), sort_keys=False, allow_unicode=True)


def config(settings: Settings, ray: RaySettings) -> dict[str, Any]:
    """Return the configuration in the form of Ray's ServeDeploySchema, without secrets."""
    proxies, args = http_options(settings), replica_settings(settings)
    for name in secrets(settings):
        proxies.pop(name, None)
        args.pop(name, None)
    return {
        "proxy_location": "EveryNode",
        "http_options": proxies,
        "controller_options": {"runtime_env": {"env_vars": dict(proxy_environment(settings, ray))}},
        "logging_config": logging_options(settings),
        "applications": [
            {
                "name": ray.application,
                "route_prefix": ray.route_prefix,
                "import_path": APPLICATION,
                "args": args,
                "logging_config": logging_options(settings),
                "deployments": [{"name": DEPLOYMENT, **deployment_options(settings, ray)}],
            }
        ],
    }
