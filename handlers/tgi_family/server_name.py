"""The server's name, which the released servers send as `system_fingerprint`."""

from typing import Final

from handlers.version import VERSION

SERVER_NAME: Final = f"{VERSION}-native"
