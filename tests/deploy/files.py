"""The files of tools/deploy, and the settings that they give a server."""

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import yaml

from handlers.commands.launcher import launcher_parser, read_launcher_settings
from handlers.settings.command_line import add_settings, options, read_settings
from handlers.settings.settings import Settings

ROOT: Final = Path(__file__).parents[2]
DEPLOY: Final = ROOT / "tools" / "deploy"
# What the image sets, as docs/deploy.md says; a test holds it to the Dockerfile.
IMAGE: Final = {"VERBATIM_HOST": "0.0.0.0", "PORT": "80"}


def read(path: Path) -> Any:
    """Return a file of one YAML document."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def documents(path: Path) -> list[Any]:
    """Return the documents of a YAML file."""
    return list(yaml.safe_load_all(path.read_text(encoding="utf-8")))


def settings_of(arguments: Sequence[str], environment: Mapping[str, str]) -> Settings:
    """Return the settings that an image has with these arguments, as its entry point takes them.

    environment: without the image's own, which is added. Fails for a variable VERBATIM_* that is no setting.
    """
    known = {name for option in options() for name in option.environment}
    assert {name for name in environment if name.startswith("VERBATIM_")} <= known
    with patch.dict(os.environ, {**IMAGE, **environment}, clear=True):
        if arguments[0].startswith("-"):
            return read_launcher_settings(vars(launcher_parser().parse_args(arguments)))
        assert arguments[0] == "serve"
        parser = argparse.ArgumentParser(exit_on_error=False)
        add_settings(parser)
        return read_settings(parser.parse_args(arguments[1:]))
