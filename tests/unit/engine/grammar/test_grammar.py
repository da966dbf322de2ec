import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch

from engine.grammar.compiler import GrammarCompiler
from engine.grammar.matcher import GrammarMatcher
from engine.port.errors import GenerationFailed, InvalidGrammar
from engine.port.request import Grammar, GrammarKind, SamplingParams, StopConditions
from engine.port.text.sampled import Sampled
from engine.port.text.tokenizer import Tokenizer
from engine.sampling.logits.grammar_mask import apply_grammar
from engine.sampling.state import SamplingState
from tests.unit.engine.grammar.grammar_cases import COMPILER, TOKENIZER, accepts, generate, ids_of
from tests.unit.engine.port.text import tiny_tokenizers
from tests.unit.engine.sampling.sampling_cases import CPU, logits, sample, state

V = TOKENIZER.vocab_size
[EOS] = TOKENIZER.end_token_ids
GREEDY = SamplingParams(temperature=0.0)
TAG = {
    "type": "structural_tag",
    "format": {
        "type": "tag",
        "begin": "<call>",
        "content": {"type": "json_schema", "json_schema": {"properties": {"x": {"type": "integer"}}}},
        "end": "</call>",
    },
}


def regex(source: str) -> Grammar:
    return Grammar(GrammarKind.REGEX, source)


def constrained(
    grammar: Grammar,
    *,
    tokenizer: Tokenizer = TOKENIZER,
    params: SamplingParams = GREEDY,
    stopping: StopConditions | None = None,
) -> SamplingState:
    return SamplingState(
        params,
        stopping or StopConditions(max_tokens=100),
        seed=0,
        prompt_token_ids=[0],
        tokenizer=tokenizer,
        grammar=GrammarCompiler(tokenizer).compile(grammar),
        device=CPU,
    )


def write(sequence: SamplingState, num_tokens: int, *, tokenizer: Tokenizer = TOKENIZER) -> list[int]:
    """Greedy tokens from random logits."""
    token_ids = []
    for step in range(num_tokens):
        [sampled] = sample(tokenizer, logits(1, tokenizer.vocab_size, seed=step), [sequence])
        assert isinstance(sampled, Sampled), sampled
        sequence.accept(sampled.token_id)
        token_ids.append(sampled.token_id)
    return token_ids


@pytest.mark.parametrize(
    ("grammar", "good", "bad"),
    [
        (regex("ab?"), ["a", "ab"], ["b", "", "abb"]),
        (Grammar(GrammarKind.EBNF, 'root ::= "x" root | "y"'), ["y", "xxy"], ["x", ""]),
        (Grammar(GrammarKind.JSON_OBJECT), ["{}", '{"a": [1, null]}'], ["[]", "1", '{"a": }']),
        (Grammar(GrammarKind.JSON_SCHEMA, '{"type": "boolean"}'), ["true"], ["1", " true"]),
        (
            Grammar(GrammarKind.STRUCTURAL_TAG, json.dumps(TAG)),
            ['<call>{"x": 1}</call>'],
            ['{"x": 1}', '<call>{"x": "a"}</call>', '<call>{"x":1}</call>', '<call>{"x": 1 }</call>'],
        ),
    ],
    ids=lambda value: value.kind.value if isinstance(value, Grammar) else "",
)
def test_each_kind_of_grammar_allows_its_texts_and_no_others(
    grammar: Grammar, good: list[str], bad: list[str]
) -> None:
    compiled = COMPILER.compile(grammar)
    assert [text for text in good if not accepts(compiled, text)] == []
    assert [text for text in bad if accepts(compiled, text)] == []


@pytest.mark.parametrize(
    "grammar",
    [
        regex("(a"),
        Grammar(GrammarKind.EBNF, "root ::= nowhere"),
        Grammar(GrammarKind.EBNF, 'other ::= "a"'),
        Grammar(GrammarKind.EBNF, "root ::= " + "(" * 50_000 + '"a"' + ")" * 50_000),
        Grammar(GrammarKind.JSON_SCHEMA, '{"type": "integer", "minimum": 3, "maximum": 1}'),
        Grammar(GrammarKind.JSON_SCHEMA, '{"type": "nonsense"}'),
        Grammar(GrammarKind.JSON_SCHEMA, "false"),
        Grammar(GrammarKind.STRUCTURAL_TAG, "{"),
        Grammar(GrammarKind.STRUCTURAL_TAG, '{"type": "structural_tag", "format": {"type": "nonsense"}}'),
        Grammar(GrammarKind.EBNF, " " * 300_000),
    ],
    ids=lambda grammar: f"{grammar.kind.value} {grammar.source[:30].strip()}",
)
def test_a_grammar_that_cannot_be_is_refused_in_words_of_its_own(grammar: Grammar) -> None:
    with pytest.raises(InvalidGrammar) as refusal:
        COMPILER.compile(grammar)
    assert str(refusal.value)
    assert ".cc:" not in str(refusal.value)


@pytest.mark.parametrize("depth", [300, 3000])
def test_a_pattern_that_is_nested_too_deep_is_refused(depth: int) -> None:
    pattern = "(" * depth + "a" + ")" * depth
    for grammar in (
        Grammar(GrammarKind.REGEX, pattern),
        Grammar(GrammarKind.JSON_SCHEMA, json.dumps({"type": "string", "pattern": pattern})),
    ):
        with pytest.raises(InvalidGrammar):
            COMPILER.compile(grammar)


@pytest.mark.parametrize(
    "content",
    [
        {"type": "json_schema", "json_schema": {"type": "nonsense"}},
        {"type": "json_schema", "json_schema": {"type": "string"}, "excludes": ["x"]},
        {"type": "regex", "pattern": "a^b"},
        {"type": "sequence", "elements": [{"type": "regex", "pattern": "(?=a)"}]},
    ],
    ids=["schema", "excludes", "regex", "nested"],
)
def test_what_a_structural_tag_holds_is_checked_too(content: dict[str, Any]) -> None:
    tag = {"type": "structural_tag", "format": {**TAG["format"], "content": content}}  # type: ignore[dict-item]
    with pytest.raises(InvalidGrammar, match="in the tag '<call>': .*(nonsense|excludes|no text)"):
        COMPILER.compile(Grammar(GrammarKind.STRUCTURAL_TAG, json.dumps(tag)))


def test_a_structural_tag_may_allow_whitespace_itself() -> None:
    content = {**TAG["format"]["content"], "max_whitespace_cnt": 1}  # type: ignore[index]
    tag = {"type": "structural_tag", "format": {**TAG["format"], "content": content}}  # type: ignore[dict-item]
    compiled = COMPILER.compile(Grammar(GrammarKind.STRUCTURAL_TAG, json.dumps(tag)))
    assert [accepts(compiled, f'<call>{{"x":{blank}1}}</call>') for blank in ("", " ", "  ")] == [
        True,
        True,
        False,
    ]


def test_the_end_token_comes_only_where_the_text_may_end() -> None:
    biased = SamplingParams(temperature=0.0, logit_bias={EOS: 1000.0})
    assert write(constrained(regex("ab"), params=biased), 3) == [*ids_of("a"), *ids_of("b"), EOS]


def test_every_end_token_and_stop_token_of_the_request_may_end_the_text() -> None:
    compiled = COMPILER.compile(regex("a"))
    assert compiled.start().stop_token_ids == (EOS,)
    for stop in (EOS, 7):
        sequence = compiled.start([7])
        [first] = ids_of("a")
        sequence.accept(first)
        assert not sequence.is_complete
        sequence.accept(stop)
        assert sequence.is_complete


def test_a_complete_grammar_is_not_advanced_and_allows_its_end_alone() -> None:
    stopping = StopConditions(max_tokens=100, ignore_eos=True)
    assert write(constrained(regex("a"), stopping=stopping), 4) == [*ids_of("a"), EOS, EOS, EOS]
    sequence = COMPILER.compile(regex("a")).start()
    for token_id in (*ids_of("a"), EOS):
        sequence.accept(token_id)
    with pytest.raises(GenerationFailed, match="does not allow"):
        sequence.accept(ids_of("a")[0])


def test_a_token_that_the_grammar_does_not_allow_is_not_accepted() -> None:
    with pytest.raises(GenerationFailed, match="does not allow"):
        COMPILER.compile(regex("a")).start().accept(ids_of("b")[0])


def test_special_tokens_are_no_text_for_a_grammar() -> None:
    [mark] = ids_of(tiny_tokenizers.MARK)
    biased = SamplingParams(temperature=0.0, logit_bias={mark: 1000.0})
    assert mark not in write(constrained(regex(".{20}"), params=biased), 5)


def test_a_structural_tag_may_name_a_special_token_and_hold_one_in_free_text() -> None:
    [mark] = ids_of(tiny_tokenizers.MARK)
    named = {"type": "token", "token": tiny_tokenizers.MARK}
    for content in (named, {"type": "any_text"}):
        tag = {"type": "structural_tag", "format": content}
        grammar = Grammar(GrammarKind.STRUCTURAL_TAG, json.dumps(tag))
        biased = SamplingParams(temperature=0.0, logit_bias={mark: 1000.0})
        assert write(constrained(grammar, params=biased), 1) == [mark]


@pytest.mark.parametrize(
    "make", [tiny_tokenizers.byte_level, tiny_tokenizers.byte_fallback], ids=["byte-level", "byte-fallback"]
)
def test_a_model_with_more_logits_than_tokens_stays_in_the_grammar(make: Callable[[int], Tokenizer]) -> None:
    tokenizer = make(700)
    sequence = constrained(regex("(Paris|fox)€"), tokenizer=tokenizer)
    token_ids: list[int] = []
    while sequence.grammar is not None and not sequence.grammar.is_complete:
        token_ids += write(sequence, 1, tokenizer=tokenizer)
    assert tokenizer.decode(token_ids, skip_special_tokens=True) in ("Paris€", "fox€")


def test_a_model_without_end_tokens_completes_a_grammar_by_its_text() -> None:
    tokenizer = Tokenizer(TOKENIZER.hf, vocab_size=V, end_token_ids=())
    sequence = constrained(regex("a"), tokenizer=tokenizer)
    finished = [sequence.is_finished]
    sequence.accept(ids_of("a")[0])
    assert [*finished, sequence.is_finished] == [False, True]
    assert not constrained(regex("a")).is_finished


def test_only_rows_with_a_grammar_are_masked() -> None:
    rows = logits(3, V)
    states = [constrained(regex("[0-9]")), state(TOKENIZER, GREEDY), constrained(regex("[a-c]"))]
    results = sample(TOKENIZER, rows, states)
    texts = [TOKENIZER.token_text(result.token_id) for result in results if isinstance(result, Sampled)]
    assert texts[0] in "0123456789"
    assert results[1] == Sampled(int(rows[1].argmax()))
    assert texts[2] in "abc"


def test_a_mask_leaves_the_logits_of_allowed_tokens_as_they_are() -> None:
    row = logits(1, V)[0]
    masked = row.clone()
    apply_grammar(masked, COMPILER.compile(regex("[ab]")).start())
    allowed = [*ids_of("a"), *ids_of("b")]
    assert torch.equal(masked[allowed], row[allowed])
    assert int((masked > -torch.inf).sum()) == 2


def test_logprobs_under_a_grammar_are_of_the_raw_logits() -> None:
    rows = logits(1, V)
    sequence = constrained(regex("[0-9]"), params=SamplingParams(temperature=0.0, num_logprobs=2))
    [sampled] = sample(TOKENIZER, rows, [sequence])
    assert isinstance(sampled, Sampled)
    assert sampled.logprob == pytest.approx(float(rows[0].log_softmax(-1)[sampled.token_id]), abs=1e-5)
    assert [token.token_id for token in sampled.top_logprobs] == rows[0].topk(2).indices.tolist()


def test_a_grammar_that_excludes_every_token_fails_its_row_alone() -> None:
    stopping = StopConditions(max_tokens=9, min_tokens=5)
    ended = constrained(regex("a"), stopping=stopping)
    ended.accept(ids_of("a")[0])  # nothing but the end may follow, and min_tokens forbids the end
    results = sample(TOKENIZER, logits(2, V), [ended, constrained(regex("a"))])
    assert isinstance(results[0], GenerationFailed)
    assert isinstance(results[1], Sampled)


def test_a_grammar_too_slow_to_follow_fails_its_row_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = Grammar(GrammarKind.EBNF, 'root ::= "a"+')
    slow, fast = constrained(rules), constrained(rules)
    with monkeypatch.context() as patch:
        patch.setattr("engine.grammar.ebnf.time_budget.MAX_STEP_S", -1.0)
        slow.accept(ids_of("a")[0])
    results = sample(TOKENIZER, logits(2, V), [slow, fast])
    assert isinstance(results[0], GenerationFailed)
    assert "too long" in str(results[0])
    assert isinstance(results[1], Sampled)


def test_sequences_of_one_grammar_do_not_share_their_progress() -> None:
    compiled = COMPILER.compile(regex("ab"))
    first, second = compiled.start(), compiled.start()
    first.accept(ids_of("a")[0])
    with pytest.raises(GenerationFailed):
        first.accept(ids_of("a")[0])
    second.accept(ids_of("a")[0])


def test_a_grammar_is_compiled_once_and_the_oldest_leaves_a_full_cache(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiler = GrammarCompiler(TOKENIZER)
    compiled = [compiler.compile(regex(f"a{number}+")) for number in range(3)]
    assert compiler.compile(regex("a0+")) is compiled[0]
    monkeypatch.setattr("engine.grammar.compiler.CACHE_BYTES", sum(one.num_bytes for one in compiled))
    compiler.compile(regex("b+"))
    assert compiler.compile(regex("a0+")) is compiled[0]  # used after a1+, which left
    assert compiler.compile(regex("a1+")) is not compiled[1]


def test_threads_may_compile_at_the_same_time() -> None:
    compiler = GrammarCompiler(TOKENIZER)
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda number: compiler.compile(regex(f"x{number % 5}y")), range(40)))
    assert all(accepts(compiled, f"x{number % 5}y") for number, compiled in enumerate(made))


def test_compiling_leaves_other_threads_running() -> None:
    source = "root ::= " + " | ".join(f'"w{number}x"' for number in range(9000))
    done = threading.Thread(target=lambda: COMPILER.compile(Grammar(GrammarKind.EBNF, source)))
    done.start()
    num_turns = 0
    while done.is_alive():
        time.sleep(0.001)
        num_turns += 1
    assert num_turns > 5


def test_what_is_generated_under_a_grammar_is_in_it() -> None:
    compiled = COMPILER.compile(Grammar(GrammarKind.JSON_OBJECT))
    texts = [text for seed in range(50) if (text := generate(compiled, seed)) is not None]
    assert texts
    assert all(isinstance(json.loads(text), dict) for text in texts)


def test_a_state_says_when_it_has_ended() -> None:
    sequence: GrammarMatcher = COMPILER.compile(regex("")).start()
    assert not sequence.is_complete
    sequence.accept(EOS)
    assert sequence.is_complete


def test_a_tag_that_allows_whitespace_keeps_to_rules_of_automata_too() -> None:
    """The arguments of a tool, for example."""
    properties = {
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        "code": {"type": "string", "pattern": "^[a-c]+$", "maxLength": 3},
    }
    schema = {"type": "object", "properties": properties, "required": ["tags", "code"]}
    call = {"type": "json_schema", "json_schema": schema, "max_whitespace_cnt": 1}
    elements = [
        {"type": "any_text", "excludes": ["<c>"]},
        {"type": "tag", "begin": "<c>", "content": call, "end": "</c>"},
    ]
    tag = {"type": "structural_tag", "format": {"type": "sequence", "elements": elements}}
    grammar = COMPILER.compile(Grammar(GrammarKind.STRUCTURAL_TAG, json.dumps(tag)))
    for text in (
        '[1, 1] ["a", "a"]<c>{"tags": ["a", "b"], "code": "abc"}</c>',
        '<c>{"tags":[],"code":"a"}</c>',
    ):
        assert accepts(grammar, text), text
    for text in (
        '<c>{"tags": ["a", "a"], "code": "abc"}</c>',
        '[<c>{"tags": ["a", "b", "a"], "code": "abc"}</c>',
        '<c>{"tags": [], "code": "abca"}</c>',
    ):
        assert not accepts(grammar, text), text


@pytest.mark.parametrize("pattern", ["a.b", "é.b", "a(?:.|x)b", r"a[^.\n\r\u2028\u2029]b"])
def test_a_dot_matches_no_end_of_a_line(pattern: str) -> None:
    grammar = COMPILER.compile(Grammar(GrammarKind.REGEX, pattern))
    first = pattern[0]
    assert [accepts(grammar, f"{first}{text}b") for text in ("x", "é", '"', "\n", "\r", "\u2028")] == [
        *(True,) * 3,
        *(False,) * 3,
    ]


@pytest.mark.parametrize("pattern", [r"a\.b", "a[.]b", r"a[^\]x.]b"])
def test_a_dot_that_is_no_sign_stays(pattern: str) -> None:
    grammar = COMPILER.compile(Grammar(GrammarKind.REGEX, pattern))
    assert accepts(grammar, "a.b") != pattern.startswith("a[^")
    assert accepts(grammar, "a\nb") == pattern.startswith("a[^")


def test_categories_of_unicode_are_honoured_outside_of_schemas() -> None:
    grammar = COMPILER.compile(Grammar(GrammarKind.REGEX, r"\p{Lu}\P{L}+"))
    assert [accepts(grammar, text) for text in ("É1", "é1", "Éa")] == [True, False, False]
    tag = {"type": "regex", "pattern": r"\p{Lu}.", "excludes": ["x"]}
    source = json.dumps({"type": "structural_tag", "format": {**tag}})
    tagged = COMPILER.compile(Grammar(GrammarKind.STRUCTURAL_TAG, source))
    assert [accepts(tagged, text) for text in ("Éa", "É\n", "éa")] == [True, False, False]
