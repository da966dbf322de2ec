"""The files beside the weights, written as for the artefact, and loaded the way its users load them."""

from pathlib import Path

import pytest
from transformers import AutoTokenizer, PreTrainedTokenizerBase

from tools.demo_model.vision.model import save_processor


@pytest.fixture(scope="session")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> PreTrainedTokenizerBase:
    directory: Path = tmp_path_factory.mktemp("processor")
    save_processor(directory)
    loaded: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(directory)
    return loaded
