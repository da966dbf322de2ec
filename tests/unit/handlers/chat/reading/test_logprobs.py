from msgspec.structs import replace

from engine.port.events import TokenEvent, TokenLogprob
from engine.port.text.tokenizer import Tokenizer
from handlers.chat.reading.logprobs import LEAST_LOGPROB, bounded, scored_tokens
from tests.unit.engine.port.text.tiny_tokenizers import byte_level
from tests.unit.handlers.chat.events import events_of


def scored(tokenizer: Tokenizer, text: str) -> list[TokenEvent]:
    token_ids = tokenizer.encode(text, add_special_tokens=False)
    events = events_of(["?"] * len(token_ids))
    return [replace(event, token_id=id) for event, id in zip(events, token_ids, strict=False)]


def test_the_bytes_of_the_tokens_joined_are_the_text_though_a_character_is_spread_over_them() -> None:
    tokens = scored_tokens(scored(byte_level(), "the 😀 café"), tokenizer := byte_level())
    assert b"".join(token.bytes for token in tokens).decode() == "the 😀 café"
    assert any("\ufffd" in token.text for token in tokens)
    assert all(tokenizer.token_bytes(token.token_id) == token.bytes for token in tokens)


def test_a_token_and_the_likeliest_in_its_place_are_told_alike() -> None:
    tokenizer = byte_level()
    [event] = scored(tokenizer, " the")
    top = TokenLogprob(event.token_id, "the", -0.5, False)
    [token] = scored_tokens([replace(event, logprob=-0.5, top_logprobs=(top,))], tokenizer)
    [likeliest] = token.top
    assert (likeliest.text, likeliest.bytes, likeliest.logprob) == (token.text, token.bytes, token.logprob)
    assert (token.text, token.bytes) == (" the", b" the")


def test_a_log_probability_is_a_number_that_json_has() -> None:
    assert [bounded(None), bounded(float("-inf")), bounded(-1.5)] == [LEAST_LOGPROB, LEAST_LOGPROB, -1.5]
