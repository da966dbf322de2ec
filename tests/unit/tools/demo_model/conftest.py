"""The artefact, loaded the way its users load it."""

import pytest
from transformers import AutoTokenizer, PreTrainedTokenizerBase

from engine.demo_model import DEMO_MODEL


@pytest.fixture(scope="session")
def tokenizer() -> PreTrainedTokenizerBase:
    loaded: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(DEMO_MODEL)
    return loaded
