"""Tests what is refused, with which status, slug and words."""

import pytest

from engine.port.errors import EngineStopped, GenerationFailed, InvalidGrammar, UnknownAdapter
from engine.port.info.stats import Health
from tests.support.scripted.engine import ScriptedEngine, fails_after, says
from tests.unit.handlers.contracts.tgi.api import Api, chat, generate_body

GENERATE_RULES = [
    (generate_body(best_of=3, do_sample=True), "`best_of` must be > 0 and <= 2. Given: 3"),
    (generate_body(best_of=2), "you must use sampling when `best_of` is > 1"),
    (generate_body(best_of=2, do_sample=True, seed=1), "`seed` must not be set when `best_of` > 1"),
    (generate_body(truncate=1000), "`truncate` must be strictly positive and at most 199. Given: 1000"),
    (generate_body(max_new_tokens=1000), "`inputs` tokens + `max_new_tokens` must be <= 200. "
     "Given: 2 `inputs` tokens and 1000 `max_new_tokens`"),
    (generate_body("x" * 300), "`inputs` tokens + `max_new_tokens` must be <= 200. "
     "Given: 300 `inputs` tokens and 100 `max_new_tokens`"),
    (generate_body(grammar={"type": "json", "value": "no JSON"}), "the schema is not JSON: "),
]  # fmt: skip


@pytest.mark.parametrize("path", ["/", "/generate", "/generate_stream"])
@pytest.mark.parametrize(("body", "message"), GENERATE_RULES[3:])
async def test_a_broken_rule_is_told_before_anything_runs(
    path: str, body: dict[str, object], message: str
) -> None:
    api = Api(says("x"))
    status, slug, told = await api.refusal(path, body)
    assert (status, slug) == (422, "validation")
    assert told.startswith(f"Input validation error: {message}")
    assert api.engine.requests == []


@pytest.mark.parametrize(("body", "message"), GENERATE_RULES[:3])
async def test_best_of_needs_sampling_no_seed_and_room(body: dict[str, object], message: str) -> None:
    assert await Api(says("x")).refusal("/generate", body) == (
        422,
        "validation",
        f"Input validation error: {message}",
    )


@pytest.mark.parametrize("path", ["/", "/generate_stream"])
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"best_of": 2, "do_sample": True}, "`best_of` != 1 is not supported when streaming tokens"),
        (
            {"decoder_input_details": True},
            "`decoder_input_details` == true is not supported when streaming tokens",
        ),
    ],
)
async def test_a_stream_refuses_what_it_cannot_carry(
    path: str, parameters: dict[str, object], message: str
) -> None:
    body = generate_body(**parameters) | ({"stream": True} if path == "/" else {})
    assert await Api(says("x")).refusal(path, body) == (
        422,
        "validation",
        f"Input validation error: {message}",
    )


@pytest.mark.parametrize(
    ("settings", "body", "message"),
    [
        (
            {"max_stop_sequences": 1},
            generate_body(stop=["a", "b"]),
            "`stop` supports up to 1 stop sequences. Given: 2",
        ),
        (
            {"max_top_n_tokens": 1},
            generate_body(top_n_tokens=2),
            "`top_n_tokens` must be >= 0 and <= 1. Given: 2",
        ),
        (
            {"max_input_tokens": 3},
            generate_body("Hello", max_new_tokens=1),
            "`inputs` must have at most 3 tokens. Given: 5",
        ),
        (
            {"disable_grammar_support": True},
            generate_body(grammar={"type": "regex", "value": "a"}),
            "grammar is not supported",
        ),
    ],
)
async def test_the_servers_limits_are_kept(
    settings: dict[str, object], body: dict[str, object], message: str
) -> None:
    refusal = await Api(says("x"), **settings).refusal("/generate", body)
    assert refusal == (422, "validation", f"Input validation error: {message}")


async def test_a_body_that_is_not_what_the_document_says_is_a_validation_error() -> None:
    status, slug, message = await Api(says("x")).refusal("/generate", generate_body(temperature=-1))
    assert (status, slug) == (422, "validation")
    assert message.startswith("Input validation error: parameters.temperature: ")


FAILURES = [
    (
        UnknownAdapter("a"), 422, "validation",
        "Input validation error: adapter_id: adapter 'a' is not loaded",
    ),
    (InvalidGrammar("no such escape"), 422, "validation", "Input validation error: no such escape"),
    (GenerationFailed("no memory"), 424, "generation", "Request failed during generation: no memory"),
    (EngineStopped("drains"), 503, "unavailable", "The server is shutting down"),
]  # fmt: skip
PATHS_AND_BODIES = [
    ("/generate", generate_body()),
    ("/generate_stream", generate_body()),
    ("/", generate_body()),
    ("/", generate_body() | {"stream": True}),
    ("/v1/chat/completions", chat()),
    ("/v1/chat/completions", chat(stream=True)),
    ("/v1/completions", {"prompt": "Hi"}),
    ("/v1/completions", {"prompt": ["Hi", "Ho"], "stream": True}),
]


@pytest.mark.parametrize(("path", "body"), PATHS_AND_BODIES)
@pytest.mark.parametrize(("error", "status", "slug", "message"), FAILURES)
async def test_a_failure_before_the_first_event_has_its_status_streamed_or_not(
    path: str, body: dict[str, object], error: Exception, status: int, slug: str, message: str
) -> None:
    assert await Api(fails_after(error)).refusal(path, body) == (status, slug, message)


@pytest.mark.parametrize(("path", "body"), PATHS_AND_BODIES)
async def test_events_that_end_too_early_are_an_incomplete_generation(
    path: str, body: dict[str, object]
) -> None:
    refusal = await Api(lambda request: ()).refusal(path, body)
    assert refusal == (500, "incomplete_generation", "Incomplete generation")


@pytest.mark.parametrize("path", ["/", "/generate_stream"])
async def test_an_error_after_the_first_event_is_an_error_event_of_generate(path: str) -> None:
    api = Api(fails_after(GenerationFailed("out of memory"), "a"))
    events = await api.events(path, generate_body() | {"stream": True})
    assert events[0]["token"]["text"] == "a"
    assert events[1:] == [
        {"error": "Request failed during generation: out of memory", "error_type": "generation"}
    ]


@pytest.mark.parametrize(
    ("path", "body"),
    [("/v1/chat/completions", chat(stream=True)), ("/v1/completions", {"prompt": "Hi", "stream": True})],
)
async def test_an_error_after_the_first_chunk_is_openais_and_done_follows(
    path: str, body: dict[str, object]
) -> None:
    events = await Api(fails_after(GenerationFailed("out of memory"), "a")).events(path, body)
    assert len(events) == 3
    assert events[1] == {
        "error": {
            "message": "Request failed during generation: out of memory",
            "http_status_code": 424,
            "type": "generation",
        },
        "error_type": "generation",
    }
    assert events[2] == "[DONE]"


async def test_a_suffix_is_refused_where_the_model_fills_no_gaps() -> None:
    status, slug, message = await Api(says("x")).refusal("/v1/completions", {"prompt": "a", "suffix": "b"})
    assert (status, slug) == (422, "suffix not supported")
    assert "'suffix'" in message


async def test_more_prompts_than_the_server_takes_at_once_are_refused() -> None:
    status, slug, message = await Api(says("x")).refusal("/v1/completions", {"prompt": ["a"] * 5})
    assert (status, slug) == (422, "batch size exceeded")
    assert "4" in message


async def test_health_is_503_while_the_engine_cannot_generate() -> None:
    engine = ScriptedEngine(says("x"))
    api = Api(engine)
    healthy = await api.get("/health")
    assert (healthy.status_code, healthy.content) == (200, b"")
    engine.condition = Health(False, "the engine died")
    unhealthy = await api.get("/health")
    assert unhealthy.status_code == 503
    assert unhealthy.json() == {"error": "unhealthy", "error_type": "healthcheck"}
