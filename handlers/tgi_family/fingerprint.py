"""The name of the server in chat and completion answers."""

from typing import Final

from handlers.version import VERSION

SYSTEM_FINGERPRINT: Final = f"{VERSION}-native"
