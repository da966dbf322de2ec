"""The version of this server, from the metadata of the installed distribution."""

from importlib.metadata import version
from typing import Final

DISTRIBUTION: Final = "verbatim-server"
"""The name of the project in pyproject.toml and on PyPI, where `verbatim` is another project's."""

VERSION: Final = version(DISTRIBUTION)
