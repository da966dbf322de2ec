"""Each field of a request over each token API: sent, refused by its name, or used where answers are read."""

import json
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, Final, NamedTuple, TypeAlias

import pytest
from msgspec.structs import replace

from engine.port.errors import NotCapable
from engine.port.events import FinishReason
from engine.port.info.capabilities import check_capabilities, check_embedding_capability
from engine.port.request import (
    BeamParams,
    GenerationRequest,
    Grammar,
    GrammarKind,
    MediaKind,
    Pooling,
    Prompt,
    SamplingParams,
    StopConditions,
    ThinkingBudget,
    TimestampRules,
    Watermark,
)
from engine.port.text.sampled import Sampled
from engine.port.text.sequence_output import SequenceOutput
from engine.port.text.token_times import TokenTimes
from engine.remote.wire.sampling import salt_digest
from engine.remote.wire.sglang import SglangApi
from engine.remote.wire.token_api import ApiFacts, PriorityOrder, TokenApi
from engine.remote.wire.verbatim import VerbatimApi
from engine.remote.wire.vllm import VllmApi
from tests.support.engine_requests import embedding_request, generation_request
from tests.unit.engine.port.text.tiny_tokenizers import MARK, byte_level

TOKENIZER: Final = byte_level()
[END] = TOKENIZER.end_token_ids
BASE: Final = generation_request(
    request_id="a",
    token_ids=[1, 2],
    sampling=SamplingParams(seed=5),
    stopping=StopConditions(max_tokens=9),
)
PARTS: Final[Mapping[str, type[Any]]] = {"sampling": SamplingParams, "stopping": StopConditions}
# Servers that have been started with every option that requests may need.
WITH_OPTIONS: Final[Mapping[str, TokenApi]] = {
    "vllm": VllmApi(
        ApiFacts(priorities=PriorityOrder.LOWEST_FIRST, lists_named_logprobs=True, bounds_thoughts=True)
    ),
    "sglang": SglangApi(PriorityOrder.HIGHEST_FIRST),
    "verbatim": VerbatimApi(),
}
WITHOUT_OPTIONS: Final[Mapping[str, TokenApi]] = {"vllm": VllmApi(), "sglang": SglangApi()}


class Other(Enum):
    """The ways of a field that is not sent."""

    REFUSED = "refused"
    """It is refused, by an error with its name."""

    HERE = "here"
    """This process uses it, where sequences are begun and answers are read."""


REFUSED, HERE = Other.REFUSED, Other.HERE
ABSENT: Final = object()
Sent: TypeAlias = Mapping[str, object] | Other


class Field(NamedTuple):
    """A value of a field, and what the bodies of each kind of server then have otherwise.

    on: other fields, which the field needs. A body is named by its fields: "x" is one of the body, ".x" is
    one of its sampling parameters.
    """

    value: object
    vllm: Sent
    sglang: Sent
    verbatim: Sent
    on: Mapping[str, object] = {}


def same(**params: object) -> tuple[Sent, Sent, Sent]:
    """Return the same sampling parameters for each kind of server."""
    sent = {f".{name}": value for name, value in params.items()}
    return sent, sent, sent


NOWHERE: Final = (REFUSED, REFUSED, REFUSED)
ALWAYS_HERE: Final = (HERE, HERE, HERE)
GRAMMAR: Final = Grammar(GrammarKind.REGEX, "a")
SALT: Final = salt_digest("s")
BANNED: Final = {".logit_bias": {"3": -1e30}}

FIELDS: Final[Mapping[str, Field]] = {
    "request_id": Field("b", {"request_id": "b-0"}, {"rid": "b-0-x"}, HERE),
    "prompt": Field(Prompt((1, 3)), {"token_ids": [1, 3]}, {"input_ids": [1, 3]}, {"token_ids": [1, 3]}),
    "num_sequences": Field(2, *ALWAYS_HERE),
    "num_parallel": Field(1, *ALWAYS_HERE, on={"num_sequences": 2}),
    "skip_special_tokens": Field(False, *ALWAYS_HERE),
    "adapter": Field("poet", {"model": "poet"}, {"lora_path": "poet"}, {"model": "poet"}),
    "priority": Field(3, {"priority": 3}, {"priority": -3}, {"priority": 3}),
    "waits_for_room": Field(True, *ALWAYS_HERE),
    "cache_salt": Field("s", {"cache_salt": SALT}, {"extra_key": SALT}, {"cache_salt": SALT}),
    "beams": Field(BeamParams(num_beams=2), *NOWHERE, on={"sampling.temperature": 0.0}),
    "sampling.temperature": Field(0.5, *same(temperature=0.5)),
    "sampling.top_k": Field(7, *same(top_k=7)),
    "sampling.top_p": Field(0.5, *same(top_p=0.5)),
    "sampling.typical_p": Field(0.5, REFUSED, REFUSED, {".typical_p": 0.5}),
    "sampling.min_p": Field(0.25, *same(min_p=0.25)),
    "sampling.repetition_penalty": Field(1.5, *same(repetition_penalty=1.5)),
    "sampling.presence_penalty": Field(0.5, *same(presence_penalty=0.5)),
    "sampling.frequency_penalty": Field(0.5, *same(frequency_penalty=0.5)),
    "sampling.seed": Field(6, {".seed": 6}, {".sampling_seed": 6}, {".seed": 6}),
    "sampling.logit_bias": Field({3: 2.0}, *same(logit_bias={"3": 2.0})),
    "sampling.allowed_token_ids": Field(
        (3, 4), {".allowed_token_ids": [3, 4]}, REFUSED, {".allowed_token_ids": [3, 4]}
    ),
    "sampling.banned_token_ids": Field((3,), BANNED, BANNED, {".banned_token_ids": [3]}),
    "sampling.first_banned_token_ids": Field((3,), *NOWHERE),
    "sampling.bad_words": Field(("x",), {".bad_words": ["x"]}, REFUSED, {".bad_words": ["x"]}),
    "sampling.watermark": Field(
        Watermark(0.25, 3.0), REFUSED, REFUSED, {".watermark": {"gamma": 0.25, "delta": 3.0}}
    ),
    "sampling.timestamps": Field(TimestampRules(first_timestamp_id=5, text_end_id=2), *NOWHERE),
    "sampling.grammar": Field(
        GRAMMAR,
        {".structured_outputs": {"regex": "a"}},
        {".regex": "a"},
        {".structured_outputs": {"regex": "a"}},
    ),
    "sampling.thinking_budget": Field(
        ThinkingBudget(max_tokens=4, begin="<", end=">", closing=">"),
        {".thinking_token_budget": 4},
        REFUSED,
        {".thinking_token_budget": 4},
    ),
    "sampling.num_logprobs": Field(
        2, {".logprobs": 3}, {"return_logprob": True, "top_logprobs_num": 2}, {".logprobs": 2}
    ),
    "sampling.logprob_token_ids": Field(
        (5, 3),
        {".logprobs": 3, ".logprob_token_ids": [5, 3, 3]},
        {"token_ids_logprob": [5, 3]},
        {".logprob_token_ids": [5, 3]},
        on={"sampling.num_logprobs": 0},
    ),
    "sampling.adjusted_logprobs": Field(True, *NOWHERE, on={"sampling.num_logprobs": 0}),
    "sampling.num_prompt_logprobs": Field(
        2,
        {"stream": False, ".prompt_logprobs": 2},
        {"stream": False, "return_logprob": True, "top_logprobs_num": 2, "logprob_start_len": 0},
        {".prompt_logprobs": 2},
    ),
    "sampling.prompt_logprob_token_ids": Field((5,), *NOWHERE, on={"sampling.num_prompt_logprobs": 0}),
    "stopping.max_tokens": Field(10, {".max_tokens": 10}, {".max_new_tokens": 10}, {".max_tokens": 10}),
    "stopping.min_tokens": Field(2, {".min_tokens": 2}, {".min_new_tokens": 2}, {".min_tokens": 2}),
    "stopping.stop": Field(("b",), *ALWAYS_HERE),
    "stopping.stop_free": Field((("a", "c"),), *ALWAYS_HERE, on={"stopping.stop": ("b",)}),
    "stopping.stop_free_until": Field("c", *ALWAYS_HERE, on={"stopping.stop": ("b",)}),
    "stopping.stop_token_ids": Field((5,), *same(stop_token_ids=[5, END])),
    "stopping.include_stop": Field(True, *ALWAYS_HERE, on={"stopping.stop": ("b",)}),
    "stopping.ignore_eos": Field(
        True, {".stop_token_ids": []}, {".stop_token_ids": [], ".ignore_eos": True}, {".stop_token_ids": []}
    ),
    "stopping.length_first": Field(
        True, *ALWAYS_HERE, on={"stopping.stop": ("c",), "stopping.max_tokens": 4}
    ),
}


def all_fields() -> Iterator[str]:
    for name in GenerationRequest.__struct_fields__:
        if name in PARTS:
            yield from (f"{name}.{each}" for each in PARTS[name].__struct_fields__)
        else:
            yield name


def with_fields(fields: Mapping[str, object]) -> GenerationRequest:
    request = BASE
    for name, value in fields.items():
        part, _, each = name.rpartition(".")
        changed = {part: replace(getattr(request, part), **{each: value})} if part else {each: value}
        request = replace(request, **changed)
    return request


def requests_of(name: str) -> tuple[GenerationRequest, GenerationRequest]:
    """Return a request without the field, and one with it."""
    field = FIELDS[name]
    return with_fields(field.on), with_fields({**field.on, name: field.value})


def body_of(api: TokenApi, request: GenerationRequest) -> dict[str, object]:
    body = json.loads(b"".join(api.body(request, 0, "m", TOKENIZER)))
    return {**{f".{name}": value for name, value in body.pop("sampling_params").items()}, **body}


def changed(one: Mapping[str, object], other: Mapping[str, object]) -> dict[str, object]:
    """Return the fields of the other body that are not as in the one; ABSENT for those that it lacks."""
    names = one.keys() | other.keys()
    return {
        name: other.get(name, ABSENT) for name in names if one.get(name, ABSENT) != other.get(name, ABSENT)
    }


def test_every_field_is_in_the_table() -> None:
    assert FIELDS.keys() == set(all_fields())


@pytest.mark.parametrize("kind", WITH_OPTIONS)
@pytest.mark.parametrize("name", FIELDS)
def test_a_field_is_sent_or_refused_or_used_here(
    name: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.remote.wire.sglang.token_hex", lambda num_bytes: "x")
    api = WITH_OPTIONS[kind]
    sent = getattr(FIELDS[name], kind)
    without, request = requests_of(name)
    check_capabilities(without, api.capabilities)
    if sent is REFUSED:
        with pytest.raises(NotCapable) as raised:
            check_capabilities(request, api.capabilities)
        assert raised.value.parameter == name.rpartition(".")[2]
    else:
        check_capabilities(request, api.capabilities)
        found = changed(body_of(api, without), body_of(api, request))
        assert found == ({} if sent is HERE else sent)


@pytest.mark.parametrize("kind", WITH_OPTIONS)
def test_a_grammar_ends_a_sequence_whose_ends_are_ignored_where_it_would_bind_nothing_more(kind: str) -> None:
    request = with_fields({"sampling.grammar": GRAMMAR, "stopping.ignore_eos": True})
    body = body_of(WITH_OPTIONS[kind], request)
    assert body[".stop_token_ids"] == ([] if kind == "verbatim" else [END])
    assert body[".ignore_eos"] == (kind != "sglang")  # where vLLM's own end tokens are named instead


@pytest.mark.parametrize("kind", WITHOUT_OPTIONS)
def test_without_their_options_servers_take_what_they_would_not_ignore(kind: str) -> None:
    """All that is sent to a server with options is sent to one without, or refused by its name."""
    refused = {name for name in FIELDS if is_refused(WITHOUT_OPTIONS[kind], name)}
    lacking = {name for name in refused if getattr(FIELDS[name], kind) is not REFUSED}
    of_vllm = {"priority", "sampling.logprob_token_ids", "sampling.thinking_budget"}
    assert lacking == {"vllm": of_vllm, "sglang": {"priority"}}[kind]


def is_refused(api: TokenApi, name: str) -> bool:
    try:
        check_capabilities(requests_of(name)[1], api.capabilities)
    except NotCapable as error:
        assert error.parameter == name.rpartition(".")[2]
        return True
    return False


@pytest.mark.parametrize("api", [*WITH_OPTIONS.values(), *WITHOUT_OPTIONS.values()], ids=lambda api: api.name)
def test_embeddings_are_refused_over_each_api(api: TokenApi) -> None:
    with pytest.raises(NotCapable, match="embeddings"):
        check_embedding_capability(embedding_request(token_ids=[1], pooling=Pooling.LAST), api.capabilities)


def test_files_go_where_a_server_decodes_them_alike() -> None:
    """A model over a server reads none of the other kinds, and admission refuses a prompt with them."""
    media = {kind: api.capabilities.media for kind, api in WITH_OPTIONS.items()}
    both = {MediaKind.IMAGE, MediaKind.AUDIO}
    assert media == {"vllm": both, "sglang": set(), "verbatim": set(MediaKind)}


# The engine's own, which begins as many sequences, and its tests are those of `RemoteEngine`.
OF_THE_ENGINE: Final = {"num_sequences", "num_parallel", "waits_for_room"}
OF_TEXTS: Final = [name for name, field in FIELDS.items() if field.vllm is HERE and name not in OF_THE_ENGINE]


@pytest.mark.parametrize("name", OF_TEXTS)
def test_what_no_server_is_asked_for_makes_other_texts(name: str) -> None:
    """The rules of texts and ends are this process's own, over any server."""
    without, request = requests_of(name)
    assert texts_of(request) != texts_of(without)


def texts_of(request: GenerationRequest) -> list[tuple[str, FinishReason | None]]:
    output = SequenceOutput(request, TOKENIZER)
    found = list[tuple[str, FinishReason | None]]()
    for token_id in TOKENIZER.encode(f"a{MARK}bc", add_special_tokens=False):
        event = output.append(Sampled(token_id), TokenTimes())
        found.append((event.text, event.finish))
        if event.finish is not None:
            break
    return found
