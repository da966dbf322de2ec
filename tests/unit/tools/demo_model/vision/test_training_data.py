"""Documents with pictures: the tokens that keep their places, labels of patches, rows that replace tokens."""

from dataclasses import replace
from typing import cast

import pytest
import torch
from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerBase

from engine.demo_model import DEMO_MODEL
from tests.unit.tools.demo_model.vision.test_scene import WHITE, figure
from tools.demo_model.corpus import batches, render
from tools.demo_model.dialogue import Dialogue
from tools.demo_model.scribe import Scribe, Split
from tools.demo_model.vision import training as tower
from tools.demo_model.vision.corpus import picture_document, picture_documents, picture_talk
from tools.demo_model.vision.model import (
    IMAGE_TOKEN,
    NUM_PATCHES,
    WORDS,
    PictureReader,
    image_token_id,
    new_model,
    pixels,
    tokenizer_with_images,
)
from tools.demo_model.vision.recipe import TEXT
from tools.demo_model.vision.scene import COLOURS, KINDS, Scene, draw, random_scene
from tools.demo_model.vision.training import (
    Labeller,
    embedded,
    labelled_batches,
    labels_of,
    meanings_of,
    meant,
    put_into_words,
)

TOKENIZER = tokenizer_with_images()
PLAIN_TOKENIZER = Tokenizer.from_file(str(DEMO_MODEL / "tokenizer.json"))
IMAGE_TOKEN_ID = image_token_id(TOKENIZER)
(BLEND,) = TEXT.curriculum


def test_the_image_token_follows_all_others_which_stay_as_they_are() -> None:
    text = "<|im_start|>user\nHow many 12 starts, Stars and circled squares_?<|im_end|>"
    assert TOKENIZER.get_vocab_size() == IMAGE_TOKEN_ID + 1
    assert TOKENIZER.encode(text).ids == PLAIN_TOKENIZER.encode(text).ids


@pytest.mark.parametrize("word", WORDS)
def test_a_word_for_what_pictures_show_is_one_token(word: str) -> None:
    ids = TOKENIZER.encode(f"the {word}.").ids
    assert len(ids) == 4 and ids[2] == TOKENIZER.token_to_id(word)
    assert TOKENIZER.decode(ids) == f"the {word}."
    assert len(PLAIN_TOKENIZER.encode(f"the {word}.").ids) > 4


def test_each_picture_has_its_tokens() -> None:
    scribe = Scribe(1, Split.SEEN)
    for _ in range(30):
        talk = picture_talk(scribe)
        made = picture_document(TOKENIZER, talk, BLEND.row_length)
        num_pictures = len(talk.scenes)
        assert made.tokens.count(IMAGE_TOKEN_ID) == NUM_PATCHES * num_pictures
        assert len(made.pictures) == num_pictures


def test_a_branch_reads_what_it_would_as_the_only_ending() -> None:
    scribe = Scribe(4, Split.SEEN)
    num_branches = 0
    for _ in range(30):
        talk = picture_talk(scribe)
        made = picture_document(TOKENIZER, talk, BLEND.row_length)
        assert len(made.tokens) <= BLEND.row_length or max(made.branches) == 1
        for number in range(1, max(made.branches) + 1):
            read = [branch in (0, number) for branch in made.branches]
            tokens, weights, positions = (
                [value for value, is_read in zip(values, read, strict=True) if is_read]
                for values in (made.tokens, made.weights, made.positions())
            )
            alone = replace(talk, endings=talk.endings[number - 1 : number])
            wanted = render(alone.ending_with(alone.endings[0])).rstrip("\n")
            assert tokens == TOKENIZER.encode(wanted.replace(IMAGE_TOKEN, IMAGE_TOKEN * NUM_PATCHES)).ids
            assert positions == list(range(len(tokens)))
            assert weights == picture_document(TOKENIZER, alone, BLEND.row_length).weights
        num_branches += max(made.branches)
    assert num_branches > 30 * 4


def test_only_what_the_model_writes_is_learnt() -> None:
    source = picture_documents(TOKENIZER, 5, BLEND)
    made = [next(source) for _ in range(40)]
    assert {weight for one in made for weight in one.weights} == {0.0, 1.0}
    weighed = [each for one in made for each in zip(one.tokens, one.weights, strict=True)]
    assert (IMAGE_TOKEN_ID, 0.0) in weighed and (IMAGE_TOKEN_ID, 1.0) not in weighed
    assert any(one.pictures for one in made) and not all(one.pictures for one in made)


@pytest.mark.parametrize("is_image_first", [True, False])
def test_image_parts_of_a_message_are_what_training_writes(
    tokenizer: PreTrainedTokenizerBase, is_image_first: bool
) -> None:
    scribe = Scribe(2, Split.SEEN)
    for _ in range(20):
        talk = picture_talk(scribe)
        dialogue: Dialogue = talk.ending_with(talk.endings[0])
        messages = [
            {**message, "content": parts_of(message["content"], is_image_first)}
            if message["role"] == "user"
            else message
            for message in dialogue.messages()
        ]
        rendered = tokenizer.apply_chat_template(cast(list[dict[str, str]], messages), tokenize=False)
        assert rendered == render(dialogue)


def parts_of(content: object, is_image_first: bool) -> list[dict[str, str]]:
    assert isinstance(content, str)
    text = {"type": "text", "text": content.removeprefix(IMAGE_TOKEN)}
    images = [{"type": "image"}] if content.startswith(IMAGE_TOKEN) else []
    return [*images, text] if is_image_first else [text, *images]


def test_packed_rows_keep_pictures_in_the_order_of_their_tokens() -> None:
    source = picture_documents(TOKENIZER, 3, BLEND)
    batch = next(batches(source, 4, BLEND.row_length))
    assert batch.tokens.eq(IMAGE_TOKEN_ID).sum() == NUM_PATCHES * len(batch.pictures)
    again = next(batches(picture_documents(TOKENIZER, 3, BLEND), 4, BLEND.row_length))
    assert torch.equal(batch.tokens, again.tokens)
    assert all(map(torch.equal, batch.pictures, again.pictures))


def test_rows_take_the_places_of_image_tokens_in_order() -> None:
    embeddings = torch.zeros(2, 4, 1)
    is_image = torch.tensor([[False, True, True, False], [True, True, False, False]])
    rows = torch.arange(1.0, 7.0).view(3, 2, 1)  # one picture more than there are tokens for
    assert embedded(embeddings, is_image, rows).squeeze(-1).tolist() == [[0, 1, 2, 0], [3, 4, 0, 0]]


def test_a_picture_gives_the_rows_that_the_model_itself_makes_of_it() -> None:
    model = new_model()
    drawn = pixels(draw(Scene(96, 96, WHITE, (figure("red star"),))))[None]
    with torch.inference_mode():
        (wanted,) = model.get_image_features(drawn).pooler_output
        (rows,) = PictureReader(model)(drawn)
    torch.testing.assert_close(rows, wanted)


def test_a_new_model_has_the_text_models_weights_and_no_embedding_of_images() -> None:
    weights = new_model().model.language_model.embed_tokens.weight
    assert not weights[IMAGE_TOKEN_ID].any()
    assert weights[:IMAGE_TOKEN_ID].any(dim=1).all()


def test_labels_name_the_figures_where_they_are_once_a_drawing_is_padded() -> None:
    star = KINDS.index("star") + 1, list(COLOURS).index("red") + 1, 1, 1, 1, 1, 1
    square = labels_of(Scene(96, 96, WHITE, (figure("red star", 0, 0),))).view(9, 9, 8)
    assert square[1, 1].tolist() == [*star, 1]
    assert square[4:].any().item() is False
    # Twice as wide as high, so that a quarter of the square above it is padding.
    wide = labels_of(Scene(192, 96, WHITE, (figure("red star", 0, 0),))).view(9, 9, 8)
    assert wide[3, 0].tolist() == [*star, 1]
    assert wide[:2].any().item() is False


def test_labels_count_the_shapes_that_are_like_a_figure_and_no_digits() -> None:
    shapes = [figure("red star", 0, 0), figure("red star", 0, 1), figure("blue star", 0, 2)]
    others = [figure("red circle", 1, 1), figure("red 7", 2, 2)]
    labels = labels_of(Scene(96, 96, WHITE, (*shapes, *others))).view(9, 9, 8)
    kind_colour_both_and_any = labels[1::3, 1::3, 3:7]
    assert kind_colour_both_and_any[0].tolist() == [[3, 3, 2, 4], [3, 3, 2, 4], [3, 1, 1, 4]]
    assert kind_colour_both_and_any[1, 1].tolist() == [1, 3, 1, 4]
    assert kind_colour_both_and_any[2, 2].tolist() == [0, 0, 0, 0]


def test_rows_come_near_the_words_for_what_their_own_patches_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tower, "_NUM_BATCHES", 1)
    model = new_model()
    embeddings = model.lm_head.weight.detach()
    labeller = Labeller(model)
    shown = next(labelled_batches(tower.SEED_OF_WORDS, random_scene))
    wanted = meant(shown.labels, meanings_of(TOKENIZER, embeddings)).flatten(0, 1)
    put_into_words(labeller, TOKENIZER, embeddings)
    with torch.inference_mode():
        rows = labeller.reader(shown.pixels).flatten(0, 1)
    others = wanted[torch.randperm(len(wanted), generator=torch.Generator().manual_seed(0))]
    assert (rows - wanted).pow(2).sum() < 0.9 * (rows - others).pow(2).sum()


def test_a_patch_means_the_words_for_its_figure_and_no_others() -> None:
    embeddings = new_model().lm_head.weight.detach()
    star = labels_of(Scene(96, 96, WHITE, (figure("red star", 0, 0),))).view(9, 9, 8)[1:2, 1:2]
    row = meant(star, meanings_of(TOKENIZER, embeddings))[0, 0]
    said = ("star", "red", "top", "left", "shape", "picture")
    words = (*said, "circle", "blue", "bottom", "right", "digit")
    known = torch.stack([embeddings[TOKENIZER.token_to_id(word)] for word in words])
    parts = torch.linalg.lstsq(known.T, row[:, None]).solution[:, 0].abs()
    assert parts[: len(said)].min() > 3 * parts[len(said) :].max()
