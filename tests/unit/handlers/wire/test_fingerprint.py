import msgspec

from engine.info.model_info import ModelInfo
from handlers.wire.fingerprint import fingerprint

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
