"""What chat and completion answers call the server that made them."""

from importlib.metadata import version
from typing import Final

SYSTEM_FINGERPRINT: Final = f"{version('verbatim')}-native"
