"""The trial of one schema with one library, in a process of its own, which is ended if it takes too long."""

import json
import multiprocessing
import random
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, Protocol

import jsonschema_rs
import msgspec
import numpy as np
import numpy.typing as npt

from engine.port.text.tokenizer import Tokenizer
from tools.schema_corpus.contenders import Follower, Start
from tools.schema_corpus.corpus import Case
from tools.schema_corpus.layout import in_order

Bits = npt.NDArray[np.bool_]
"""Which tokens may come next, a boolean each."""

MAX_TOKENS: Final = 300
_MISSED_LENGTH: Final = 60  # characters
_ENDERS: Final = b'"}],'
_GRACE: Final = 3  # how many times as long a process may take as it may begin new texts
_DRAFTS: Final = {
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
    """The outcome of one trial. Times are seconds of the processor's.

    Lists of booleans say of each whether it was treated as it should be.

    refusal: the reason why the schema was refused; "" if it was not.
    valid, invalid: the instances of the case.
    texts: the drawn texts that came to their end.
    needed: the tokens that valid instances may go on with; right if they were allowed.
    probes: the allowed tokens that were tried, and gone on with to an end; right if the text is valid.
    wrong: invalid instances and texts that were let through. missed: the ends of valid instances up to where
        they were not accepted.
    """

    refusal: str = ""
    compile_s: float = 0.0
    mask_s: list[float] = []
    valid: list[bool] = []
    invalid: list[bool] = []
    texts: list[bool] = []
    needed: list[bool] = []
    probes: list[bool] = []
    wrong: list[str] = []
    missed: list[str] = []


class Plan(msgspec.Struct, frozen=True):
    """The amount that is tried of each schema.

    num_texts: texts drawn at random. num_probes: tokens at random places of valid texts. seconds: after
    which no new text is begun.
    """

    num_texts: int
    num_probes: int = 0
    seconds: float = 20.0


class TrialTokens:
    """The tokens of a vocabulary as trials need them."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.texts = [
            b"" if tokenizer.is_special(token_id) else tokenizer.token_bytes(token_id)
            for token_id in range(tokenizer.vocab_size)
        ]
        self._ids = {text: token_id for token_id, text in enumerate(self.texts) if text}
        self._longest = max(map(len, self.texts))
        self.ends = np.isin(np.arange(tokenizer.vocab_size), tokenizer.end_token_ids)
        self.closing = np.array([text[:1] in _ENDERS and bool(text) for text in self.texts])
        """Which tokens end something."""

    def encode(self, value: object) -> list[int]:
        """Return the ids of a value's text."""
        return self.tokenizer.encode(json.dumps(value, ensure_ascii=False), add_special_tokens=False)

    def text(self, token_ids: Sequence[int]) -> bytes:
        """Return the bytes of a text."""
        return b"".join(self.texts[token_id] for token_id in token_ids)

    def beginning(self, text: bytes) -> list[int]:
        """Return the ids of the tokens that the text begins with."""
        heads = (text[:length] for length in range(1, min(len(text), self._longest) + 1))
        return [self._ids[head] for head in heads if head in self._ids]


def try_apart(contender: Contender, case: Case, tokens: TrialTokens, plan: Plan) -> Outcome:
    """Try a case in a child process. A child that is too slow or dies counts as a refusal."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    context = multiprocessing.get_context("fork")
    child = context.Process(target=_send, args=(sender, contender, case, tokens, plan))
    child.start()
    sender.close()
    outcome = Outcome(refusal=f"takes more than {_GRACE * plan.seconds:g} s")
    with suppress(EOFError):
        if receiver.poll(_GRACE * plan.seconds):
            outcome.refusal = "its process died"
            outcome = msgspec.msgpack.decode(receiver.recv_bytes(), type=Outcome)
    child.kill()
    child.join()
    return outcome


def _send(sender: Any, contender: Contender, case: Case, tokens: TrialTokens, plan: Plan) -> None:
    sender.send_bytes(msgspec.msgpack.encode(try_case(contender, case, tokens, plan)))


def try_case(contender: Contender, case: Case, tokens: TrialTokens, plan: Plan) -> Outcome:
    """Compile the case's schema, follow its instances, draw texts, and try tokens inside of them."""
    until = time.process_time() + plan.seconds
    started = time.process_time()
    try:
        start = contender.compile(case.schema)
    except Exception as error:  # each library raises its own
        return Outcome(refusal=str(error) or type(error).__name__)
    trial = _Trial(start, case, tokens, Outcome(compile_s=time.process_time() - started))
    trial.follow_instances()
    for seed in range(plan.num_texts):
        if time.process_time() < until:
            trial.draw(seed)
    for seed in range(plan.num_probes if trial.valid_texts else 0):
        if time.process_time() < until:
            trial.probe(seed)
    return trial.outcome


def _validator(case: Case, are_formats_read: bool) -> Any:
    """Return the validator of the case's draft; of Draft 7 for a schema that is malformed otherwise."""
    make = _DRAFTS.get(case.draft, jsonschema_rs.validator_for)
    try:
        return make(case.schema, validate_formats=are_formats_read)
    except jsonschema_rs.ValidationError:
        return jsonschema_rs.Draft7Validator(case.schema, validate_formats=are_formats_read)


class _Trial:
    """The trial of a schema that a library has taken."""

    def __init__(self, start: Start, case: Case, tokens: TrialTokens, outcome: Outcome) -> None:
        self._start = start
        self._case = case
        self._tokens = tokens
        # A format may be read as an annotation or as a restriction; what is valid in one way counts as valid.
        self._validators = [_validator(case, are_formats_read) for are_formats_read in (False, True)]
        self.outcome = outcome
        self.valid_texts: list[list[int]] = []

    def follow_instances(self) -> None:
        """Count which instances are accepted, and which tokens of the valid ones are masked."""
        outcome = self.outcome
        for value in self._case.valid:
            token_ids = self._tokens.encode(in_order(value, self._case.schema))
            place = self._followed(token_ids, is_valid=True)
            outcome.valid.append(place > len(token_ids))
            if place > len(token_ids):
                self.valid_texts.append(token_ids)
            else:
                text = self._tokens.text(token_ids[: place + 1]).decode(errors="replace")
                end = " and its end" if place == len(token_ids) else ""
                outcome.missed.append(text[-_MISSED_LENGTH:] + end)
        for value in self._case.invalid:
            token_ids = self._tokens.encode(in_order(value, self._case.schema))
            outcome.invalid.append(self._followed(token_ids, is_valid=False) <= len(token_ids))
            if not outcome.invalid[-1]:
                outcome.wrong.append(json.dumps(value))

    def _followed(self, token_ids: list[int], *, is_valid: bool) -> int:
        """Return how many tokens were followed, and one more if the text may end there.

        At each place of a valid text, all tokens that its rest begins with have to be allowed.
        """
        follower = self._start()
        rest = self._tokens.text(token_ids)
        for place, token_id in enumerate(token_ids):
            allowed = self._allowed(follower)
            if is_valid:
                self.outcome.needed += allowed[self._tokens.beginning(rest)].tolist()
            if not allowed[token_id]:
                return place
            follower.accept(token_id)
            rest = rest[len(self._tokens.texts[token_id]) :]
        may_end = bool((self._allowed(follower) & self._tokens.ends).any())
        self.outcome.needed += [may_end] if is_valid else []
        return len(token_ids) + may_end

    def draw(self, seed: int) -> None:
        """Draw a text, and count whether it is valid."""
        token_ids = self._drawn(self._start(), random.Random(seed), [])
        if token_ids is not None:
            self.outcome.texts.append(self._is_valid(token_ids))
            self.valid_texts += [token_ids] if self.outcome.texts[-1] else []

    def probe(self, seed: int) -> None:
        """Try an allowed token at a place of a valid text: go on at random, and count whether the text is
        valid."""
        generator = random.Random(seed)
        text = generator.choice(self.valid_texts)
        before = text[: generator.randint(0, len(text))]
        follower = self._start()
        for token_id in before:
            follower.accept(token_id)
        token_ids = self._drawn(follower, generator, before, is_free=True)
        if token_ids is not None:
            self.outcome.probes.append(self._is_valid(token_ids))

    def _drawn(
        self, follower: Follower, generator: random.Random, before: list[int], *, is_free: bool = False
    ) -> list[int] | None:
        """Return a text of tokens drawn at random, those that end something more often; None without an end.

        is_free: whether the first of them is any that is allowed.
        """
        token_ids = [*before]
        while len(token_ids) < len(before) + MAX_TOKENS:
            allowed = self._allowed(follower)
            is_first = is_free and len(token_ids) == len(before)
            if not is_first and generator.random() < 0.6:
                ends = allowed & self._tokens.ends
                closing = ends if ends.any() else allowed & self._tokens.closing
                allowed = closing if closing.any() else allowed
            choices = np.flatnonzero(allowed)
            if not len(choices):
                return None
            chosen = int(choices[generator.randrange(len(choices))])
            if self._tokens.ends[chosen]:
                return token_ids
            token_ids.append(chosen)
            follower.accept(chosen)
        return None

    def _allowed(self, follower: Follower) -> Bits:
        started = time.process_time()
        words = follower.mask()
        self.outcome.mask_s.append(time.process_time() - started)
        bits = np.unpackbits(words.view(np.uint8), bitorder="little")
        return bits[: len(self._tokens.texts)].view(np.bool_)

    def _is_valid(self, token_ids: list[int]) -> bool:
        text = self._tokens.text(token_ids)
        try:
            value = json.loads(text)
            is_valid = any(validator.is_valid(value) for validator in self._validators)
        except ValueError:  # no JSON, or no UTF-8
            is_valid = False
        if not is_valid:
            self.outcome.wrong.append(text.decode(errors="replace"))
        return is_valid
