"""The server's certificate, and those that it requires of clients."""

import ssl
from pathlib import Path

from handlers.http.settings import HttpSettings


class BadCertificate(OSError):
    """A certificate or key cannot be used."""


def server_context(settings: HttpSettings) -> ssl.SSLContext | None:
    """Return the context of TLS connections; None where the server speaks plain HTTP. Raises BadCertificate.

    With `ssl_ca_certs` a client must show a certificate that one of those signed.
    """
    if settings.ssl_certfile is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    password = settings.ssl_keyfile_password or ""  # without one OpenSSL would ask at the terminal, and wait
    for name in (settings.ssl_certfile, settings.ssl_keyfile, settings.ssl_ca_certs):
        _check_readable(name)
    try:
        context.load_cert_chain(settings.ssl_certfile, settings.ssl_keyfile, password)
    except (ssl.SSLError, ValueError) as error:
        key = settings.ssl_keyfile or settings.ssl_certfile
        raise BadCertificate(
            f"cannot use the certificate {settings.ssl_certfile} with the key {key}: {_reason(error)}"
        ) from error
    if settings.ssl_ca_certs is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        try:
            context.load_verify_locations(settings.ssl_ca_certs)
        except ssl.SSLError as error:
            raise BadCertificate(
                f"cannot use the certificates {settings.ssl_ca_certs}: {_reason(error)}"
            ) from error
    return context


def _check_readable(name: str | None) -> None:
    """Raise BadCertificate for a file that cannot be read, since OpenSSL's own message does not name it."""
    try:
        if name is not None:
            Path(name).read_bytes()
    except OSError as error:
        raise BadCertificate(f"cannot read {name}: {error.strerror}") from error


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLError) and error.reason == "KEY_VALUES_MISMATCH":
        return "the key is of another certificate"
    return "wrong format, or a wrong or missing password (--ssl-keyfile-password)"
