"""Log-probabilities of texts from llama.cpp, for several quantizations of a model.

    llama_cpp_scores.py MODEL FOLDER < [[TOKEN_ID]] > {"bf16": [[LOG_PROBABILITY]]}

The input is a list of texts as tokens. The output has, for each kind of weights, the log-probabilities of all
tokens except the first of each text. The GGUF files stay in the folder. Needs llama-cpp-python, gguf and
LLAMA_CPP_LIB_PATH.
"""

import ctypes
import json
import os
import sys
from pathlib import Path

import llama_cpp
import numpy as np
from gguf_model import write_gguf

FILE_TYPES = {
    "f16": llama_cpp.LLAMA_FTYPE_MOSTLY_F16,
    "q8_0": llama_cpp.LLAMA_FTYPE_MOSTLY_Q8_0,
    "q4_0": llama_cpp.LLAMA_FTYPE_MOSTLY_Q4_0,
    "q4_k_m": llama_cpp.LLAMA_FTYPE_MOSTLY_Q4_K_M,
    "q5_0": llama_cpp.LLAMA_FTYPE_MOSTLY_Q5_0,
    "q5_k_m": llama_cpp.LLAMA_FTYPE_MOSTLY_Q5_K_M,
    "q6_k": llama_cpp.LLAMA_FTYPE_MOSTLY_Q6_K,
}


def main() -> None:
    model, folder = map(Path, sys.argv[1:])
    texts: list[list[int]] = json.load(sys.stdin)
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # redirect llama.cpp's own output to standard error
    whole = folder / "bf16.gguf"
    write_gguf(model, whole, eight_bits=False)
    files = {"bf16": whole}
    for name, file_type in FILE_TYPES.items():
        files[name] = folder / f"{name}.gguf"
        params = llama_cpp.llama_model_quantize_default_params()
        params.ftype, params.nthread = file_type, 1
        status = llama_cpp.llama_model_quantize(
            str(whole).encode(), str(files[name]).encode(), ctypes.byref(params)
        )
        assert status == 0, f"llama_model_quantize returned {status}"
    json.dump({name: _scores(file, texts) for name, file in files.items()}, out)


def _scores(file: Path, texts: list[list[int]]) -> list[list[float]]:
    most = max(map(len, texts))
    model = llama_cpp.llama_model_load_from_file(str(file).encode(), llama_cpp.llama_model_default_params())
    assert model, f"llama.cpp cannot load {file}"
    options = llama_cpp.llama_context_default_params()
    options.n_ctx = options.n_batch = options.n_ubatch = most
    options.n_threads = options.n_threads_batch = len(os.sched_getaffinity(0))
    context = llama_cpp.llama_init_from_model(model, options)
    vocab_size = llama_cpp.llama_vocab_n_tokens(llama_cpp.llama_model_get_vocab(model))
    batch = llama_cpp.llama_batch_init(most, 0, 1)
    found = []
    for tokens in texts:
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(context), True)
        batch.n_tokens = len(tokens)
        for row, token in enumerate(tokens):
            batch.token[row], batch.pos[row], batch.logits[row] = token, row, True
            batch.n_seq_id[row], batch.seq_id[row][0] = 1, 0
        status = llama_cpp.llama_decode(context, batch)
        assert status == 0, f"llama_decode returned {status}"
        rows = [
            np.ctypeslib.as_array(llama_cpp.llama_get_logits_ith(context, row), (vocab_size,)).astype(float)
            for row in range(len(tokens) - 1)
        ]
        found.append(
            [
                float(row[token] - row.max() - np.log(np.exp(row - row.max()).sum()))
                for row, token in zip(rows, tokens[1:], strict=True)
            ]
        )
    llama_cpp.llama_free(context)
    llama_cpp.llama_model_free(model)
    return found


if __name__ == "__main__":
    main()
