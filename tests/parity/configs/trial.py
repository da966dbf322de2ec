"""The trial of wrong configurations: `python -m tests.parity.configs.trial`, which may die of them.

It reads a case as JSON from each line of its input, and writes what came of it as a line. A case that takes
more than a minute of processor time ends the process.
"""

import json
import os
import resource
import sys
import traceback
from pathlib import Path
from typing import Any, Final

import torch
from transformers import AutoModelForCausalLM

from engine.build import build_core
from engine.config import EngineConfig
from engine.core.core import EngineCore
from engine.dry_run import dry_run
from engine.model.loading.skeleton import forget_skeleton
from engine.port.errors import ModelNotSupported
from engine.port.events import TokenEvent
from engine.port.request import SamplingParams, StopConditions
from tests.support.engine_requests import generation_request

_PROMPTS: Final = ([7], [*range(40, 62)])  # longer than the window of tiny models
_MAX_TOKENS: Final = 4
_MOST_SECONDS: Final = 60
_MOST_BYTES: Final = 16 << 30


def judge(directory: Path) -> str:
    """Return "served", "refused: …", or what is wrong: with a configuration, or with what we make of it."""
    config = EngineConfig(
        model=str(directory), device="cpu", dtype="float32", num_kv_blocks=32, max_num_sequences=4,
        max_total_tokens=64,
    )  # fmt: skip
    try:
        checked = dry_run(config, lambda line: None).refusal
    except Exception as error:
        return f"WRONG: check raises {_line(error)}"
    forget_skeleton()
    try:
        core = build_core(config, lambda line: None).core
    except ModelNotSupported as error:
        if checked is None:
            return f"WRONG: check would serve it, and the start says {error}"
        return f"refused: {error}" if _is_line(str(error)) else f"WRONG: not one line: {error}"
    except Exception as error:
        return f"WRONG: the start raises {_line(error)}, check says {checked}"
    try:
        if checked is not None:
            return f"WRONG: it is served, and check says {checked}"
        tokens = [_serve(core, prompt) for prompt in _PROMPTS]
    except Exception as error:
        return f"WRONG: a request raises {_line(error)}"
    finally:
        core.close()
    try:
        expected = _generate(directory)
    except Exception as error:
        return f"WRONG: it is served, and transformers raises {_line(error)}"
    return "served" if tokens == expected else f"WRONG: {tokens} instead of {expected}"


def _generate(directory: Path) -> list[list[int]]:
    auto: Any = AutoModelForCausalLM
    model = auto.from_pretrained(directory, dtype=torch.float32, attn_implementation="eager").eval()
    outputs = list[list[int]]()
    for prompt in _PROMPTS:
        with torch.inference_mode():
            ids = torch.tensor([prompt])
            found = model.generate(
                ids, attention_mask=torch.ones_like(ids), max_new_tokens=_MAX_TOKENS, do_sample=False,
                eos_token_id=None,
            )  # fmt: skip
        outputs.append(found[0, len(prompt) :].tolist())
    return outputs


def _serve(core: EngineCore, prompt: list[int]) -> list[int]:
    request = generation_request(
        request_id="1",
        token_ids=prompt,
        sampling=SamplingParams(temperature=0.0),
        stopping=StopConditions(max_tokens=_MAX_TOKENS, ignore_eos=True),
    )
    core.add(1, request)
    tokens = list[int]()
    while core.has_work:
        for _, event in core.step():
            if not isinstance(event, TokenEvent):
                raise event if isinstance(event, Exception) else TypeError(event)
            tokens.append(event.token_id)
    return tokens


def _is_line(text: str) -> bool:
    return "\n" not in text and len(text) < 700 and "Traceback" not in text


def _line(error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).name}:{frame.lineno}"
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]} ({place})"


def _put(config: dict[str, Any], path: list[str], value: object) -> dict[str, Any]:
    name, *rest = path
    return config | {name: _put(config[name], rest, value) if rest else value}


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    torch.set_num_threads(1)
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what libraries print is no answer
    for line in sys.stdin:
        case = json.loads(line)
        directory = Path(case["directory"])
        config = json.loads((directory / "whole.json").read_text())
        (directory / "config.json").write_text(json.dumps(_put(config, case["path"], case["value"])))
        used = resource.getrusage(resource.RUSAGE_SELF)
        seconds = int(used.ru_utime + used.ru_stime) + _MOST_SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.RLIM_INFINITY))
        answers.write(json.dumps(judge(directory)) + "\n")


if __name__ == "__main__":
    main()
