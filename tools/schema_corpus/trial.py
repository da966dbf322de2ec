"""The trial of one schema with one library, in a process of its own, which is ended if it takes too long."""

import json
import multiprocessing
import random
import time
from contextlib import suppress
from typing import Any, Protocol

import jsonschema_rs
import msgspec

from engine.port.text.tokenizer import Tokenizer
from tools.schema_corpus.contenders import Follower, Start
from tools.schema_corpus.corpus import Case

MAX_TOKENS = 300
_MISSED_LENGTH = 60  # characters
_ENDERS = frozenset('"}],')
_DRAFTS = {
    "draft4": jsonschema_rs.Draft4Validator,
    "draft6": jsonschema_rs.Draft6Validator,
    "draft7": jsonschema_rs.Draft7Validator,
    "draft2019-09": jsonschema_rs.Draft201909Validator,
    "draft2020-12": jsonschema_rs.Draft202012Validator,
}


class Contender(Protocol):
    name: str

    def compile(self, schema: Any) -> Start:
        """Compile a schema. Raises any exception to refuse it."""
        ...


class Outcome(msgspec.Struct):
    """The outcome of one trial.

    refusal: the reason why the schema was refused; "" if it was not.
    num_valid, num_invalid: the instances of the case; num_accepted and num_rejected: those of each that were
        treated as they should be.
    num_texts: the drawn texts that came to their end; num_good: those of them that are valid.
    wrong: invalid instances and texts that were let through. missed: the ends of valid instances up to where
        they were not accepted.
    """

    refusal: str = ""
    compile_s: float = 0.0
    num_valid: int = 0
    num_accepted: int = 0
    num_invalid: int = 0
    num_rejected: int = 0
    num_texts: int = 0
    num_good: int = 0
    wrong: list[str] = []
    missed: list[str] = []


def try_apart(
    contender: Contender, case: Case, tokenizer: Tokenizer, *, num_texts: int, timeout_s: float
) -> Outcome:
    """Try a case in a child process. A child that is too slow or dies counts as a refusal."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    context = multiprocessing.get_context("fork")
    child = context.Process(target=_send, args=(sender, contender, case, tokenizer, num_texts))
    child.start()
    sender.close()
    outcome = Outcome(refusal=f"takes more than {timeout_s:g} s")
    with suppress(EOFError):
        if receiver.poll(timeout_s):
            outcome.refusal = "its process died"
            outcome = msgspec.msgpack.decode(receiver.recv_bytes(), type=Outcome)
    child.kill()
    child.join()
    return outcome


def _send(sender: Any, contender: Contender, case: Case, tokenizer: Tokenizer, num_texts: int) -> None:
    sender.send_bytes(msgspec.msgpack.encode(try_case(contender, case, tokenizer, num_texts=num_texts)))


def try_case(contender: Contender, case: Case, tokenizer: Tokenizer, *, num_texts: int) -> Outcome:
    """Compile the case's schema, follow its instances, and draw texts."""
    started = time.perf_counter()
    try:
        start = contender.compile(case.schema)
    except Exception as error:  # each library raises its own
        return Outcome(refusal=str(error) or type(error).__name__)
    outcome = Outcome(compile_s=time.perf_counter() - started)
    for value in case.valid:
        outcome.num_valid += 1
        missed = _first_missed(start(), value, tokenizer)
        outcome.num_accepted += missed is None
        if missed is not None:
            outcome.missed.append(missed)
    for value in case.invalid:
        outcome.num_invalid += 1
        is_rejected = _first_missed(start(), value, tokenizer) is not None
        outcome.num_rejected += is_rejected
        if not is_rejected:
            outcome.wrong.append(json.dumps(value))
    validator = _DRAFTS.get(case.draft, jsonschema_rs.validator_for)(case.schema)
    for seed in range(num_texts):
        text = _draw(start(), seed, tokenizer)
        if text is not None:
            outcome.num_texts += 1
            is_good = _is_valid(validator, text)
            outcome.num_good += is_good
            if not is_good:
                outcome.wrong.append(text)
    return outcome


def _is_valid(validator: Any, text: str) -> bool:
    try:
        return bool(validator.is_valid(json.loads(text)))
    except ValueError:
        return False


def _first_missed(follower: Follower, value: object, tokenizer: Tokenizer) -> str | None:
    """Return the end of the value's text up to the first token that is not allowed; None if all are."""
    token_ids = tokenizer.encode(json.dumps(value, ensure_ascii=False), add_special_tokens=False)
    for place, token_id in enumerate(token_ids):
        if not follower.allowed()[token_id]:
            return tokenizer.decode(token_ids[: place + 1], skip_special_tokens=True)[-_MISSED_LENGTH:]
        follower.accept(token_id)
    if follower.allowed()[list(tokenizer.end_token_ids)].any():
        return None
    return tokenizer.decode(token_ids, skip_special_tokens=True)[-_MISSED_LENGTH:] + " and its end"


def _draw(follower: Follower, seed: int, tokenizer: Tokenizer) -> str | None:
    """Return a text of tokens drawn at random, those that end something more often; None without an end."""
    generator = random.Random(seed)
    token_ids: list[int] = []
    while len(token_ids) < MAX_TOKENS:
        allowed = [int(token_id) for token_id in follower.allowed().nonzero()[0]]
        if not allowed:
            return None
        ends = [one for one in allowed if one in tokenizer.end_token_ids]
        closing = ends or [one for one in allowed if tokenizer.token_text(one)[:1] in _ENDERS]
        chosen = generator.choice(closing if closing and generator.random() < 0.6 else allowed)
        if chosen in tokenizer.end_token_ids:
            return tokenizer.decode(token_ids, skip_special_tokens=True)
        token_ids.append(chosen)
        follower.accept(chosen)
    return None
