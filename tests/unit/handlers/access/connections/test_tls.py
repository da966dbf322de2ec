"""Certificates are tried before the model loads, and what is wrong with one is said in a line."""

import logging
import os
import shutil
import ssl
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from handlers.access.connections.tls import BadCertificate, served_certificate, server_context
from handlers.settings.settings import Settings
from tests.support.servers.certificates import Certificate, needs_openssl, self_signed, with_password


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return self_signed(tmp_path_factory.mktemp("made"))


def context_of(**given: Any) -> object:
    texts: dict[str, Any] = {name: str(value) for name, value in given.items()}
    return server_context(Settings(**texts))


def test_without_a_certificate_there_is_no_tls() -> None:
    assert server_context(Settings()) is None


@needs_openssl
def test_a_key_may_have_a_password_or_stand_beside_its_certificate(made: Certificate, tmp_path: Path) -> None:
    both = tmp_path / "both.pem"
    both.write_bytes(made.certificate.read_bytes() + made.key.read_bytes())
    assert context_of(ssl_certfile=both)
    locked = with_password(made, "secret")
    assert context_of(ssl_certfile=made.certificate, ssl_keyfile=locked, ssl_keyfile_password="secret")


@needs_openssl
def test_what_is_wrong_is_said(made: Certificate, tmp_path: Path) -> None:
    other = self_signed(tmp_path, "other")
    locked = with_password(made, "secret")
    nonsense = tmp_path / "nonsense"
    nonsense.write_text("nonsense")
    for given, message in (
        ({"ssl_certfile": tmp_path / "none"}, "cannot read .*none: No such file"),
        ({"ssl_certfile": tmp_path}, "it is a directory"),
        ({"ssl_certfile": made.certificate, "ssl_keyfile": tmp_path / "none"}, "No such file"),
        ({"ssl_certfile": nonsense, "ssl_keyfile": made.key}, "wrong format"),
        ({"ssl_certfile": made.certificate, "ssl_keyfile": other.key}, "the key is of another certificate"),
        ({"ssl_certfile": made.certificate, "ssl_keyfile": locked}, "wrong or missing password"),
        (
            {"ssl_certfile": made.certificate, "ssl_keyfile": locked, "ssl_keyfile_password": "wrong"},
            "wrong or missing password",
        ),
        (
            {"ssl_certfile": made.certificate, "ssl_keyfile": made.key, "ssl_ca_certs": nonsense},
            "cannot use the certificates .*nonsense",
        ),
    ):
        with pytest.raises(BadCertificate, match=message):
            context_of(**given)


@pytest.mark.parametrize("name", ["ssl_keyfile", "ssl_keyfile_password", "ssl_ca_certs"])
def test_nothing_of_tls_is_ignored_for_want_of_a_certificate(name: str) -> None:
    with pytest.raises(ValidationError, match="need an ssl_certfile"):
        context_of(**{name: "a"})


def shown(context: ssl.SSLContext) -> bytes:
    """Return the certificate that a handshake with this context shows, in DER."""
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
    to_client, to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = client.wrap_bio(to_client, to_server), context.wrap_bio(to_server, to_client, server_side=True)
    for end in (*ends, *ends, *ends):
        with suppress(ssl.SSLWantReadError):
            end.do_handshake()
    certificate = ends[0].getpeercert(binary_form=True)
    assert certificate is not None
    return certificate


def der(certificate: Certificate) -> bytes:
    return ssl.PEM_cert_to_DER_cert(certificate.certificate.read_text())


def replace_by(path: Path, source: Path) -> None:
    """Put another file in the place of one, as the mounted secrets of Kubernetes are changed."""
    shutil.copy(source, path.with_suffix(".new"))
    os.replace(path.with_suffix(".new"), path)


@needs_openssl
def test_a_certificate_that_was_renewed_is_shown_to_later_connections(
    made: Certificate, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    used = Certificate(tmp_path / "used.pem", tmp_path / "used.key")
    replace_by(used.certificate, made.certificate)
    replace_by(used.key, made.key)
    settings = Settings(ssl_certfile=str(used.certificate), ssl_keyfile=str(used.key))
    renewed = served_certificate(settings)
    assert renewed is not None
    context = renewed.context
    renewed.refresh()
    assert shown(context) == der(made)
    later = self_signed(tmp_path, "later")
    replace_by(used.certificate, later.certificate)
    with caplog.at_level(logging.INFO, "handlers.access.connections.tls"):
        renewed.refresh()  # the key has not come yet
        renewed.refresh()
        assert shown(context) == der(made)
        replace_by(used.key, later.key)
        renewed.refresh()
    assert shown(context) == der(later)
    used.key.unlink()
    renewed.refresh()
    assert shown(context) == der(later)
    assert [record.levelno for record in caplog.records] == [logging.ERROR, logging.INFO, logging.ERROR]
    assert "the key is of another certificate" in caplog.messages[0]
