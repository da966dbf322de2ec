"""The command `verbatim ray`."""

import argparse
import logging

from handlers.commands.command_parser import CommandParser
from handlers.commands.ending import fail
from handlers.process.exit_status import ExitStatus
from handlers.process.fitness import UnfitProcess, check_process
from handlers.process.standard_output import print_as_json, say
from handlers.ray.options import WITHOUT_EFFECT
from handlers.ray.settings import RaySettings
from handlers.settings.command_line import add_options, add_settings, read_settings
from handlers.settings.settings import Settings
from handlers.shared_settings.reading import flag, read_section
from handlers.version import VERSION


def add(commands: "argparse._SubParsersAction[CommandParser]") -> None:
    """Add the command to the subparsers."""
    ray = commands.add_parser(
        "ray",
        help="serve a model with replicas on Ray Serve",
        usage="%(prog)s [MODEL] [options]",
        description="Deploy replicas of a model on Ray Serve, behind Ray's proxies, until stopped.",
    )
    group = ray.add_argument_group("replicas")
    add_options(group, section=RaySettings)
    group.add_argument(
        "--print-config",
        action="store_true",
        help="print the configuration that `serve deploy` takes, instead of deploying it",
    )
    ray.flags = add_settings(ray)
    ray.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    try:
        settings, ray_settings = read_settings(options), read_section(RaySettings, vars(options))
        if settings.port == 0:
            raise ValueError("--port: Ray's proxies need a port of their own")
    except ValueError as error:
        return fail(error, ExitStatus.USAGE)
    if options.print_config:
        from handlers.ray.config_file import config_file

        say(config_file(settings, ray_settings).rstrip())
        return ExitStatus.STOPPED
    return _deploy(settings, ray_settings)


def _deploy(settings: Settings, ray_settings: RaySettings) -> int:
    from handlers.ray.run import CannotDeploy, deploy

    print_as_json(settings.logs_json)
    logging.basicConfig(level=settings.log_level.upper(), format="%(levelname)s %(name)s: %(message)s")
    say(f"verbatim {VERSION}: deploying {settings.model_name} on Ray Serve")
    if unused := [name for name in WITHOUT_EFFECT if name in settings.model_fields_set]:
        say(
            f"  warning   options without effect behind Ray's proxies: {', '.join(map(flag, unused))}",
            "WARNING",
        )
    try:
        check_process()
        return deploy(settings, ray_settings)
    except (CannotDeploy, UnfitProcess) as error:
        return fail(error, ExitStatus.FAILED)
