"""The size of a model's weights is known before it is loaded, on this machine or on the hub."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from huggingface_hub import constants
from typing_extensions import override

from engine.model.loading.checkpoint.weight_size import weight_bytes

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The hub's folder of `owner/model`, in a cache that this process uses."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    repository = tmp_path / "models--owner--model"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text(COMMIT)
    (repository / "snapshots" / COMMIT).mkdir(parents=True)
    return repository / "snapshots" / COMMIT


@contextmanager
def hub(sizes: Mapping[str, int]) -> Iterator[str]:
    """Serve what the hub says of `owner/model`. sizes: its files, with their numbers of bytes."""
    files = [{"rfilename": name, "size": size} for name, size in sizes.items()]
    said = json.dumps({"id": "owner/model", "sha": COMMIT, "siblings": files}).encode()

    class Hub(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_known = self.path == "/api/models/owner/model?blobs=true"
            body = said if is_known else b"{}"
            self.send_response(200 if is_known else 404)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        @override
        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def write(directory: Path, sizes: Mapping[str, int]) -> None:
    for name, size in sizes.items():
        (directory / name).write_bytes(b"x" * size)


@pytest.mark.parametrize(
    ("sizes", "total"),
    [
        ({"a.safetensors": 3, "b.safetensors": 4, "pytorch_model.bin": 90, "config.json": 2}, 7),
        ({"pytorch_model-1.bin": 3, "pytorch_model-2.bin": 5, "training_args.bin": 90}, 8),
        ({"model-Q4_K_M.gguf": 6}, 6),
        ({"config.json": 2}, 0),
    ],
)
def test_of_a_directory_it_is_that_of_the_files_that_are_read(
    tmp_path: Path, sizes: dict[str, int], total: int
) -> None:
    write(tmp_path, sizes)
    assert weight_bytes(str(tmp_path), None) == total


def test_of_a_file_it_is_its_own(tmp_path: Path) -> None:
    write(tmp_path, {"model.gguf": 6})
    assert weight_bytes(str(tmp_path / "model.gguf"), None) == 6


def test_a_model_of_the_hub_has_it_in_the_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert weight_bytes("owner/model", None) == 0
    write(cache, {"model.safetensors": 7, "model-Q4_K_M.gguf": 5})
    assert weight_bytes("owner/model", None) == 7
    assert weight_bytes("owner/model:Q4_K_M", None) == 5


@pytest.mark.parametrize(
    ("model", "total"),
    [("owner/model", 7000), ("owner/model:Q4_K_M", 5000), ("owner/model:Q8_0", 0), ("owner/other", 0)],
)
def test_a_model_that_was_not_fetched_yet_has_it_on_the_hub(
    cache: Path, monkeypatch: pytest.MonkeyPatch, model: str, total: int
) -> None:
    sizes = {"1.safetensors": 3000, "2.safetensors": 4000, "model-Q4_K_M.gguf": 5000, "config.json": 9}
    with hub(sizes) as url:
        monkeypatch.setattr(constants, "ENDPOINT", url)
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        assert weight_bytes(model, None) == total
