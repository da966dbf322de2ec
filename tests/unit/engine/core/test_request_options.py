"""Every option of the public request does what it says when it is asked of the engine: a test for each, by
name. What it means to the last detail is tested where it is implemented (see the engine's README)."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
from msgspec.structs import replace
from transformers import AutoModelForCausalLM

from engine.build import build_core
from engine.core.core import EngineCore
from engine.grammar.compiler import GrammarCompiler
from engine.port.admission import check_embedding, check_request
from engine.port.errors import InvalidRequest, UnknownAdapter
from engine.port.events import FinishReason, TokenEvent
from engine.port.info.model_info import ModelInfo
from engine.port.request import (
    BeamParams,
    EmbeddingRequest,
    GenerationRequest,
    Grammar,
    GrammarKind,
    Media,
    Pooling,
    Prompt,
    SamplingParams,
    StopConditions,
    TimestampRules,
    Watermark,
)
from engine.sampling.logits.watermark import detect
from tests.support.engine_requests import generation_request
from tests.support.tiny_models.config import tiny_config
from tests.support.tiny_models.text import save_tiny_model, tiny_tokenizer

TOKENIZER = tiny_tokenizer()
END = TOKENIZER.eos_token_id
PROMPT = tuple(TOKENIZER.encode("The town"))
NUM_TOKENS = 30
TOLERANCE = 1e-4


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("llama"))


@pytest.fixture(scope="module")
def core(directory: Path) -> EngineCore:
    return build_core(tiny_config(directory), lambda line: None).core


@pytest.fixture(scope="module")
def model(directory: Path) -> Any:
    auto: Any = AutoModelForCausalLM
    return auto.from_pretrained(directory, dtype=torch.float32)


def run(core: EngineCore, *requests: GenerationRequest) -> list[TokenEvent]:
    for arrival, request in enumerate(requests):
        grammar = request.sampling.grammar
        compiled = GrammarCompiler(core.tokenizer).compile(grammar) if grammar else None
        core.add(arrival, request, compiled)
    events = []
    while core.has_work:
        events += [event for _, event in core.step()]
    assert all(isinstance(event, TokenEvent) for event in events), events
    return [event for event in events if isinstance(event, TokenEvent)]


def ask(core: EngineCore, sampling: SamplingParams, **options: Any) -> list[TokenEvent]:
    stopping = options.pop("stopping", StopConditions(max_tokens=NUM_TOKENS, ignore_eos=True))
    return run(
        core,
        generation_request(request_id="", token_ids=PROMPT, sampling=sampling, stopping=stopping, **options),
    )


def ids(events: list[TokenEvent]) -> list[int]:
    return [event.token_id for event in events]


def greedy(core: EngineCore, **options: Any) -> list[int]:
    return ids(ask(core, SamplingParams(temperature=0.0, **options)))


def stopped(core: EngineCore, **stopping: Any) -> list[TokenEvent]:
    return ask(
        core,
        SamplingParams(temperature=0.0),
        stopping=StopConditions(**{"max_tokens": NUM_TOKENS} | stopping),
    )


def probabilities(model: Any, events: list[TokenEvent]) -> torch.Tensor:
    """Return the probabilities of all tokens at each place of the output, [n, v] float64."""
    with torch.inference_mode():
        logits = model(torch.tensor([[*PROMPT, *ids(events)]])).logits[0, len(PROMPT) - 1 : -1]
    return torch.softmax(logits.double(), dim=-1)


def ranks(model: Any, events: list[TokenEvent]) -> list[int]:
    """Return how many tokens were more likely than the chosen one, at each place."""
    return [
        int((row > row[token_id]).sum())
        for row, token_id in zip(probabilities(model, events), ids(events), strict=True)
    ]


def test_temperature_0_takes_the_most_likely_token_and_a_high_one_does_not(
    core: EngineCore, model: Any
) -> None:
    assert set(ranks(model, ask(core, SamplingParams(temperature=0.0)))) == {0}
    assert sum(ranks(model, ask(core, SamplingParams(temperature=5.0)))) > NUM_TOKENS


def test_top_k_draws_among_the_k_best(core: EngineCore, model: Any) -> None:
    drawn = ranks(model, ask(core, SamplingParams(temperature=5.0, top_k=3)))
    assert 0 < max(drawn) < 3


def test_top_p_draws_among_the_fewest_that_hold_that_mass(core: EngineCore, model: Any) -> None:
    events = ask(core, SamplingParams(top_p=0.5))
    for row, token_id in zip(probabilities(model, events), ids(events), strict=True):
        assert float(row[row > row[token_id]].sum()) < 0.5 + TOLERANCE


def test_typical_p_draws_among_those_of_nearly_average_surprisal(core: EngineCore, model: Any) -> None:
    events = ask(core, SamplingParams(typical_p=0.3))
    for row, token_id in zip(probabilities(model, events), ids(events), strict=True):
        distance = (-row.log() - torch.special.entr(row).sum()).abs()
        assert float(row[distance < distance[token_id] - TOLERANCE].sum()) < 0.3 + TOLERANCE


def test_min_p_draws_none_less_likely_than_that_share_of_the_best(core: EngineCore, model: Any) -> None:
    events = ask(core, SamplingParams(min_p=0.3))
    for row, token_id in zip(probabilities(model, events), ids(events), strict=True):
        assert row[token_id] >= 0.3 * row.max() - TOLERANCE


def test_repetition_penalty_keeps_prompt_and_output_from_coming_again(core: EngineCore) -> None:
    written = greedy(core, repetition_penalty=1e9)
    assert len({*written, *PROMPT}) == len(written) + len({*PROMPT})


@pytest.mark.parametrize("penalty", ["presence_penalty", "frequency_penalty"])
def test_presence_penalty_and_frequency_penalty_keep_the_output_from_coming_again(
    core: EngineCore, penalty: str
) -> None:
    written = greedy(core, **{penalty: 1e4}, logit_bias={PROMPT[0]: 5e3})
    assert len({*written}) == len(written)
    assert written[0] == PROMPT[0], "the prompt is not penalised"


def test_seed_decides_the_draw(core: EngineCore) -> None:
    texts = [ids(ask(core, SamplingParams(seed=seed))) for seed in (1, 2, 1)]
    assert texts[0] == texts[2] != texts[1]


def test_logit_bias_makes_a_token_come(core: EngineCore) -> None:
    assert greedy(core, logit_bias={7: 1e3}) == [7] * NUM_TOKENS


def test_allowed_token_ids_are_all_that_comes(core: EngineCore) -> None:
    assert {*ids(ask(core, SamplingParams(allowed_token_ids=(5, 9))))} == {5, 9}


def test_banned_token_ids_never_come(core: EngineCore) -> None:
    plain = greedy(core)
    banned = tuple({*plain})
    assert not {*banned} & {*greedy(core, banned_token_ids=banned)}


def test_first_banned_token_ids_do_not_come_first(core: EngineCore) -> None:
    plain = greedy(core)
    without = greedy(core, first_banned_token_ids=(plain[0], 3))
    assert without[0] != plain[0]
    later = greedy(core, first_banned_token_ids=(plain[1],))
    assert plain[0] == plain[1] or later == plain


def test_timestamps_begin_a_text_and_stand_in_pairs(core: EngineCore) -> None:
    first, end = TOKENIZER.vocab_size - 60, TOKENIZER.vocab_size - 70
    rules = TimestampRules(first_timestamp_id=first, text_end_id=end, max_initial_timestamp_id=first + 4)
    found = greedy(core, timestamps=rules)
    assert first <= found[0] <= first + 4
    steps = [token_id for token_id in found if token_id >= first]
    assert steps == sorted(steps)
    assert len(steps) > 1


def test_bad_words_are_never_completed(core: EngineCore) -> None:
    letters = SamplingParams(
        temperature=0.0, allowed_token_ids=tuple(TOKENIZER.encode(letter)[0] for letter in "abcdefgh")
    )
    text = "".join(event.text for event in ask(core, letters))
    assert set(text) <= set("abcdefgh")
    without = ask(core, replace(letters, bad_words=(text[4],)))
    assert len(without) == NUM_TOKENS
    assert text[4] not in "".join(event.text for event in without)


def test_watermark_is_found_by_its_detector(core: EngineCore) -> None:
    marked = ids(ask(core, SamplingParams(watermark=Watermark(gamma=0.5, delta=50.0))))
    score = detect(marked, gamma=0.5)
    assert score.num_green == score.num_scored > 10


def test_grammar_shapes_the_text(core: EngineCore) -> None:
    events = ask(
        core,
        SamplingParams(grammar=Grammar(GrammarKind.REGEX, "(ab|c){4}")),
        stopping=StopConditions(max_tokens=NUM_TOKENS),
    )
    assert "".join(event.text for event in events).replace("ab", "c") == "cccc"
    assert events[-1].finish is FinishReason.END_TOKEN


def test_a_grammar_that_max_tokens_cuts_short_ends_by_length(core: EngineCore) -> None:
    events = ask(
        core,
        SamplingParams(grammar=Grammar(GrammarKind.REGEX, "[a-z]{90}")),
        stopping=StopConditions(max_tokens=NUM_TOKENS),
    )
    assert events[-1].finish is FinishReason.LENGTH


def test_num_logprobs_tells_the_tokens_and_the_best_as_the_model_has_them(
    core: EngineCore, model: Any
) -> None:
    events = ask(core, SamplingParams(num_logprobs=2))
    for row, event in zip(probabilities(model, events).log(), events, strict=True):
        assert event.logprob == pytest.approx(float(row[event.token_id]), abs=TOLERANCE)
        best = [token.logprob for token in event.top_logprobs]
        assert best == pytest.approx(row.topk(2).values.tolist(), abs=TOLERANCE)


def test_logprob_token_ids_are_told_as_the_model_has_them(core: EngineCore, model: Any) -> None:
    named = (9, 4, TOKENIZER.vocab_size - 1)
    events = ask(core, SamplingParams(num_logprobs=2, logprob_token_ids=named))
    plain = ask(core, SamplingParams(num_logprobs=2))
    assert ids(events) == ids(plain)
    for row, event in zip(probabilities(model, events).log(), events, strict=True):
        assert event.logprob == pytest.approx(float(row[event.token_id]), abs=TOLERANCE)
        assert [token.token_id for token in event.top_logprobs] == [*named]
        expected = [float(row[token_id]) for token_id in named]
        assert [token.logprob for token in event.top_logprobs] == pytest.approx(expected, abs=TOLERANCE)


def test_adjusted_logprobs_are_of_what_was_left_to_draw_from(core: EngineCore, model: Any) -> None:
    allowed = (5, 9, 40)
    events = ask(core, SamplingParams(allowed_token_ids=allowed, num_logprobs=0, adjusted_logprobs=True))
    for row, event in zip(probabilities(model, events), events, strict=True):
        left = row[list(allowed)]
        expected = float((row[event.token_id] / left.sum()).log())
        assert event.logprob == pytest.approx(expected, abs=TOLERANCE)


def test_prompt_logprob_token_ids_are_told_in_each_place_of_the_prompt(core: EngineCore, model: Any) -> None:
    named = (9, 4)
    told = ask(core, SamplingParams(num_prompt_logprobs=0, prompt_logprob_token_ids=named))[0].prompt
    assert told is not None
    with torch.inference_mode():
        logprobs = model(torch.tensor([PROMPT])).logits[0].log_softmax(dim=-1)
    for row, token in zip(logprobs, told[1:], strict=False):
        assert [each.token_id for each in token.top_logprobs] == [*named]
        expected = [float(row[token_id]) for token_id in named]
        assert [each.logprob for each in token.top_logprobs] == pytest.approx(expected, abs=TOLERANCE)


def test_num_prompt_logprobs_tells_the_prompts_tokens_as_the_model_has_them(
    core: EngineCore, model: Any
) -> None:
    events = ask(core, SamplingParams(num_prompt_logprobs=0))
    told = events[0].prompt
    assert told is not None
    assert [token.token_id for token in told] == [*PROMPT]
    with torch.inference_mode():
        logprobs = model(torch.tensor([PROMPT])).logits[0].log_softmax(dim=-1)
    expected = [float(row[token_id]) for row, token_id in zip(logprobs, PROMPT[1:], strict=False)]
    assert told[0].logprob is None
    assert [token.logprob for token in told[1:]] == pytest.approx(expected, abs=TOLERANCE)


def test_max_tokens_ends_by_length(core: EngineCore) -> None:
    events = stopped(core, max_tokens=4, ignore_eos=True)
    assert [event.finish for event in events] == [None] * 3 + [FinishReason.LENGTH]


@pytest.mark.parametrize("is_late", [False, True])
@pytest.mark.parametrize("kind", ["stop", "stop_token_ids", "end token"])
def test_length_first_ends_a_sequence_by_its_length_where_a_stop_falls_on_the_last_token(
    core: EngineCore, kind: str, *, is_late: bool
) -> None:
    plain = stopped(core, ignore_eos=True)
    if kind == "stop":
        conditions: dict[str, Any] = {"stop": ("".join(event.text for event in plain)[6:8],)}
    elif kind == "stop_token_ids":
        conditions = {"stop_token_ids": (plain[3].token_id,)}
    else:
        conditions = {}
    sampling = SamplingParams(temperature=0.0, logit_bias={END: 1e3} if kind == "end token" else {})
    usual = ask(core, sampling, stopping=StopConditions(max_tokens=NUM_TOKENS, **conditions))
    assert usual[-1].finish is not FinishReason.LENGTH
    max_tokens = len(usual) + is_late
    stopping = StopConditions(max_tokens=max_tokens, length_first=True, **conditions)
    events = ask(core, sampling, stopping=stopping)
    assert ids(events) == ids(usual)
    assert [event.text for event in events] == [event.text for event in usual]
    assert events[-1].finish is (usual[-1].finish if is_late else FinishReason.LENGTH)


def test_min_tokens_puts_off_every_end_but_max_tokens(core: EngineCore) -> None:
    [first, *_] = stopped(core, stop_token_ids=tuple(range(TOKENIZER.vocab_size)), max_tokens=1)
    assert first.finish is FinishReason.STOP
    events = ask(
        core,
        SamplingParams(temperature=0.0, logit_bias={END: 1e3}),
        stopping=StopConditions(max_tokens=NUM_TOKENS, min_tokens=6),
    )
    assert (len(events), events[-1].finish) == (7, FinishReason.END_TOKEN)


@pytest.mark.parametrize("include_stop", [False, True])
def test_stop_ends_the_text_and_include_stop_keeps_it(core: EngineCore, include_stop: bool) -> None:
    plain = "".join(event.text for event in stopped(core, ignore_eos=True))
    stop = plain[6:8]
    events = stopped(core, stop=(stop,), include_stop=include_stop)
    text = plain[: plain.index(stop)]
    assert "".join(event.text for event in events) == (text + stop if include_stop else text)
    assert (events[-1].finish, events[-1].stop_match) == (FinishReason.STOP, stop)


def test_stop_free_until_a_marker_the_text_holds_no_stop_strings(core: EngineCore) -> None:
    plain = "".join(event.text for event in stopped(core, ignore_eos=True))
    events = stopped(core, ignore_eos=True, stop=(plain[6:8],), stop_free_until="")
    assert "".join(event.text for event in events) == plain


def test_stop_free_spans_hold_no_stop_strings(core: EngineCore) -> None:
    plain = "".join(event.text for event in stopped(core, ignore_eos=True))
    events = stopped(core, ignore_eos=True, stop=(plain[6:8],), stop_free=((plain[:2], ""),))
    assert "".join(event.text for event in events) == plain


def test_stop_token_ids_end_a_sequence(core: EngineCore) -> None:
    plain = ids(stopped(core, ignore_eos=True))
    events = stopped(core, ignore_eos=True, stop_token_ids=(plain[3],))
    assert ids(events) == plain[: plain.index(plain[3]) + 1]
    assert events[-1].finish is FinishReason.STOP


@pytest.mark.parametrize("include_stop", [False, True])
def test_the_text_of_a_stop_token_is_cut_unless_include_stop_keeps_it(
    core: EngineCore, include_stop: bool
) -> None:
    plain = stopped(core, ignore_eos=True)
    place = next(at for at, event in enumerate(plain) if event.text and event.token_id not in ids(plain[:at]))
    stop = plain[place].token_id
    events = stopped(core, ignore_eos=True, stop_token_ids=(stop,), include_stop=include_stop)
    assert ids(events) == ids(plain[: place + 1])
    assert events[-1].token_text == plain[place].token_text
    assert "".join(event.text for event in events) == "".join(
        event.text for event in plain[: place + include_stop]
    )


@pytest.mark.parametrize("ignore_eos", [False, True])
def test_ignore_eos_makes_end_tokens_like_others(core: EngineCore, ignore_eos: bool) -> None:
    events = ask(
        core,
        SamplingParams(temperature=0.0, logit_bias={END: 1e3}),
        stopping=StopConditions(max_tokens=3, ignore_eos=ignore_eos),
    )
    reason = FinishReason.LENGTH if ignore_eos else FinishReason.END_TOKEN
    assert (len(events), events[-1].finish) == (3 if ignore_eos else 1, reason)


def test_num_sequences_begin_together_and_draw_from_seeds_in_a_row(core: EngineCore) -> None:
    events = ask(core, SamplingParams(seed=4), num_sequences=3)
    for index in range(3):
        own = [event for event in events if event.index == index]
        assert ids(own) == ids(ask(core, SamplingParams(seed=4 + index)))


def test_beams_give_the_best_hypotheses_first(core: EngineCore) -> None:
    events = ask(core, SamplingParams(temperature=0.0), beams=BeamParams(num_beams=4), num_sequences=3)
    scores = [event.beam_score for event in events if event.finish]
    assert len(scores) == 3
    assert all(
        better is not None and worse is not None and better >= worse for better, worse in pairwise(scores)
    )


@pytest.mark.parametrize("skip_special_tokens", [False, True])
def test_skip_special_tokens_leaves_them_out_of_the_text_alone(
    core: EngineCore, skip_special_tokens: bool
) -> None:
    (event,) = ask(
        core,
        SamplingParams(temperature=0.0, logit_bias={END: 1e3}),
        stopping=StopConditions(max_tokens=1),
        skip_special_tokens=skip_special_tokens,
    )
    special = TOKENIZER.convert_ids_to_tokens(END)
    assert (event.token_text, event.text) == (special, "" if skip_special_tokens else special)


def test_an_adapter_that_is_not_loaded_is_refused(directory: Path) -> None:
    info = build_core(tiny_config(directory), lambda line: None).info
    request = generation_request(
        request_id="",
        token_ids=PROMPT,
        sampling=SamplingParams(),
        stopping=StopConditions(max_tokens=1),
    )
    check_request(request, info)
    with pytest.raises(UnknownAdapter):
        check_request(replace(request, adapter="poet"), info)


MEDIA = Prompt(PROMPT, media=(Media(digest=b"cat", position=0, num_tokens=1),))


@pytest.mark.parametrize(
    "check",
    [
        lambda info: check_request(
            GenerationRequest(
                request_id="", prompt=MEDIA, sampling=SamplingParams(), stopping=StopConditions(max_tokens=1)
            ),
            info,
        ),
        lambda info: check_embedding(
            EmbeddingRequest(request_id="", prompt=MEDIA, pooling=Pooling.MEAN), info
        ),
    ],
    ids=["generation", "embedding"],
)
def test_media_are_refused_and_never_ignored(directory: Path, check: Callable[[ModelInfo], None]) -> None:
    info = build_core(tiny_config(directory), lambda line: None).info
    with pytest.raises(
        InvalidRequest, match="^prompt.media: the prompt has media, but the model reads only text"
    ):
        check(info)


def test_priority_decides_who_runs_first(directory: Path) -> None:
    config = tiny_config(directory, max_num_sequences=1)
    alone = build_core(config, lambda line: None).core
    plain = generation_request(
        request_id="late",
        token_ids=PROMPT,
        sampling=SamplingParams(temperature=0.0),
        stopping=StopConditions(max_tokens=2, ignore_eos=True),
    )
    events = run(alone, plain, replace(plain, request_id="urgent", priority=-1))
    assert [event.request_id for event in events] == ["urgent", "urgent", "late", "late"]


def test_cache_salt_keeps_prompts_apart(directory: Path) -> None:
    config = tiny_config(directory, block_size=2)
    fresh = build_core(config, lambda line: None).core
    cached = [
        ask(fresh, SamplingParams(), cache_salt=salt)[0].num_cached_tokens for salt in (None, "a", None, "a")
    ]
    num_shared = (len(PROMPT) - 1) // 2 * 2
    assert cached == [0, 0, num_shared, num_shared]
