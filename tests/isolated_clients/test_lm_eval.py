"""lm-eval's own comparison of an engine: log-likelihoods through its API backend and through transformers."""

import random
from pathlib import Path

import pytest
from lm_eval.api.instance import Instance
from lm_eval.api.registry import get_model

MODEL = Path(__file__).parents[2] / "engine" / "demo_model"
WORDS = [
    "the",
    "cat",
    "sat",
    "on",
    "a",
    "mat",
    "while",
    "seven",
    "small",
    "dogs",
    "ran",
    "past",
    "Oslo",
    "and",
    "Paris",
    "with",
    "12",
    "red",
    "kites",
]

QUESTION = (
    "<|im_start|>user\nWhat is the capital of France?<|im_end|>\n"
    "<|im_start|>assistant\n<think>\n\n</think>\n\n"
)


@pytest.fixture(scope="module")
def backends(base_url: str):
    served = get_model("local-completions")(
        base_url=f"{base_url}/completions",
        model="verbatim-demo",
        tokenizer=str(MODEL),
        tokenizer_backend="huggingface",
        num_concurrent=1,
        max_length=1024,
        batch_size=8,
    )
    return served, get_model("hf")(pretrained=str(MODEL), device="cpu", dtype="float32", batch_size=8)


def instances(kind: str, arguments: list[tuple]) -> list[Instance]:
    return [
        Instance(request_type=kind, doc={}, arguments=one, idx=index) for index, one in enumerate(arguments)
    ]


def text(source: random.Random, num_words: int) -> str:
    return " ".join(source.choices(WORDS, k=num_words))


def test_log_likelihoods_and_greedy_flags_are_those_of_the_hf_backend(backends):
    source = random.Random(0)
    pairs = [
        (text(source, source.randint(1, 40)), " " + text(source, source.randint(1, 5))) for _ in range(60)
    ]
    # What the model itself says next is greedy, so that both values of the flag occur.
    pairs += [(f"{QUESTION}The", " capital of France")]
    served, reference = (backend.loglikelihood(instances("loglikelihood", pairs)) for backend in backends)
    assert [one[0] for one in served] == pytest.approx([one[0] for one in reference], abs=2e-4)
    assert [one[1] for one in served] == [one[1] for one in reference]
    assert len({one[1] for one in served}) == 2


def test_rolling_log_likelihoods_are_those_of_the_hf_backend(backends):
    source = random.Random(1)
    texts = [(text(source, source.randint(5, 200)),) for _ in range(10)]
    served, reference = (
        backend.loglikelihood_rolling(instances("loglikelihood_rolling", texts)) for backend in backends
    )
    assert served == pytest.approx(reference, abs=2e-3)


def test_greedy_generations_are_those_of_the_hf_backend(backends):
    source = random.Random(2)
    options = {"until": ["."], "max_gen_toks": 24, "temperature": 0, "do_sample": False}
    contexts = [(text(source, source.randint(3, 30)), options) for _ in range(12)]
    served, reference = (
        backend.generate_until(instances("generate_until", contexts)) for backend in backends
    )
    assert served == reference
