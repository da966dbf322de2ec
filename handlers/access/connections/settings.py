"""The settings of connections: TLS, sizes and times."""

from typing import Annotated, Final, Self

from pydantic import Field, model_validator

from handlers.shared_settings.kinds import Count, Limit, Seconds, env
from handlers.shared_settings.section import Section
from verbatim_kit.http.limits import HttpLimits

_DISCARDED_BYTES: Final = 2**24


class HttpSettings(Section):
    """The bounds that hold before a request has reached a contract, and the certificates of HTTPS."""

    ssl_certfile: Annotated[str | None, env("VERBATIM_SSL_CERTFILE")] = None
    """PEM file with the certificate and its chain; if set, the server speaks HTTPS."""

    ssl_keyfile: Annotated[str | None, env("VERBATIM_SSL_KEYFILE")] = None
    """File with the private key of the certificate; defaults to ssl_certfile."""

    ssl_keyfile_password: Annotated[str | None, env("VERBATIM_SSL_KEYFILE_PASSWORD")] = None
    """Password of the private key."""

    ssl_ca_certs: Annotated[str | None, env("VERBATIM_SSL_CA_CERTS")] = None
    """File with CA certificates; if set, clients must present a certificate that one of them has signed."""

    payload_limit: Annotated[Count, env("VERBATIM_PAYLOAD_LIMIT", "PAYLOAD_LIMIT")] = 2_000_000
    """Largest request body in bytes; 20 000 000 by default for a model that reads images and the like."""

    upload_limit: Annotated[Count, env("VERBATIM_UPLOAD_LIMIT")] = 26_214_400
    """Largest request body in bytes of an operation that takes files, such as a transcription."""

    max_url_bytes: Annotated[Count, env("VERBATIM_MAX_URL_BYTES")] = 16_384
    """Longest URL in bytes; a longer one is refused with 414."""

    max_header_bytes: Annotated[Count, env("VERBATIM_MAX_HEADER_BYTES")] = 65_536
    """Total size of a request's headers in bytes; larger ones are refused with 431."""

    max_headers: Annotated[Count, env("VERBATIM_MAX_HEADERS")] = 100
    """Number of headers per request; more are refused with 431."""

    header_timeout: Annotated[Seconds, env("VERBATIM_HEADER_TIMEOUT")] = 10.0
    """Seconds from the start of a connection or request until the headers must be complete."""

    body_timeout: Annotated[Seconds, env("VERBATIM_BODY_TIMEOUT")] = 10.0
    """Seconds over which the rate of a request body is measured; a slower body is refused with 408."""

    min_body_rate: Annotated[int, env("VERBATIM_MIN_BODY_RATE"), Field(ge=0)] = 1024
    """Lowest rate of a request body in bytes per second; 0 for any rate."""

    keep_alive_timeout: Annotated[Seconds, env("VERBATIM_KEEP_ALIVE_TIMEOUT")] = 75.0
    """Seconds that an idle connection is kept open; longer than clients wait before they reuse one."""

    client_timeout: Annotated[Seconds, env("VERBATIM_CLIENT_TIMEOUT")] = 30.0
    """Seconds after which a client that does not read its answer is disconnected."""

    max_connections: Annotated[Limit, env("VERBATIM_MAX_CONNECTIONS")] = None
    """Most open connections; the longest idle one gives way. Defaults to what file descriptors allow."""

    @model_validator(mode="after")
    def _has_a_certificate(self) -> Self:
        if self.ssl_certfile is None and (self.ssl_keyfile or self.ssl_ca_certs or self.ssl_keyfile_password):
            raise ValueError("ssl_keyfile, ssl_keyfile_password and ssl_ca_certs need an ssl_certfile")
        return self


def http_limits(settings: HttpSettings) -> HttpLimits:
    """Return the limits in the settings."""
    return HttpLimits(
        max_url_bytes=settings.max_url_bytes,
        max_header_bytes=settings.max_header_bytes,
        max_headers=settings.max_headers,
        header_timeout=settings.header_timeout,
        body_timeout=settings.body_timeout,
        min_body_rate=settings.min_body_rate,
        keep_alive_timeout=settings.keep_alive_timeout,
        client_timeout=settings.client_timeout,
        max_connections=settings.max_connections,
        max_discarded_bytes=max(_DISCARDED_BYTES, 2 * settings.payload_limit, 2 * settings.upload_limit),
    )
