"""The driver of vLLM on the CPU: its engine in this process, and `vllm serve`."""

import os
import sys
from itertools import count
from pathlib import Path
from typing import Any

from driver import Steps, run

MAX_LENGTH = 1024
CACHE = {"VLLM_CPU_KVCACHE_SPACE": "2"}  # GiB


class Vllm:
    def __init__(self) -> None:
        self._ids = count()

    def load(self, model: str) -> str:
        os.environ |= {**CACHE, "VLLM_ENABLE_V1_MULTIPROCESSING": "0"}
        import vllm  # after the environment variables are set

        self._engine = vllm.LLM(
            model, dtype="bfloat16", max_model_len=MAX_LENGTH, max_num_seqs=32, enable_prefix_caching=False
        ).llm_engine
        return str(vllm.__version__)

    def generate(self, prompts: list[list[int]], num_tokens: int) -> list[tuple[float, int]]:
        from vllm import SamplingParams
        from vllm.sampling_params import RequestOutputKind

        options = SamplingParams(
            temperature=0.0,
            max_tokens=num_tokens,
            ignore_eos=True,
            output_kind=RequestOutputKind.DELTA,
        )
        steps = Steps()
        for prompt in prompts:
            self._engine.add_request(str(next(self._ids)), {"prompt_token_ids": prompt}, options)
        while self._engine.has_unfinished_requests():
            results = self._engine.step()
            steps.add(sum(len(output.token_ids) for request in results for output in request.outputs))
        return steps.measured

    def server(self, model: str, port: int) -> dict[str, Any]:
        program = str(Path(sys.executable).with_name("vllm"))
        command = [program, "serve", model, "--dtype", "bfloat16", "--port", str(port)]
        command += ["--max-model-len", str(MAX_LENGTH), "--max-num-seqs", "32", "--no-enable-prefix-caching"]
        return {"command": command, "environment": CACHE}


if __name__ == "__main__":
    run(Vllm())
