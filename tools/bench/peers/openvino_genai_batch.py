"""The driver of OpenVINO GenAI, with continuous batching on the CPU; it has no server."""

import os
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import openvino
import openvino_genai
from driver import NotServed, Steps, run

CACHE_GB = 1


class OpenVino:
    def __init__(self) -> None:
        self._ids = count()

    def load(self, model: str) -> str:
        scheduler = openvino_genai.SchedulerConfig()
        scheduler.cache_size, scheduler.enable_prefix_caching = CACHE_GB, False
        scheduler.max_num_seqs = 32
        options = {"INFERENCE_PRECISION_HINT": openvino.Type.bf16}
        directory = _exported(model, os.environ.get("BENCH_WEIGHTS", "fp16"))
        self._pipeline = openvino_genai.ContinuousBatchingPipeline(directory, scheduler, "CPU", options)
        return str(openvino_genai.__version__)

    def generate(self, prompts: list[list[int]], num_tokens: int) -> list[tuple[float, int]]:
        options = openvino_genai.GenerationConfig()
        options.max_new_tokens, options.ignore_eos, options.do_sample = num_tokens, True, False
        options.set_eos_token_id(0)  # a token is required, but it is ignored
        steps = Steps()
        handles = [
            self._pipeline.add_request(next(self._ids), openvino.Tensor(np.array([prompt])), options)
            for prompt in prompts
        ]
        while self._pipeline.has_non_finished_requests():
            self._pipeline.step()
            steps.add(sum(_num_new(handle) for handle in handles))
        return steps.measured

    def server(self, model: str, port: int) -> dict[str, Any]:
        raise NotServed("OpenVINO Model Server is a program of its own")


def _num_new(handle: Any) -> int:
    if not handle.can_read():
        return 0
    return sum(len(output.generated_ids) for output in handle.read().values())


def _exported(model: str, weights: str) -> str:
    """Return the model in OpenVINO's format, written once, next to the original. weights: fp16 or int8."""
    directory = Path(model) / f"openvino-{weights}"
    if not directory.exists():
        program = str(Path(sys.executable).with_name("optimum-cli"))
        command = [program, "export", "openvino", "--model", model, "--task", "text-generation-with-past"]
        subprocess.run([*command, "--weight-format", weights, str(directory)], check=True)
    return str(directory)


if __name__ == "__main__":
    run(OpenVino())
