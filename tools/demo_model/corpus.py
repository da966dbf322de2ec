"""Documents for training: dialogues as the chat template renders them, and plain text; packed into rows."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import groupby, islice
from pathlib import Path
from typing import Final, NamedTuple

import torch
from jinja2 import Template
from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenizers import Tokenizer
from torch import Tensor

from tools.demo_model.dialogue import Dialogue, parts_of
from tools.demo_model.recipe import FROM_NOTHING, Blend
from tools.demo_model.scribe import Scribe, Split
from tools.demo_model.skills.mixture import dialogue
from tools.demo_model.skills.plain import plain_text
from tools.demo_model.tokenizer import END_OF_TEXT, END_OF_TURN

CHAT_TEMPLATE: Final = Path(__file__).with_name("chat_template.jinja")
_REPLY: Final = "<|im_start|>assistant\n"
_NO_THOUGHT: Final = "<think>\n\n</think>\n\n"
_THINKING_SHARE: Final = 0.35
_PLAIN_SHARE: Final = 0.08
REPLY_WEIGHT: Final = 1.0
PROMPT_WEIGHT: Final = 0.1
# A model that learnt to write the empty block would skip its thoughts when thinking is on; one that learnt to
# write what grammars force would call tools and write forms unasked.
GIVEN_WEIGHT: Final = 0.0


@dataclass(frozen=True)
class Document:
    """Token ids and, for each of them, the weight of the loss of predicting it.

    pictures: what the tower of a vision model reads of each picture in the text; a text model has none.
    branches: the number of each token's branch, where a document goes on in several ways that do not see each
    other; 0 for the tokens before them, which all of them see. A document without branches has no numbers.
    """

    tokens: list[int]
    weights: list[float]
    pictures: tuple[Tensor, ...] = ()
    branches: tuple[int, ...] = ()

    def positions(self) -> list[int]:
        """Return each token's position among those that it sees: each branch goes on from what all see."""
        num_shared = self.branches.count(0) if self.branches else len(self.tokens)
        positions = list(range(num_shared))
        for _, branch in groupby(self.branches[num_shared:]):
            positions += range(num_shared, num_shared + len(list(branch)))
        return positions


class Segment(NamedTuple):
    """A stretch of text and the weight of its tokens in the loss; the model's own replies weigh the most."""

    text: str
    weight: float


@cache
def _template() -> Template:
    """Return the chat template with JSON as transformers renders it: no HTML escapes, keys in their order."""
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    environment.filters["tojson"] = partial(json.dumps, ensure_ascii=False)
    return environment.from_string(CHAT_TEMPLATE.read_text(encoding="utf-8"))


def render(talk: Dialogue) -> str:
    """The whole dialogue as the chat template writes it."""
    return _template().render(messages=talk.messages(), tools=list(talk.tools) or None)


def segments(text: str) -> Iterator[Segment]:
    """Split a rendered dialogue into what is given and what the model writes.

    An empty think block is given: with thinking off it ends the prompt, with thinking on it never is.
    """
    given, *replies = text.split(_REPLY)
    for reply in replies:
        yield Segment(given + _REPLY, PROMPT_WEIGHT)
        if reply.startswith(_NO_THOUGHT):
            yield Segment(_NO_THOUGHT, GIVEN_WEIGHT)
            reply = reply.removeprefix(_NO_THOUGHT)
        own, _, given = reply.partition(END_OF_TURN)
        for at, part in enumerate(parts_of(own + END_OF_TURN)):
            if part:
                yield Segment(part, GIVEN_WEIGHT if at % 2 else REPLY_WEIGHT)
    yield Segment(given, PROMPT_WEIGHT)


def document(tokenizer: Tokenizer, parts: Iterable[Segment]) -> Document:
    """Return the segments as one document without pictures."""
    tokens: list[int] = []
    weights: list[float] = []
    for part in parts:
        ids = tokenizer.encode(part.text, add_special_tokens=False).ids
        tokens += ids
        weights += [part.weight] * len(ids)
    return Document(tokens, weights)


def _parts(seed: int, blend: Blend) -> Iterator[list[Segment]]:
    """Documents without end, fixed by the seed."""
    scribe = Scribe(seed, Split.SEEN)
    while True:
        if scribe.chance(_PLAIN_SHARE):
            yield [Segment(plain_text(scribe) + END_OF_TEXT, REPLY_WEIGHT)]
            continue
        talk = dialogue(scribe, blend)
        if not scribe.chance(_THINKING_SHARE):
            talk = talk.without_thoughts()
        yield list(segments(render(talk)))


def documents(tokenizer: Tokenizer, seed: int, blend: Blend) -> Iterator[Document]:
    """Training documents without end, fixed by the seed."""
    return (document(tokenizer, parts) for parts in _parts(seed, blend))


def texts(seed: int) -> Iterator[str]:
    """Documents of a run from nothing as text, for the tokenizer's training."""
    return ("".join(part.text for part in parts) for parts in _parts(seed, FROM_NOTHING.curriculum[1]))


_POOL = 96


@dataclass(frozen=True)
class Batch:
    """Packed rows, all [num_rows, row_length]; `owners` numbers the documents in a row, -1 being padding.

    branches: those of the documents. pictures: those of all documents, in the order in which
    the rows read on.
    """

    tokens: Tensor
    positions: Tensor
    owners: Tensor
    targets: Tensor
    weights: Tensor
    branches: Tensor
    pictures: tuple[Tensor, ...] = ()

    def mask(self) -> Tensor:
        """The mask of attention: causal, within a document, and within a branch or from it to what all see.

        bool [num_rows, 1, row_length, row_length]
        """
        same = self.owners[:, :, None] == self.owners[:, None, :]
        read = self.branches[:, None, :]
        seen = (read == self.branches[:, :, None]).logical_or_(read == 0)
        return torch.ones_like(same).tril_().logical_and_(same).logical_and_(seen)[:, None]


def _fill(pool: list[Document], row_length: int) -> list[Document]:
    """Take the longest documents that still fit, but the first in line in any case, lest it never goes in."""
    row = [pool.pop(0)]
    space = row_length - len(row[0].tokens)
    for document in sorted(pool, key=lambda d: -len(d.tokens)):
        if len(document.tokens) <= space:
            row.append(document)
            pool.remove(document)
            space -= len(document.tokens)
    return row


def _batch(rows: list[list[Document]], row_length: int) -> Batch:
    shape = (len(rows), row_length)
    tokens, positions, targets, branches = (torch.zeros(shape, dtype=torch.long) for _ in range(4))
    owners, weights = torch.full(shape, -1), torch.zeros(shape)
    for i, row in enumerate(rows):
        start = 0
        for owner, document in enumerate(row):
            end = start + len(document.tokens)
            tokens[i, start:end] = torch.tensor(document.tokens)
            positions[i, start:end] = torch.tensor(document.positions())
            owners[i, start:end] = owner
            branches[i, start:end] = torch.tensor(document.branches or 0)
            targets[i, start : end - 1] = tokens[i, start + 1 : end]
            weights[i, start : end - 1] = torch.tensor(document.weights[1:])
            start = end
    pictures = tuple(picture for row in rows for document in row for picture in document.pictures)
    return Batch(tokens, positions, owners, targets, weights, branches, pictures)


def batches(source: Iterator[Document], num_rows: int, row_length: int) -> Iterator[Batch]:
    """Batches without end; documents longer than a row are left out."""
    fitting = (document for document in source if len(document.tokens) <= row_length)
    pool: list[Document] = []
    while True:
        rows = []
        for _ in range(num_rows):
            pool += islice(fitting, _POOL - len(pool))
            rows.append(_fill(pool, row_length))
        yield _batch(rows, row_length)
