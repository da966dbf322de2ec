"""Documents with pictures: the tokens that keep their places, labels of patches, rows that replace tokens."""

from itertools import chain
from typing import cast

import pytest
import torch
from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerBase

from engine.demo_model import DEMO_MODEL
from tools.demo_model.corpus import render
from tools.demo_model.packing import batches
from tools.demo_model.scribe import Scribe, Split
from tools.demo_model.vision.corpus import picture_dialogue, picture_document, picture_documents
from tools.demo_model.vision.drawing import draw
from tools.demo_model.vision.model import PictureReader, new_model
from tools.demo_model.vision.processor import image_token_id, pixels, tokenizer_with_images
from tools.demo_model.vision.recipe import IMAGE_TOKEN, NUM_PATCHES, TEXT
from tools.demo_model.vision.scene import COLOURS, KINDS, PLACES, Scene
from tools.demo_model.vision.tower import Labeller, labels_of, put_into_words
from tools.demo_model.vision.train import embedded

from .test_drawing import WHITE, figure

TOKENIZER = tokenizer_with_images(DEMO_MODEL)
IMAGE_TOKEN_ID = image_token_id(TOKENIZER)
(BLEND,) = TEXT.curriculum


def test_the_image_token_follows_all_others_which_stay_as_they_are() -> None:
    text = "<|im_start|>user\nHow many 12 stars?<|im_end|>"
    assert TOKENIZER.get_vocab_size() == IMAGE_TOKEN_ID + 1
    assert (
        TOKENIZER.encode(text).ids == Tokenizer.from_file(str(DEMO_MODEL / "tokenizer.json")).encode(text).ids
    )


def test_each_picture_has_its_tokens_which_nobody_must_predict() -> None:
    scribe = Scribe(1, Split.SEEN)
    for _ in range(30):
        talk, scenes = picture_dialogue(scribe)
        made = picture_document(TOKENIZER, talk, scenes)
        assert (
            made.tokens.count(IMAGE_TOKEN_ID) == NUM_PATCHES * len(scenes) == NUM_PATCHES * len(made.pictures)
        )
        weights = [w for token, w in zip(made.tokens, made.weights, strict=True) if token == IMAGE_TOKEN_ID]
        assert not any(weights)
        assert 1.0 in made.weights


def test_image_parts_of_a_message_are_what_training_writes(tokenizer: PreTrainedTokenizerBase) -> None:
    scribe = Scribe(2, Split.SEEN)
    for _ in range(20):
        talk, _ = picture_dialogue(scribe)
        messages = [
            {**message, "content": parts_of(message["content"])} if message["role"] == "user" else message
            for message in talk.messages()
        ]
        rendered = tokenizer.apply_chat_template(cast(list[dict[str, str]], messages), tokenize=False)
        assert rendered == render(talk)


def parts_of(content: object) -> list[dict[str, str]]:
    assert isinstance(content, str)
    before, found, after = content.partition(IMAGE_TOKEN)
    parts = [{"type": "text", "text": before}, {"type": "image"}, {"type": "text", "text": after}]
    return [part for part in parts if part.get("text") != ""] if found else parts[:1]


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
    model = new_model(DEMO_MODEL)
    drawn = pixels(draw(Scene(96, 96, WHITE, (figure("red star"),))))[None]
    with torch.inference_mode():
        (wanted,) = model.get_image_features(drawn).pooler_output
        (rows,) = PictureReader(model)(drawn)
    torch.testing.assert_close(rows, wanted)


def test_a_new_model_has_the_text_models_weights_and_no_embedding_of_images() -> None:
    weights = new_model(DEMO_MODEL).model.language_model.embed_tokens.weight
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


def test_rows_are_put_into_the_words_for_what_the_heads_prefer() -> None:
    model = new_model(DEMO_MODEL)
    embeddings = model.lm_head.weight.detach()
    labeller = Labeller(model)
    drawn = pixels(draw(Scene(96, 96, WHITE, (figure("red star"),))))[None]
    with torch.inference_mode():
        before = labeller.reader(drawn)[0]
    put_into_words(labeller, TOKENIZER, embeddings)
    with torch.inference_mode():
        after = labeller.reader(drawn)[0]
    named = (*KINDS, *COLOURS, *chain.from_iterable(PLACES))
    words = torch.stack([embeddings[TOKENIZER.encode(word).ids].mean(0) for word in named])
    for old, new in zip(before, after, strict=True):
        parts = torch.cat([words, old[None]]).T  # [hidden_size, num_words + 1]
        shares = torch.linalg.lstsq(parts, new[:, None], driver="gelsd").solution  # some places are sums
        torch.testing.assert_close((parts @ shares)[:, 0], new, atol=1e-3, rtol=1e-3)
        assert shares[:-1].abs().max() > 0
    assert after.norm(dim=1).mean().item() == pytest.approx(embeddings.norm(dim=1).mean().item(), rel=0.2)
