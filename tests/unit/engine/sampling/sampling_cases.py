"""Sampling states and the settings that the sampler's tests go through."""

from collections.abc import Iterable, Sequence

import torch

from engine.host.transfers import Readback
from engine.port.errors import GenerationFailed
from engine.port.events import TokenLogprob
from engine.port.request import SamplingParams, StopConditions
from engine.port.text.sampled import Sampled
from engine.port.text.tokenizer import Tokenizer
from engine.sampling.beam_search import Candidate
from engine.sampling.logprobs import RankedRows, ScoredTokens, log_sums
from engine.sampling.sampler import Sampler
from engine.sampling.state import SamplingState

CPU = torch.device("cpu")

# Every way through the sampler, alone and together.
TRUNCATIONS = {
    "temperature 1": SamplingParams(),
    "temperature 0.6": SamplingParams(temperature=0.6),
    "temperature 3": SamplingParams(temperature=3.0),
    "top_k": SamplingParams(top_k=7),
    "top_k 1": SamplingParams(top_k=1),
    "top_p": SamplingParams(top_p=0.8),
    "top_p 0.999": SamplingParams(top_p=0.999, temperature=2.0),
    "typical_p": SamplingParams(typical_p=0.6),
    "min_p": SamplingParams(min_p=0.1),
    "top_k, top_p": SamplingParams(top_k=20, top_p=0.7, temperature=1.5),
    "top_p, typical_p": SamplingParams(top_p=0.9, typical_p=0.7),
    "all": SamplingParams(top_k=30, top_p=0.95, typical_p=0.9, min_p=0.02, temperature=1.3),
}


def state(
    tokenizer: Tokenizer,
    params: SamplingParams,
    *,
    stopping: StopConditions | None = None,
    index: int = 0,
    prompt: Sequence[int] = (1, 2, 2),
    output: Iterable[int] = (),
    device: str = "cpu",
) -> SamplingState:
    """A state that has accepted `output`."""
    made = SamplingState(
        params,
        stopping or StopConditions(max_tokens=1000),
        seed=(params.seed or 0) + index,
        prompt_token_ids=prompt,
        tokenizer=tokenizer,
        grammar=None,
        device=torch.device(device),
    )
    for token_id in output:
        made.accept(token_id)
    return made


def logits(num_rows: int, vocab_size: int, *, spread: float = 2.0, seed: int = 0) -> torch.Tensor:
    """[num_rows, vocab_size] float32, normally distributed."""
    return torch.randn(num_rows, vocab_size, generator=torch.Generator().manual_seed(seed)) * spread


def sample(
    tokenizer: Tokenizer, rows: torch.Tensor, states: Sequence[SamplingState]
) -> list[Sampled | GenerationFailed]:
    """Return the tokens that a sampler draws for raw logits [n, v], read from the device at once."""
    readback = Readback()
    launched = Sampler(tokenizer).launch(rows, states, readback)
    readback.pack()
    readback.read()
    return launched.results(tokenizer)


def best_candidates(
    tokenizer: Tokenizer, rows: torch.Tensor, states: Sequence[SamplingState], num_candidates: int
) -> list[list[Candidate] | GenerationFailed]:
    """Return the candidates of beams with raw logits [n, v], read from the device at once."""
    readback = Readback()
    launched = Sampler(tokenizer).launch_candidates(rows, states, num_candidates, readback)
    readback.pack()
    readback.read()
    return launched.results(tokenizer)


def score_tokens(
    tokenizer: Tokenizer, rows: torch.Tensor, token_ids: torch.Tensor, num_ranked: Sequence[int]
) -> list[tuple[float, tuple[TokenLogprob, ...]]]:
    """The scores of `ScoredTokens`, read from the device at once."""
    readback = Readback()
    scored = ScoredTokens(rows, token_ids, num_ranked, readback)
    readback.read()
    return list(scored.scores(tokenizer))


def rank_logprobs(
    tokenizer: Tokenizer, rows: torch.Tensor, num_ranked: Sequence[int]
) -> list[tuple[TokenLogprob, ...]]:
    """The tokens of `RankedRows`, read from the device at once."""
    readback = Readback()
    ranked = RankedRows(rows, log_sums(rows), num_ranked, readback)
    readback.read()
    return ranked.tokens(tokenizer)
