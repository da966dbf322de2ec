"""The ids that llama.cpp gives for texts, as JSON: `tokenize.py FILE` reads a list of texts from its input.

It runs in an environment with llama-cpp-python, which has nothing of ours.
"""

import ctypes
import json
import sys

import llama_cpp  # type: ignore[import-not-found]  # of another environment


def main() -> None:
    parameters = llama_cpp.llama_model_default_params()
    parameters.vocab_only = True
    model = llama_cpp.llama_model_load_from_file(sys.argv[1].encode(), parameters)
    vocabulary = llama_cpp.llama_model_get_vocab(model)
    found = []
    for text in json.load(sys.stdin):
        content = text.encode()
        ids = (ctypes.c_int32 * (len(content) + 8))()
        number = llama_cpp.llama_tokenize(vocabulary, content, len(content), ids, len(ids), False, True)
        found.append(list(ids)[:number])
    ends = [
        index
        for index in range(llama_cpp.llama_vocab_n_tokens(vocabulary))
        if llama_cpp.llama_vocab_is_eog(vocabulary, index)
    ]
    json.dump({"ids": found, "ends": ends}, sys.stdout)


if __name__ == "__main__":
    main()
