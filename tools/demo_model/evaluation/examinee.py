"""A model under test, loaded as its users load it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, cast

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerBase

from engine.native.bfloat16 import has_fast_bfloat16
from tools.demo_model.evaluation.trials import Trial
from tools.demo_model.tokenizer import END_OF_TEXT

_MAX_NEW_TOKENS: Final = 160


class Examinee:
    """A loaded model that continues prompts greedily, in float32 where the processor has no bfloat16."""

    def __init__(self, directory: Path, model_class: Any = AutoModelForCausalLM) -> None:
        self.tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(directory)
        dtype = torch.bfloat16 if has_fast_bfloat16() else torch.float32
        self.model = model_class.from_pretrained(directory, dtype=dtype)

    def prompt(self, trial: Trial) -> str:
        """The trial's messages as the chat template writes them, up to the reply."""
        text = self.tokenizer.apply_chat_template(
            cast(list[dict[str, str]], trial.messages),  # typed for plain messages, though it takes calls
            tools=list(trial.dialogue.tools) or None,
            add_generation_prompt=True,
            enable_thinking=trial.thinking,
            tokenize=False,
        )
        assert isinstance(text, str)
        return text

    def replies(self, trials: Sequence[Trial]) -> list[str]:
        """The raw continuations, each with its end-of-turn marker if that came."""
        prompts = self.tokenizer(
            [self.prompt(trial) for trial in trials], padding=True, padding_side="left", return_tensors="pt"
        )
        with torch.inference_mode():
            output = self.model.generate(**prompts, max_new_tokens=_MAX_NEW_TOKENS, do_sample=False)
        texts = self.tokenizer.batch_decode(output[:, prompts["input_ids"].shape[1] :])
        return [text.replace(END_OF_TEXT, "") for text in texts]
