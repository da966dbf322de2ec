"""The driver of ik_llama.cpp, with its batch API. Needs gguf, and IK_LLAMA_CPP, the build directory."""

import ctypes
import os
import tempfile
from array import array
from pathlib import Path
from typing import Any

from decode_batches import MAX_SEQUENCES, MAX_TOKENS, PROMPT_BATCH, BatchRow, DecodeBatches
from driver import NotServed, run
from gguf_model import write_gguf

THREADS = len(os.sched_getaffinity(0))
BUILT = Path(os.environ["IK_LLAMA_CPP"])
# Values of llama_ftype by BENCH_WEIGHTS; without it, weights stay in bfloat16.
FILE_TYPES = {"int8": 7, "q4_0": 2, "q4_k_m": 15}


class IkLlamaCpp(DecodeBatches):
    def load(self, model: str) -> str:
        self._library = ctypes.CDLL(str(BUILT / "libik_llama_cpp_batch.so"))
        self._library.open_decoder.restype = ctypes.c_void_p
        numbers = (THREADS, MAX_TOKENS, MAX_SEQUENCES, PROMPT_BATCH)
        path = self._gguf(Path(model))
        decoder = self._library.open_decoder(str(path).encode(), *numbers)
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

    def _gguf(self, model: Path) -> Path:
        """Return the model in GGUF, quantized by the fork's own code; it is written once."""
        weights = os.environ.get("BENCH_WEIGHTS", "")
        path = model / (f"model-ik-{weights}.gguf" if weights else "model.gguf")
        if not path.exists():
            with tempfile.TemporaryDirectory(dir=model) as directory:
                part = Path(directory) / path.name
                if weights:
                    whole = Path(directory) / "model.gguf"
                    write_gguf(model, whole, eight_bits=False)
                    files = str(whole).encode(), str(part).encode()
                    status = self._library.quantize_file(*files, FILE_TYPES[weights], THREADS)
                    assert status == 0, f"llama_model_quantize returned {status}"
                else:
                    write_gguf(model, part, eight_bits=False)
                part.rename(path)
        return path


def _pointer(numbers: "array[int]") -> ctypes.Array[ctypes.c_char]:
    return (ctypes.c_char * (len(numbers) * numbers.itemsize)).from_buffer(numbers)


if __name__ == "__main__":
    run(IkLlamaCpp())
