"""One seed for requests whose clients gave none, so that two answers to them can be compared."""

from types import SimpleNamespace
from typing import Final

import pytest
from msgspec.structs import replace

from engine.port.request import GenerationRequest
from engine.remote.wire.sampling import seed_of

SEED: Final = 11


def draw_one_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all applications and engines in this process draw the same seed."""
    monkeypatch.setattr(
        "handlers.served_model.request_values.random", SimpleNamespace(getrandbits=lambda bits: SEED)
    )
    monkeypatch.setattr("engine.core.job.getrandbits", lambda bits: SEED)
    for name in ("vllm", "sglang"):
        monkeypatch.setattr(f"engine.remote.wire.{name}.seed_of", _seed_of)


def _seed_of(request: GenerationRequest, index: int) -> int | None:
    """Return the seed that is sent to a server, of sequences too that no server is given one for."""
    sampling = request.sampling
    return seed_of(
        replace(request, sampling=replace(sampling, seed=SEED if sampling.seed is None else sampling.seed)),
        index,
    )
