"""ik_llama.cpp by its own batches. Needs gguf, and IK_LLAMA_CPP, the directory of what was built."""

import ctypes
import os
import subprocess
import tempfile
from array import array
from pathlib import Path
from typing import Any

from decode_batches import MAX_SEQUENCES, MAX_TOKENS, PROMPT_BATCH, BatchRow, DecodeBatches
from driver import NotServed, run
from gguf_model import write_gguf

THREADS = len(os.sched_getaffinity(0))
BUILT = Path(os.environ["IK_LLAMA_CPP"])
# Kinds of weights by BENCH_WEIGHTS, as llama-quantize calls them.
KINDS = {"int8": "Q8_0", "q4_0": "Q4_0", "q4_k_m": "Q4_K_M"}


class IkLlamaCpp(DecodeBatches):
    def load(self, model: str) -> str:
        self._library = ctypes.CDLL(str(BUILT / "libik_llama_cpp_batch.so"))
        self._library.open_decoder.restype = ctypes.c_void_p
        numbers = (THREADS, MAX_TOKENS, MAX_SEQUENCES, PROMPT_BATCH)
        decoder = self._library.open_decoder(_gguf(Path(model)).encode(), *numbers)
        assert decoder, "ik_llama.cpp cannot load the model"
        self._decoder = ctypes.c_void_p(decoder)
        return (BUILT / "commit").read_text().strip()[:8]

    def clear(self) -> None:
        self._library.clear_sequences(self._decoder)

    def decode(self, rows: list[BatchRow]) -> list[int]:
        tokens, positions, sequences, wanted = zip(*rows, strict=True)
        following = array("i", bytes(4 * sum(wanted)))
        status = self._library.decode_rows(
            self._decoder,
            len(rows),
            *(_pointer(array("i", column)) for column in (tokens, positions, sequences)),
            _pointer(array("b", wanted)),
            _pointer(following),
        )
        assert status == 0, f"llama_decode returned {status}"
        return following.tolist()

    def server(self, model: str, port: int) -> dict[str, Any]:
        raise NotServed("only its library is built")


def _pointer(numbers: "array[int]") -> ctypes.Array[ctypes.c_char]:
    return (ctypes.c_char * (len(numbers) * numbers.itemsize)).from_buffer(numbers)


def _gguf(model: Path) -> str:
    """The model in GGUF, rounded by the fork's own program, written once beside the original."""
    kind = KINDS[os.environ["BENCH_WEIGHTS"]]
    path = model / f"model-ik-{kind.lower()}.gguf"
    if not path.exists():
        with tempfile.TemporaryDirectory(dir=model) as directory:
            whole, part = Path(directory) / "model.gguf", Path(directory) / path.name
            write_gguf(model, whole, eight_bits=False)
            command = [BUILT / "bin" / "llama-quantize", whole, part, kind, str(THREADS)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            part.rename(path)
    return str(path)


if __name__ == "__main__":
    run(IkLlamaCpp())
