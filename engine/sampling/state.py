"""The sampling state of one sequence: all that its next token depends on besides the logits."""

from collections.abc import Sequence
from copy import copy
from itertools import takewhile

import torch
from torch import Tensor

from engine.grammar.compiler import CompiledGrammar
from engine.grammar.drafted_mask import DraftedMask, GrammarMask, drafted_masks
from engine.port.request import SamplingParams, StopConditions
from engine.port.text.tokenizer import Tokenizer
from engine.sampling.logits.timestamps import TimestampFilter
from engine.sampling.logits.token_counts import TokenCounts
from engine.sampling.logits.token_filter import TokenFilter
from engine.sampling.noise import NoiseKey, noise_key
from engine.sampling.request_tables import RequestTables
from engine.sampling.thinking import ThoughtState


class SamplingState:
    """One sequence's position in its noise, its token counts and its matcher.

    Preemption does not change it. thoughts: its place in its thinking budget; None if it has none.
    """

    def __init__(
        self,
        params: SamplingParams,
        stopping: StopConditions,
        *,
        seed: int,
        prompt_token_ids: Sequence[int],
        tokenizer: Tokenizer,
        grammar: CompiledGrammar | None,
        device: torch.device,
        tables: RequestTables | None = None,
    ) -> None:
        """Start before the first token.

        seed: of its noise, which is the request's plus the sequence's index.
        grammar: the compiled `params.grammar`. tables: those of `params` and `stopping`, if already made.
        Raises the errors of RequestTables.
        """
        tables = tables or RequestTables(params, stopping, tokenizer, device)
        self.params = params
        self.position = 0  # tokens accepted so far
        self.previous_token_id = prompt_token_ids[-1]
        self.bias_ids = tables.bias_ids
        self.bias = tables.bias
        self.token_counts = (
            TokenCounts(prompt_token_ids if params.repetition_penalty != 1 else (), device)
            if _is_penalised(params)
            else None
        )
        self.token_filter = TokenFilter(tables.excluded, prompt_token_ids) if tables.excluded else None
        self.timestamps = TimestampFilter(params.timestamps) if params.timestamps else None
        self.thoughts = ThoughtState(tables.thinking) if tables.thinking else None
        self.grammar = grammar.start(stopping.stop_token_ids) if grammar else None
        self._drafted_mask: DraftedMask | None = None  # in place of `grammar`, of a state along a draft
        self._seed = seed
        self._always_depends = (
            params.watermark is not None
            or self.token_counts is not None
            or self.token_filter is not None
            or self.timestamps is not None
            or self.grammar is not None
        )
        self._always_adjusts = self._always_depends or len(self.bias_ids) > 0
        self._min_tokens = stopping.min_tokens
        self._is_grammar_all = self.token_filter is None and not self.timestamps and tables.is_bias_finite
        self._known_ids = tokenizer.known_ids
        self._ending_ids = tables.ending_ids
        self._is_ending = tables.is_ending

    @property
    def noise_key(self) -> NoiseKey:
        """The key of the noise for the next token."""
        return noise_key(self._seed, self.position)

    @property
    def forbidden_ids(self) -> Tensor | None:
        """The ids that would end the sequence before min_tokens, [m] int64; None if none is forbidden."""
        if self.position >= self._min_tokens or not len(self._ending_ids):
            return None
        return self._ending_ids

    @property
    def grammar_mask(self) -> GrammarMask | None:
        """The tokens that the grammar allows next; None without a grammar."""
        return self._drafted_mask or self.grammar

    @property
    def depends_on_tokens(self) -> bool:
        """True if the next token may depend on those before it in another way than by the logits."""
        return self._always_depends or not (self.thoughts is None or self.thoughts.is_over)

    @property
    def adjusts_logits(self) -> bool:
        """True if a logits processor applies to the next token, besides temperature and truncation."""
        return self._always_adjusts or self.forbidden_ids is not None or self._binds_thoughts

    @property
    def _binds_thoughts(self) -> bool:
        thoughts = self.thoughts
        return thoughts is not None and not (thoughts.forced_id is None and thoughts.excluded_id is None)

    def pass_over(self) -> None:
        """Append a token that is not known yet, on which nothing depends."""
        assert not self.depends_on_tokens
        self.position += 1

    @property
    def forced_token_id(self) -> int | None:
        """The next token if it is forced: it closes a thought, or is the only one that the grammar allows,
        whatever the logits.

        None if the logits are needed, as they are for log-probabilities.
        """
        if self.params.num_logprobs is not None:
            return None
        if self.thoughts is not None and self._binds_thoughts:
            return self.thoughts.forced_id
        if self.grammar is None or not self._is_grammar_all:
            return None
        token_id = self.grammar.only_token_id
        if token_id not in self._known_ids or self._is_forbidden(token_id):
            return None
        return token_id

    def _is_forbidden(self, token_id: int) -> bool:
        return self.forbidden_ids is not None and token_id in self._is_ending

    @property
    def is_finished(self) -> bool:
        """True if the sequence ends because its grammar is complete and there is no end token to draw."""
        return self.grammar is not None and self.grammar.is_complete and not self.grammar.stop_token_ids

    def accept(self, token_id: int) -> None:
        """Append a token, after which the next one is drawn."""
        self.position += 1
        self.previous_token_id = token_id
        if self.token_counts is not None:
            self.token_counts.add(token_id)
        if self.token_filter is not None:
            self.token_filter.accept(token_id)
        if self.timestamps is not None:
            self.timestamps.accept(token_id)
        if self.thoughts is not None:
            self.thoughts.accept(token_id)
        if self.grammar is not None:
            self.grammar.accept(token_id)

    def ahead(self, token_ids: Sequence[int]) -> list["SamplingState"]:
        """Return the states after each of these tokens, up to the first that cannot be followed by another.

        That is one that ends the sequence or that the grammar does not allow. This state is not changed. The
        others serve to draw from the rows of a draft, until this one accepts its next token.
        """
        followed = list(takewhile(lambda token_id: token_id not in self._is_ending, token_ids))
        masks: Sequence[DraftedMask | None] = [None] * len(followed)
        if self.grammar is not None:
            followed = followed[: self.grammar.num_allowed(followed)]
            masks = drafted_masks(self.grammar, followed)
        states: list[SamplingState] = []
        for token_id, mask in zip(followed, masks, strict=False):
            state = (states[-1] if states else self)._fork()
            state.grammar, state._drafted_mask = None, mask
            state.accept(token_id)
            states.append(state)
        return states

    def fork(self) -> "SamplingState":
        """Return a copy for a sequence that continues on its own from here. There must be no grammar."""
        assert self.grammar is None
        return self._fork()

    def _fork(self) -> "SamplingState":
        child = copy(self)
        child.token_counts = self.token_counts and self.token_counts.fork()
        child.token_filter = self.token_filter and self.token_filter.fork()
        child.timestamps = self.timestamps and self.timestamps.fork()
        child.thoughts = self.thoughts and self.thoughts.fork()
        return child


def _is_penalised(params: SamplingParams) -> bool:
    return params.repetition_penalty != 1 or params.presence_penalty != 0 or params.frequency_penalty != 0
