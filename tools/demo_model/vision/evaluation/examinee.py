"""A vision model under test, loaded as its users load it."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import torch
from PIL import Image
from transformers import AutoModelForImageTextToText, AutoProcessor

from engine.native.bfloat16 import has_fast_bfloat16
from tools.demo_model.tokenizer import END_OF_TEXT
from tools.demo_model.vision.evaluation.trials import PictureTrial

_MAX_NEW_TOKENS: Final = 128


class PictureExaminee:
    """A loaded model that answers greedily, in float32 where the processor has no bfloat16."""

    def __init__(self, directory: Path) -> None:
        processor_class: Any = AutoProcessor  # both classes' annotations are partial
        model_class: Any = AutoModelForImageTextToText
        self.processor = processor_class.from_pretrained(directory)
        dtype = torch.bfloat16 if has_fast_bfloat16() else torch.float32
        self.model = model_class.from_pretrained(directory, dtype=dtype)

    def prompt_of(self, trial: PictureTrial) -> str:
        """Return a trial's messages as the chat template writes them."""
        text = self.processor.apply_chat_template(
            trial.messages, add_generation_prompt=True, enable_thinking=trial.thinking, tokenize=False
        )
        assert isinstance(text, str)
        return text

    def pictures_of(self, trials: Sequence[PictureTrial]) -> list[Image.Image]:
        """Return the trials' pictures in order."""
        return [Image.open(BytesIO(file)) for trial in trials for file in trial.pictures]

    def replies(self, trials: Sequence[PictureTrial]) -> list[str]:
        """The raw continuations, each with its end-of-turn marker if that came."""
        prompts = self.processor(
            images=self.pictures_of(trials) or None,
            text=[self.prompt_of(trial) for trial in trials],
            padding=True,
            padding_side="left",
            return_tensors="pt",
        )
        with torch.inference_mode():
            output = self.model.generate(**prompts, max_new_tokens=_MAX_NEW_TOKENS, do_sample=False)
        texts = self.processor.batch_decode(output[:, prompts["input_ids"].shape[1] :])
        return [text.replace(END_OF_TEXT, "") for text in texts]
