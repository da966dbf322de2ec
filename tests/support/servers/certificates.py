"""Certificates that a test makes for itself, with the `openssl` command."""

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no `openssl` command")


class Certificate(NamedTuple):
    """Files in PEM. A certificate that has signed itself is its own authority."""

    certificate: Path
    key: Path


def self_signed(directory: Path, name: str = "server") -> Certificate:
    """Make a certificate for 127.0.0.1 that is valid for a day."""
    made = Certificate(directory / f"{name}.pem", directory / f"{name}.key")
    _openssl(
        *("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
        *("-days", "1", "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1"),
        *("-keyout", str(made.key), "-out", str(made.certificate)),
    )
    return made


def with_password(made: Certificate, password: str) -> Path:
    """Return a copy of the key that the password encrypts."""
    locked = made.key.with_suffix(".locked")
    _openssl("pkey", "-in", str(made.key), "-aes256", "-passout", f"pass:{password}", "-out", str(locked))
    return locked


def _openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)
