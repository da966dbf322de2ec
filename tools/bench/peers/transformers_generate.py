"""The driver of transformers: `generate` with defaults, and `transformers serve --continuous-batching`."""

import sys
from pathlib import Path
from typing import Any

import torch
import transformers
from driver import Steps, run
from transformers import AutoModelForCausalLM


class Transformers:
    def load(self, model: str) -> str:
        auto: Any = AutoModelForCausalLM
        self._model = auto.from_pretrained(model, dtype=torch.bfloat16)
        return str(transformers.__version__)

    def generate(self, prompts: list[list[int]], num_tokens: int) -> list[tuple[float, int]]:
        ids = torch.tensor(prompts)
        steps = Steps()

        def never(tokens: torch.Tensor, scores: Any, **_: Any) -> torch.Tensor:
            """Return False; this stopping criterion is called after each step."""
            steps.add(len(prompts))
            return torch.zeros(len(prompts), dtype=torch.bool)

        self._model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            max_new_tokens=num_tokens,
            do_sample=False,
            stopping_criteria=[never],
        )
        return steps.measured

    def server(self, model: str, port: int) -> dict[str, Any]:
        program = str(Path(sys.executable).with_name("transformers"))
        options = ["--continuous-batching", "--dtype", "bfloat16", "--port", str(port)]
        return {"command": [program, "serve", model, *options], "environment": {}}


if __name__ == "__main__":
    run(Transformers())
