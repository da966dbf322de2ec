"""The driver of llama.cpp (batch API, llama-server). Needs llama-cpp-python, gguf and LLAMA_CPP_LIB_PATH."""

import ctypes
import os
import tempfile
from pathlib import Path
from typing import Any

import llama_cpp
from decode_batches import MAX_SEQUENCES, MAX_TOKENS, PROMPT_BATCH, BatchRow, DecodeBatches
from driver import run
from gguf_model import write_gguf

THREADS = len(os.sched_getaffinity(0))
# File names by BENCH_WEIGHTS, and the file types of those that llama.cpp quantizes itself.
WEIGHTS = {"int8": "model-q8_0.gguf", "q4_0": "model-q4_0.gguf", "q4_k_m": "model-q4_k_m.gguf"}
FILE_TYPES = {"q4_0": llama_cpp.LLAMA_FTYPE_MOSTLY_Q4_0, "q4_k_m": llama_cpp.LLAMA_FTYPE_MOSTLY_Q4_K_M}


class LlamaCpp(DecodeBatches):
    def load(self, model: str) -> str:
        llama_cpp.llama_log_set(_quiet, ctypes.c_void_p(0))
        llama_cpp.llama_backend_init()
        weights = llama_cpp.llama_model_load_from_file(
            _gguf(model).encode(), llama_cpp.llama_model_default_params()
        )
        options = llama_cpp.llama_context_default_params()
        options.n_ctx, options.n_batch, options.n_seq_max = MAX_TOKENS, PROMPT_BATCH, MAX_SEQUENCES
        options.kv_unified = True
        options.n_threads = options.n_threads_batch = THREADS
        self._context = llama_cpp.llama_init_from_model(weights, options)
        assert self._context, "llama.cpp cannot make a context"
        self._batch = llama_cpp.llama_batch_init(PROMPT_BATCH, 0, 1)
        self._sampler = llama_cpp.llama_sampler_init_greedy()
        return str(llama_cpp.__version__)

    def clear(self) -> None:
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(self._context), True)

    def decode(self, rows: list[BatchRow]) -> list[int]:
        batch = self._batch
        batch.n_tokens = len(rows)
        for index, row in enumerate(rows):
            batch.token[index], batch.pos[index], batch.logits[index] = row.token, row.position, row.is_wanted
            batch.n_seq_id[index], batch.seq_id[index][0] = 1, row.sequence
        status = llama_cpp.llama_decode(self._context, batch)
        assert status == 0, f"llama_decode returned {status}"
        wanted = [index for index, row in enumerate(rows) if row.is_wanted]
        return [llama_cpp.llama_sampler_sample(self._sampler, self._context, index) for index in wanted]

    def server(self, model: str, port: int) -> dict[str, Any]:
        program = Path(os.environ["LLAMA_CPP_LIB_PATH"]) / "llama-server"
        command = [str(program), "-m", _gguf(model), "--port", str(port), "-np", str(MAX_SEQUENCES)]
        command += ["-c", str(MAX_TOKENS), "-t", str(THREADS), "--jinja", "--no-webui", "--alias", model]
        return {"command": [*command, "--no-cache-prompt", "--kv-unified"], "environment": {}}


@llama_cpp.llama_log_callback
def _quiet(level: int, text: bytes, user_data: ctypes.c_void_p) -> None:
    pass


def _gguf(model: str) -> str:
    """Return the model in llama.cpp's format; it is written once, next to the original."""
    weights = os.environ.get("BENCH_WEIGHTS", "")
    path = Path(model) / WEIGHTS.get(weights, "model.gguf")
    if not path.exists():
        with tempfile.TemporaryDirectory(dir=model) as directory:
            part = Path(directory) / path.name
            if weights in FILE_TYPES:
                _quantize(Path(model), part, FILE_TYPES[weights])
            else:
                write_gguf(Path(model), part, eight_bits=weights == "int8")
            part.rename(path)
    return str(path)


def _quantize(model: Path, path: Path, file_type: int) -> None:
    """Quantize a bfloat16 model with llama.cpp, which chooses the type of each tensor."""
    whole = path.with_name("model.gguf")
    write_gguf(model, whole, eight_bits=False)
    params = llama_cpp.llama_model_quantize_default_params()
    params.ftype, params.nthread = file_type, THREADS
    status = llama_cpp.llama_model_quantize(str(whole).encode(), str(path).encode(), ctypes.byref(params))
    assert status == 0, f"llama_model_quantize returned {status}"


if __name__ == "__main__":
    run(LlamaCpp())
