"""The server's certificate, and those that it requires of clients."""

import asyncio
import logging
import os
import ssl
from typing import Final

from engine.whole_file import read_whole
from handlers.access.connections.settings import HttpSettings

logger = logging.getLogger(__name__)

_REFRESH_S: Final = 10.0
_MAX_BYTES: Final = 10_000_000  # the authorities of all systems are a few hundred kilobytes


class BadCertificate(OSError):
    """A certificate or key cannot be used."""


def server_context(settings: HttpSettings) -> ssl.SSLContext | None:
    """Return the context of TLS connections; None where the server speaks plain HTTP. Raises BadCertificate.

    With `ssl_ca_certs` a client must show a certificate that one of those signed.
    """
    if settings.ssl_certfile is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    _load(context, settings)
    return context


def served_certificate(settings: HttpSettings) -> "RenewedCertificate | None":
    """Return the certificate of TLS connections; None where the server speaks plain HTTP.

    A change of its files from now on is seen. Raises BadCertificate.
    """
    context = server_context(settings)
    return None if context is None else RenewedCertificate(context, settings)


class RenewedCertificate:
    """The files behind a context, which are read again when they change, as certificates expire.

    Connections that begin afterwards get the new certificate. Certificates of clients that were signed by
    those that `ssl_ca_certs` had before stay valid, since a context forgets none.
    """

    def __init__(self, context: ssl.SSLContext, settings: HttpSettings) -> None:
        """Take the files as they are now for those of the context, which `server_context` made."""
        self.context = context
        self._settings = settings
        self._stamps = self._read_stamps()

    async def keep_fresh(self) -> None:
        """Refresh every ten seconds, until cancelled."""
        while True:
            await asyncio.sleep(_REFRESH_S)
            try:
                self.refresh()  # in this thread, so that no handshake sees a certificate without its key
            except Exception:
                logger.exception("the certificate is unchanged, and its files are looked at again")

    def refresh(self) -> None:
        """Read the files again if they have changed; wrong ones are logged, and nothing changes."""
        stamps = self._read_stamps()
        if stamps == self._stamps:
            return
        self._stamps = stamps
        try:
            server_context(self._settings)  # before the one in use has half of it
            _load(self.context, self._settings)
        except BadCertificate as error:
            logger.error("the certificate is unchanged: %s", error)
        else:
            logger.info("the certificate was read again from %s", self._settings.ssl_certfile)

    def _read_stamps(self) -> list[tuple[int, int, int] | None]:
        """Return values that change when the files do."""
        return [_stamp(name) for name in _names(self._settings)]


def _names(settings: HttpSettings) -> list[str]:
    names = (settings.ssl_certfile, settings.ssl_keyfile, settings.ssl_ca_certs)
    return [name for name in names if name is not None]


def _stamp(name: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(name)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def _load(context: ssl.SSLContext, settings: HttpSettings) -> None:
    """Load the files into the context. Raises BadCertificate."""
    assert settings.ssl_certfile is not None, "there is nothing to load"
    password = settings.ssl_keyfile_password or ""  # without one OpenSSL would ask at the terminal, and wait
    for name in _names(settings):
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


def _check_readable(name: str) -> None:
    """Raise BadCertificate for a file that OpenSSL would not name, or would wait for."""
    try:
        read_whole(name, _MAX_BYTES)
    except OSError as error:
        raise BadCertificate(f"cannot read {name}: {error.strerror}") from error


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLError) and error.reason == "KEY_VALUES_MISMATCH":
        return "the key is of another certificate"
    return "wrong format, or a wrong or missing password (--ssl-keyfile-password)"
