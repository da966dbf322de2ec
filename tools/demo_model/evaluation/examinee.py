"""A model under test, loaded as its users load it."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import torch
from PIL import Image
from transformers import AutoModelForCausalLM, AutoModelForImageTextToText, AutoProcessor

from engine.native.bfloat16 import has_fast_bfloat16
from tools.demo_model.evaluation.trials import Trial
from tools.demo_model.tokenizer import END_OF_TEXT

_MAX_NEW_TOKENS: Final = 160


class Examinee:
    """A loaded model that continues prompts greedily, in float32 where the processor has no bfloat16."""

    def __init__(self, directory: Path) -> None:
        processor_class: Any = AutoProcessor  # whose annotations are partial, as its models' are
        self.processor = processor_class.from_pretrained(directory)
        self.tokenizer = getattr(self.processor, "tokenizer", self.processor)
        reads_pictures = self.tokenizer is not self.processor
        model_class: Any = AutoModelForImageTextToText if reads_pictures else AutoModelForCausalLM
        dtype = torch.bfloat16 if has_fast_bfloat16() else torch.float32
        self.model = model_class.from_pretrained(directory, dtype=dtype)

    def prompt(self, trial: Trial) -> str:
        """The trial's messages as the chat template writes them, up to the reply."""
        text = self.tokenizer.apply_chat_template(
            trial.messages,
            tools=list(trial.dialogue.tools) or None,
            add_generation_prompt=True,
            enable_thinking=trial.thinking,
            tokenize=False,
        )
        assert isinstance(text, str)
        return text

    def inputs(self, trials: Sequence[Trial]) -> Any:
        """The prompts of the trials as the model reads them."""
        pictures = [Image.open(BytesIO(file)) for trial in trials for file in trial.pictures]
        return self.processor(
            text=[self.prompt(trial) for trial in trials],
            padding=True,
            padding_side="left",
            return_tensors="pt",
            **({"images": pictures} if pictures else {}),
        )

    def replies(self, trials: Sequence[Trial]) -> list[str]:
        """The raw continuations, each with its end-of-turn marker if that came."""
        prompts = self.inputs(trials)
        with torch.inference_mode():
            output = self.model.generate(**prompts, max_new_tokens=_MAX_NEW_TOKENS, do_sample=False)
        texts = self.tokenizer.batch_decode(output[:, prompts["input_ids"].shape[1] :])
        return [text.replace(END_OF_TEXT, "") for text in texts]
