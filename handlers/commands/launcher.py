"""The arguments and settings of `text-generation-launcher`.

Options and variables mean what they mean in TGI, with its defaults of address, port and paths. The table in
handlers/settings/other_programs/tgi.py says what each does; Verbatim's own variables (`VERBATIM_*`) work too.
"""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource
from typing_extensions import override

from handlers.commands.command_parser import CommandParser
from handlers.commands.ending import exit_status
from handlers.commands.serve import serve_as_given
from handlers.settings.command_line import options, read_settings
from handlers.settings.other_programs.reading import add_arguments
from handlers.settings.other_programs.tgi import ARGUMENTS
from handlers.settings.settings import Settings
from handlers.shared_settings.reading import flag
from handlers.version import VERSION

DEFAULTS: Final[Mapping[str, Any]] = {"host": "0.0.0.0", "port": 3000, "root": ("tgi",)}
"""The settings whose defaults are TGI's under this command."""


class LauncherSettings(Settings):
    """The settings with the launcher's defaults, which options and variables come before."""

    @override
    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Return the sources of all settings, and the defaults last."""
        sources = super().settings_customise_sources(
            settings_cls, init_settings, env_settings, dotenv_settings, file_secret_settings
        )
        return *sources, InitSettingsSource(settings_cls, dict(DEFAULTS))


def run(arguments: Sequence[str] | None) -> int:
    """Serve until stopped, and return the exit status. arguments: None for those of the process."""

    def run_given() -> int:
        given = vars(launcher_parser().parse_args(arguments))
        return serve_as_given(given, read_launcher_settings)

    return exit_status(run_given)


def launcher_parser() -> argparse.ArgumentParser:
    """Return the parser of the arguments."""
    defaults = {flag(name): ",".join(v) if isinstance(v, tuple) else v for name, v in DEFAULTS.items()}
    parser = CommandParser(
        prog="text-generation-launcher",
        usage="%(prog)s [options]",
        description="Serve a model under Text Generation Inference's contract until stopped: "
        "`verbatim serve " + " ".join(f"{name} {value}" for name, value in defaults.items()) + "`.",
    )
    version = f"text-generation-launcher {VERSION} (Verbatim)"
    parser.add_argument("-V", "--version", action="version", version=version)
    add_arguments(parser, ARGUMENTS, {option.name: option.help for option in options()})
    return parser


def read_launcher_settings(given: Mapping[str, Any]) -> Settings:
    """Return the settings from the arguments and the environment.

    Raises ValueError with one line for each wrong argument, by the name that TGI gives it.
    """
    return read_settings(argparse.Namespace(**given), LauncherSettings)
