import msgspec
import pytest

from engine.port.info.model_info import ModelInfo
from handlers.served_model import fingerprint as module
from handlers.served_model.fingerprint import fingerprint

INFO = ModelInfo(
    model_id="m",
    revision=None,
    architecture="LlamaForCausalLM",
    dtype="bfloat16",
    device="cpu",
    num_parameters=10,
    max_total_tokens=128,
    vocab_size=300,
    hidden_size=4,
    num_blocks=8,
    block_size=16,
    kv_cache_bytes=100,
    max_batch_tokens=512,
    max_num_sequences=4,
)


def test_what_the_arithmetic_depends_on_changes_the_fingerprint() -> None:
    assert fingerprint(INFO) == fingerprint(msgspec.structs.replace(INFO, num_blocks=9))
    others = [
        msgspec.structs.replace(INFO, quantization="int8"),
        msgspec.structs.replace(INFO, dtype="float32"),
        msgspec.structs.replace(INFO, device="cuda:0"),
        msgspec.structs.replace(INFO, revision="r"),
    ]
    assert len({fingerprint(info) for info in (INFO, *others)}) == 5


def test_the_version_of_torch_counts_where_it_computes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    front = msgspec.structs.replace(INFO, num_parameters=0, device="vllm")
    before = [fingerprint(info) for info in (INFO, front)]
    monkeypatch.setattr(module, "_versions", lambda *libraries: tuple(f"{name} 0" for name in libraries))
    own_0, front_0 = [fingerprint(info) for info in (INFO, front)]
    monkeypatch.setattr(
        module,
        "_versions",
        lambda *libraries: tuple(f"{name} {int(name == 'torch')}" for name in libraries),
    )
    own_1, front_1 = [fingerprint(info) for info in (INFO, front)]
    assert own_0 != own_1 and front_0 == front_1
    assert len({*before, own_0, front_0}) == 4
