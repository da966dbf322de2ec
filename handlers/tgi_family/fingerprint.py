"""What chat and completion answers call the server that made them."""

from typing import Final

from handlers.version import VERSION

SYSTEM_FINGERPRINT: Final = f"{VERSION}-native"
