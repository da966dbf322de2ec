"""Rows of equal length filled with whole documents, each of which attends to itself alone."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from tools.demo_model.corpus import Document

_POOL = 96


@dataclass(frozen=True)
class Batch:
    """Packed rows, all [num_rows, row_length]; `owners` numbers the documents in a row, -1 being padding.

    branches: as of a document, 0 where it has none. pictures: those of all documents, in the order in which
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
    tokens, positions, targets = (torch.zeros(shape, dtype=torch.long) for _ in range(3))
    owners, weights = torch.full(shape, -1), torch.zeros(shape)
    branches = torch.zeros(shape, dtype=torch.long)
    for i, row in enumerate(rows):
        start = 0
        for owner, document in enumerate(row):
            length = len(document.tokens)
            ids = torch.tensor(document.tokens)
            tokens[i, start : start + length] = ids
            positions[i, start : start + length] = torch.tensor(document.positions())
            owners[i, start : start + length] = owner
            if document.branches:
                branches[i, start : start + length] = torch.tensor(document.branches)
            targets[i, start : start + length - 1] = ids[1:]
            weights[i, start : start + length - 1] = torch.tensor(document.weights[1:])
            start += length
    pictures = tuple(picture for row in rows for document in row for picture in document.pictures)
    return Batch(tokens, positions, owners, targets, weights, branches, pictures)


def batches(source: Iterator[Document], num_rows: int, row_length: int) -> Iterator[Batch]:
    """Batches without end; documents longer than a row are left out."""
    pool: list[Document] = []
    while True:
        rows: list[list[Document]] = []
        while len(rows) < num_rows:
            while len(pool) < _POOL:
                document = next(source)
                if len(document.tokens) <= row_length:
                    pool.append(document)
            rows.append(_fill(pool, row_length))
        yield _batch(rows, row_length)
