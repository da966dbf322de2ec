"""The application that Ray Serve deploys, which its files name by `handlers.ray.application:application`."""

from collections.abc import Mapping
from typing import Any, Final

from handlers.ray.options import DEPLOYMENT, deployment_options
from handlers.ray.replica import Replica
from handlers.ray.settings import RaySettings
from handlers.settings.settings import Settings
from handlers.shared_settings.reading import read_section

# A model that cannot be loaded cannot be loaded the twentieth time, which is Ray's number.
_MAX_STARTS: Final = 3


def application(args: dict[str, Any]) -> Any:
    """Return the application with the settings that a file's `args` name, one replica on one core.

    The rest of the file has Ray's options, which come before those made here. Raises ValueError with one line
    for each wrong setting.
    """
    return bound_application(read_arguments(args), args, RaySettings())


def bound_application(settings: Settings, args: Mapping[str, Any], ray: RaySettings) -> Any:
    """Return the application; requires Ray. args: the settings that each replica reads for itself."""
    from ray import serve

    deployment = serve.deployment(
        serve.ingress()(Replica),
        name=DEPLOYMENT,
        max_constructor_retry_count=_MAX_STARTS,
        **deployment_options(settings, ray),
    )
    return deployment.bind(dict(args))


def read_arguments(args: Mapping[str, Any]) -> Settings:
    """Return the settings of `args`, and from the environment what they lack.

    Raises ValueError with one line for each wrong setting; a name that is none would be left out otherwise.
    """
    if unknown := sorted(args.keys() - Settings.model_fields.keys()):
        raise ValueError(f"args: {', '.join(unknown)}: no setting has this name (`verbatim settings`)")
    return read_section(Settings, args)
