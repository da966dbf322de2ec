"""Variables that Kubernetes sets in every container for each service of its namespace.

A service that is called `verbatim` gives VERBATIM_SERVICE_HOST, VERBATIM_PORT=tcp://10.0.0.1:80 and others,
which look like settings and are none.
"""

import re
from typing import Final

_NAME: Final = re.compile(
    r"\w+_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)", re.IGNORECASE
)
_ADDRESS: Final = re.compile(r"(tcp|udp|sctp)://", re.IGNORECASE)


def is_of_a_service(name: str) -> bool:
    """Return whether a variable of this name can only be of a service."""
    return _NAME.fullmatch(name) is not None


def is_service_address(value: str) -> bool:
    """Return whether a value is the address of a service, such as tcp://10.0.0.1:80."""
    return _ADDRESS.match(value) is not None
