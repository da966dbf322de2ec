"""The training of a vision model, in stages.

The tower learns to name what each patch of a drawing shows, its rows are put into words, and the text model
learns to read them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, pad
from transformers import LlavaForConditionalGeneration
from typing_extensions import override

from tools.demo_model.corpus import Batch, batches
from tools.demo_model.recipe import Schedule
from tools.demo_model.scribe import Scribe, Split
from tools.demo_model.training import autocast, fit, mean_loss
from tools.demo_model.vision.corpus import picture_documents
from tools.demo_model.vision.model import (
    NUM_PATCHES,
    PATCHES_A_SIDE,
    PictureReader,
    pixels,
    tokenizer_with_images,
)
from tools.demo_model.vision.recipe import CROWDED_SHARE, LARGE_SHARE, NUM_THREADS, PICTURES_A_TOWER_BATCH
from tools.demo_model.vision.scene import (
    COLOURS,
    DIGITS,
    KINDS,
    PLACES,
    Figure,
    Make,
    Scene,
    crowded_scene,
    draw,
    large_scene,
    random_scene,
)

_RADIUS: Final = 0.45
"""Within which a patch belongs to a figure, in shares of the figure's size."""
COLOUR_NAMES: Final = tuple(COLOURS)
_NUM_COLUMNS: Final = len(PLACES[0])
MAX_COUNT: Final = 4
_COUNT_VALUES: Final = MAX_COUNT + 1
NUM_COUNTS: Final = 4
_NUM_VALUES: Final = (
    len(KINDS) + 1,
    len(COLOURS) + 1,
    len(PLACES) * _NUM_COLUMNS + 1,
    *[_COUNT_VALUES] * NUM_COUNTS,
    2,
)
"""The number of values of each label of a patch, 0 being none: kind, colour and place of its figure; how many
shapes there are of its kind, of its colour, of both, and of any; whether its centre is in the patch."""


@dataclass(frozen=True)
class Labelled:
    """Pictures and what their patches show.

    pixels: float32 [num_pictures, 3, EDGE, EDGE]. labels: int64 [num_pictures, NUM_PATCHES, num_labels].
    """

    pixels: Tensor
    labels: Tensor


class Labeller(nn.Module):
    """A model's tower and projector before linear layers that name patches, which only this stage has."""

    def __init__(self, model: LlavaForConditionalGeneration) -> None:
        super().__init__()
        self.reader = PictureReader(model)
        torch.manual_seed(1)
        width = model.model.language_model.config.hidden_size
        self.heads = nn.ModuleList(nn.Linear(width, num_values) for num_values in _NUM_VALUES)

    @override
    def forward(self, pixels: Tensor) -> list[Tensor]:
        """Return the logits of each label, each [num_pictures, NUM_PATCHES, num_values]."""
        rows = self.reader(pixels)
        return [head(rows) for head in self.heads]


def labels_of(scene: Scene) -> Tensor:
    """Return the labels of the patches of a drawing padded to a square. int64 [NUM_PATCHES, num_labels]"""
    labels = torch.zeros(PATCHES_A_SIDE, PATCHES_A_SIDE, len(_NUM_VALUES), dtype=torch.long)
    edge, side = min(scene.width, scene.height), max(scene.width, scene.height)
    patches = PATCHES_A_SIDE * edge / side  # in the length that figures are measured by
    left, top = ((side - length) / 2 * PATCHES_A_SIDE / side for length in (scene.width, scene.height))
    middles = torch.arange(PATCHES_A_SIDE) + 0.5
    for figure in scene.figures:
        x, y = figure.x * patches + left, figure.y * patches + top
        is_inside = (middles - x)[None, :] ** 2 + (middles - y)[:, None] ** 2 < (
            _RADIUS * figure.size * patches
        ) ** 2
        named = _names_of(figure, scene)
        labels[is_inside] = torch.tensor((*named, 0))
        labels[int(y), int(x)] = torch.tensor((*named, 1))
    return labels.flatten(0, 1)


def _names_of(figure: Figure, scene: Scene) -> tuple[int, ...]:
    """Return a figure's labels but for that of its centre."""
    shapes = [each for each in scene.figures if not (each.is_digit or figure.is_digit)]
    counts = (
        sum(each.kind == figure.kind for each in shapes),
        sum(each.colour == figure.colour for each in shapes),
        sum(each.name == figure.name for each in shapes),
        len(shapes),
    )
    return (
        KINDS.index(figure.kind) + 1,
        COLOUR_NAMES.index(figure.colour) + 1,
        figure.row * _NUM_COLUMNS + figure.column + 1,
        *(min(count, MAX_COUNT) for count in counts),
    )


def _scene(scribe: Scribe) -> Scene:
    """Return a scene to learn from, often one with more figures than questions are about, or a large one."""
    makes = (crowded_scene, large_scene, random_scene)
    shares = (CROWDED_SHARE, LARGE_SHARE, 1 - CROWDED_SHARE - LARGE_SHARE)
    return scribe.random.choices(makes, shares)[0](scribe)


def labelled_batches(seed: int, make: Make = _scene) -> Iterator[Labelled]:
    """Batches of drawings without end, fixed by the seed. make: draws a scene's content."""
    scribe = Scribe(seed, Split.SEEN)
    while True:
        scenes = [make(scribe) for _ in range(PICTURES_A_TOWER_BATCH)]
        drawn = torch.stack([pixels(draw(scene)) for scene in scenes])
        yield Labelled(drawn, torch.stack([labels_of(scene) for scene in scenes]))


def train_tower(
    model: LlavaForConditionalGeneration, directory: Path, schedule: Schedule, resume: Path | None
) -> Path:
    """Train a model's tower and projector in place and return the last checkpoint."""
    labeller = Labeller(model)

    def loss_of(batch: Labelled) -> Tensor:
        with autocast():
            outputs = labeller(batch.pixels)
        losses = [
            cross_entropy(logits.float().flatten(0, 1), batch.labels[..., i].flatten())
            for i, logits in enumerate(outputs)
        ]
        return torch.stack(losses).sum()

    return fit(labeller, loss_of, labelled_batches, directory, schedule, resume, NUM_THREADS)


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


def embedded(embeddings: Tensor, is_image: Tensor, rows: Tensor) -> Tensor:
    """Return embeddings in which the tokens of images have the rows of pictures, in order.

    embeddings: [num_rows, row_length, hidden_size]. is_image: [num_rows, row_length]. rows: at least as many
    as there are such tokens, [num_pictures, NUM_PATCHES, hidden_size].
    """
    places = (is_image.flatten().cumsum(0) - 1).clamp(min=0)
    placed = rows.flatten(0, 1)[places].view_as(embeddings)
    return torch.where(is_image[..., None], placed.to(embeddings.dtype), embeddings)


def _loss_of(model: LlavaForConditionalGeneration) -> Callable[[Batch], Tensor]:
    """Return what computes a batch's loss; after the tower it is compiled, for as many rows as may come."""
    reader, text, head = PictureReader(model), model.model.language_model, model.lm_head
    image_token_id = model.config.image_token_index

    def loss_of_text(
        tokens: Tensor, rows: Tensor, positions: Tensor, mask: Tensor, targets: Tensor, weights: Tensor
    ) -> Tensor:
        with autocast():
            inputs = embedded(text.embed_tokens(tokens), tokens == image_token_id, rows)
            # [num_rows, row_length, hidden_size]
            hidden = text(
                inputs_embeds=inputs, position_ids=positions, attention_mask=mask, use_cache=False
            ).last_hidden_state
            logits = head(hidden)
        return mean_loss(logits, targets, weights)

    compiled: Callable[..., Tensor] = torch.compile(loss_of_text, dynamic=False)

    def loss(batch: Batch) -> Tensor:
        with autocast():
            rows = reader(torch.stack(batch.pictures))
        num_rows, row_length = batch.tokens.shape
        max_pictures = num_rows * (row_length // NUM_PATCHES)
        rows = pad(rows.float(), (0, 0, 0, 0, 0, max_pictures - len(rows)))
        return compiled(batch.tokens, rows, batch.positions, batch.mask(), batch.targets, batch.weights)

    return loss


def train_text(
    model: LlavaForConditionalGeneration, directory: Path, schedule: Schedule, resume: Path | None
) -> Path:
    """Train a model's text part in place and return the last checkpoint, which is of the whole model."""
    (blend,) = schedule.curriculum
    tokenizer = tokenizer_with_images()
    # Muon's steps are of one size whatever the gradient's is. Before the text model heeds the rows, they undo
    # what the tower has learnt: in a trial it named 72% of the kinds of figures, and 50 steps later 10%.
    PictureReader(model).requires_grad_(False)

    def batches_of(seed: int) -> Iterator[Batch]:
        return batches(picture_documents(tokenizer, seed, blend), blend.num_rows, blend.row_length)

    return fit(model, _loss_of(model), batches_of, directory, schedule, resume, NUM_THREADS)
