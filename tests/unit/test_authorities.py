"""HTTP clients of tests read one authority, whatever the environment names for those of other programs."""

import ssl
from pathlib import Path

import certifi
import httpx
import pytest

_AUTHORITIES = Path(certifi.__file__).with_name("cacert.pem")


@pytest.mark.parametrize(
    ("variable", "named"),
    [("SSL_CERT_FILE", _AUTHORITIES), ("SSL_CERT_DIR", _AUTHORITIES.parent), ("OTHER", _AUTHORITIES)],
)
def test_a_client_trusts_one_authority(variable: str, named: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for each in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(each, raising=False)
    monkeypatch.setenv(variable, str(named))
    assert httpx.create_ssl_context().cert_store_stats()["x509"] == 1


def test_who_names_authorities_trusts_these() -> None:
    assert ssl.create_default_context(cafile=str(_AUTHORITIES)).cert_store_stats()["x509"] > 100
