"""The identifier of a request in the headers of its answer, in the log and in a report of trouble."""

import re
from secrets import token_hex
from typing import Final

# Visible ASCII without quotes, commas and the like: safe in a header, a log line and a URL's path.
_FIT: Final = re.compile(r"[A-Za-z0-9._:~=+@-]{1,128}")


def request_id_of(given: str | None) -> str:
    """Return the identifier that the client or a proxy gave the request, so that their logs agree with ours.

    It is a new one if none was given that is safe to repeat. Only new ones are unique: a client may send the
    same identifier again.
    """
    return given if given is not None and _FIT.fullmatch(given) else f"req_{token_hex(16)}"
