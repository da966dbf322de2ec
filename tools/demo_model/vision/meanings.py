"""The meanings of labels of patches to the text model, and their place in the rows of a trained tower."""

from collections.abc import Sequence
from itertools import islice
from typing import Final

import torch
from tokenizers import Tokenizer
from torch import Tensor

from tools.demo_model.vision.scene import DIGITS, KINDS, random_scene
from tools.demo_model.vision.tower import COLOUR_NAMES, MAX_COUNT, NUM_COUNTS, Labeller, labelled_batches

SEED_OF_WORDS: Final = 20_900_000
_NUM_BATCHES: Final = 12
_CLEAR: Final = 0.8
_FAINT: Final = 0.5
"""Shares of a meaning in a row, in which a kind and a colour have 1: of places, counts and the centre, and of
what many patches mean alike."""
_OPINIONS: Final = range(2, 3 + NUM_COUNTS)
"""The labels of which the heads' preferences reach the text model: places and counts."""


def put_into_words(labeller: Labeller, tokenizer: Tokenizer, embeddings: Tensor) -> None:
    """Make each row the sum of the embeddings of the words for what its patch shows, as nearly as it can be.

    So the text model, which can find and copy words, meets words. The map from rows to those sums is linear,
    by least squares over drawings as questions are about, so it becomes part of the projector's last layer.
    That names one place in seven wrongly, which the heads do not; so what they make of places and counts is
    added, in directions of its own. embeddings: the text model's, [vocabulary_size, hidden_size].
    """
    meanings = meanings_of(tokenizer, embeddings)
    last = labeller.reader.projector.linear_2
    width = embeddings.shape[1]
    gram, moments = torch.zeros(width + 1, width + 1).double(), torch.zeros(width + 1, width).double()
    shown = []
    with torch.no_grad():
        for batch in islice(labelled_batches(SEED_OF_WORDS, random_scene), _NUM_BATCHES):
            rows = labeller.reader(batch.pixels).flatten(0, 1)
            shown.append(rows[batch.labels[..., 0].flatten() > 0])
            inputs = torch.cat([rows, torch.ones(len(rows), 1)], 1).double()
            gram += inputs.T @ inputs
            moments += inputs.T @ meant(batch.labels, meanings).flatten(0, 1).double()
        gram += 1e-6 * gram.diagonal().mean() * torch.eye(width + 1)
        solution = torch.linalg.solve(gram, moments).float()
        opinions = _opinions(labeller, torch.cat(shown), embeddings)
        matrix = solution[:-1].T + opinions
        offset = solution[-1] - opinions @ torch.cat(shown).mean(0)
        last.weight.copy_(matrix @ last.weight)
        last.bias.copy_(matrix @ last.bias + offset)


def _opinions(labeller: Labeller, shown: Tensor, embeddings: Tensor) -> Tensor:
    """Return the map from rows to what the heads of places and counts prefer, a direction for each value.

    shown: rows of patches that show something, [num_rows, hidden_size].
    """
    length = embeddings.norm(dim=1).mean()
    heads = [labeller.heads[i].get_parameter("weight")[1:] for i in _OPINIONS]
    directions = iter(_directions(len(shown.T), sum(map(len, heads)), seed=3))
    maps = [torch.stack([next(directions) for _ in head]).T @ (head - head.mean(0)) for head in heads]
    spread = shown - shown.mean(0)
    shares = [_CLEAR * length / (spread @ one.T).norm(dim=1).mean() for one in maps]
    return torch.stack([share * one for share, one in zip(shares, maps, strict=True)]).sum(0)


def _directions(width: int, number: int, seed: int) -> Tensor:
    """Return orthonormal directions, always the same ones. [number, width]"""
    random = torch.randn(width, number, generator=torch.Generator().manual_seed(seed))
    directions: Tensor = torch.linalg.qr(random).Q.T
    return directions


def meant(labels: Tensor, meanings: Sequence[Tensor]) -> Tensor:
    """Return the sum of the meanings of each patch's labels, [num_pictures, NUM_PATCHES, hidden_size]."""
    return torch.stack([meaning[labels[..., i]] for i, meaning in enumerate(meanings)]).sum(0)


def meanings_of(tokenizer: Tokenizer, embeddings: Tensor) -> list[Tensor]:
    """Return the vectors that each label's values mean, [num_values, hidden_size] a label.

    They are embeddings of words; the row in the middle and a figure's centre, which have no word, mean
    directions of their own, and counts nothing. An empty patch means "picture", so that no row is so short
    that a norm enlarges noise.
    """
    length = embeddings.norm(dim=1).mean()
    middle, centre = _directions(embeddings.shape[1], 2, seed=2) * length

    def word(name: str) -> Tensor:
        embedding = embeddings[tokenizer.encode(name).ids].mean(0).detach()
        scaled: Tensor = embedding * (length / embedding.norm())
        return scaled

    kinds = [word(kind) + _FAINT * word("digit" if kind in DIGITS else "shape") for kind in KINDS]
    rows = (word("top"), middle, word("bottom"))
    columns = (word("left"), word("middle"), word("right"))
    places = [_CLEAR * (row + column) for row in rows for column in columns]
    counts = [[torch.zeros_like(middle)] * MAX_COUNT] * NUM_COUNTS
    named = (kinds, [word(name) for name in COLOUR_NAMES], places, *counts, [_CLEAR * centre])
    meanings = [torch.stack([torch.zeros_like(middle), *values]) for values in named]
    meanings[0] += _FAINT * word("picture")
    return [meaning.detach() for meaning in meanings]
