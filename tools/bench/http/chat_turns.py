"""Measure rendering and tokenizing a conversation's next turn, with and without cached tokens, by turns."""

import argparse
import random
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final

from msgspec.structs import replace

from engine.demo_model import DEMO_MODEL
from engine.port.request import SamplingParams
from engine.port.text.tokenizer import Tokenizer
from handlers.chat.core import ChatCore
from handlers.chat.messages import ChatMessage
from handlers.chat.params import ChatParams
from tools.bench.table import Row, print_table

_WORDS_IN_MESSAGE: Final = 120
_WORDS: Final = (Path(__file__).parents[3] / "README.md").read_text().split()


async def run(arguments: argparse.Namespace) -> list[Row]:
    tokenizer = Tokenizer.from_directory(DEMO_MODEL, vocab_size=2**16, end_token_ids=())
    chances = random.Random(0)
    rows = [_row(tokenizer, num_tokens, arguments.rounds, chances) for num_tokens in arguments.tokens]
    print_table(rows)
    return rows


def _row(tokenizer: Tokenizer, num_tokens: int, num_rounds: int, chances: random.Random) -> Row:
    """Return the times for adding two messages to a conversation of `num_tokens`."""
    whole = ChatCore(tokenizer, max_total_tokens=2**30)
    kept = ChatCore(tokenizer, max_total_tokens=2**30, private_salt=_no_salt)
    messages = _conversation(tokenizer, num_tokens, chances)
    times: list[tuple[float, float, float]] = []
    num_encoded = 0
    for _ in range(num_rounds):
        _seconds(kept, messages)
        turn = [*messages, _message("assistant", chances), _message("user", chances)]
        whole_s, num_encoded = _seconds(whole, turn)
        next_s, num_same = _seconds(kept, turn)
        assert num_same == num_encoded
        times.append((whole_s, next_s, _seconds(kept, turn)[0]))
    return {
        "tokens": float(num_encoded),
        "messages": float(len(messages) + 2),
        "whole_ms": 1e3 * median(whole for whole, _, _ in times),
        "next_ms": 1e3 * median(following for _, following, _ in times),
        "again_ms": 1e3 * median(again for _, _, again in times),
        "next_x": median(following / whole for whole, following, _ in times),
    }


def _no_salt(given: str | None) -> str | None:
    return given


def _conversation(tokenizer: Tokenizer, num_tokens: int, chances: random.Random) -> list[ChatMessage]:
    messages = [_message("user", chances)]
    num = 0
    while num < num_tokens:
        messages += [_message("assistant", chances), _message("user", chances)]
        num += sum(len(tokenizer.encode(str(message.content))) for message in messages[-2:])
    return messages


def _message(role: str, chances: random.Random) -> ChatMessage:
    return ChatMessage(role=role, content=" ".join(chances.choices(_WORDS, k=_WORDS_IN_MESSAGE)))


def _seconds(core: ChatCore, messages: Sequence[ChatMessage]) -> tuple[float, int]:
    """Prepare a chat; return the seconds that this took, and its number of tokens."""
    chat = replace(_CHAT, messages=tuple(messages))
    started = perf_counter()
    prepared = core.prepare(chat)
    return perf_counter() - started, len(prepared.request.prompt.token_ids)


_CHAT: Final = ChatParams(request_id="", messages=(), sampling=SamplingParams())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tokens", type=int, nargs="+", default=[0, 1_000, 10_000, 50_000], help="minimum tokens"
    )
    parser.add_argument("--rounds", type=int, default=15, help="rounds, of which medians are reported")
