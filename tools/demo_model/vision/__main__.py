"""The making of the vision demo model, by `python -m tools.demo_model.vision COMMAND`."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Final

import torch
from transformers import AutoModelForImageTextToText

from tools.demo_model.evaluation.evaluate import evaluate as evaluate_text
from tools.demo_model.evaluation.evaluate import table
from tools.demo_model.export import ARTEFACT as TEXT_MODEL
from tools.demo_model.vision import recipe
from tools.demo_model.vision.drawings.sheet import SHEET, sheet
from tools.demo_model.vision.evaluation.evaluate import evaluate
from tools.demo_model.vision.export import ARTEFACT, export
from tools.demo_model.vision.meanings import put_into_words
from tools.demo_model.vision.model import new_model, trained_picture_model
from tools.demo_model.vision.processor import tokenizer_with_images
from tools.demo_model.vision.tower import Labeller, train_tower
from tools.demo_model.vision.train import train_text

_DIRECTORY: Final = Path("build/demo_vision")
_TOWER: Final = _DIRECTORY / "tower"


def _train_tower(options: argparse.Namespace) -> None:
    schedule = replace(recipe.TOWER, num_steps=options.steps)
    print(train_tower(new_model(TEXT_MODEL), options.directory, schedule, options.resume))


def _train(options: argparse.Namespace) -> None:
    torch.set_num_threads(recipe.NUM_THREADS)
    model = new_model(TEXT_MODEL)
    schedule = replace(recipe.TEXT, num_steps=options.steps)
    tokenizer = tokenizer_with_images(TEXT_MODEL)
    labeller = Labeller(model)
    labeller.load_state_dict(torch.load(options.tower, weights_only=True)["model"])
    put_into_words(labeller, tokenizer, model.lm_head.weight)
    print(train_text(model, tokenizer, options.directory, schedule, options.resume))


def _refresh(options: argparse.Namespace) -> None:
    torch.set_num_threads(recipe.NUM_THREADS)
    schedule = replace(recipe.REFRESH, num_steps=options.steps)
    model = trained_picture_model(options.weights)
    print(train_text(model, tokenizer_with_images(TEXT_MODEL), options.directory, schedule, options.resume))


def _export(options: argparse.Namespace) -> None:
    export(options.checkpoint, options.to)


def _evaluate(options: argparse.Namespace) -> None:
    print(table(evaluate(options.model, options.trials, options.failures)))
    if options.text:
        scores = evaluate_text(
            options.model, options.trials, options.trials, options.failures, AutoModelForImageTextToText
        )
        print(table(scores))


def _sheet(_: argparse.Namespace) -> None:
    sheet().save(SHEET)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.demo_model.vision", description=__doc__)
    commands = parser.add_subparsers(required=True)
    tower = commands.add_parser("tower", help="train the tower to name what patches show: the first stage")
    tower.add_argument("--directory", type=Path, default=_TOWER)
    tower.add_argument("--steps", type=int, default=recipe.TOWER.num_steps)
    tower.add_argument("--resume", type=Path, help="a checkpoint to go on from")
    tower.set_defaults(run=_train_tower)
    whole = commands.add_parser("train", help="train the text model to read the tower: the second stage")
    whole.add_argument("--tower", type=Path, default=_TOWER / f"step-{recipe.TOWER.num_steps}.pt")
    whole.add_argument("--directory", type=Path, default=_DIRECTORY)
    whole.add_argument("--steps", type=int, default=recipe.TEXT.num_steps)
    whole.add_argument("--resume", type=Path, help="a checkpoint to go on from")
    whole.set_defaults(run=_train)
    refreshing = commands.add_parser("refresh", help="train exported weights further: the third stage")
    refreshing.add_argument("--weights", type=Path, default=ARTEFACT, help="the exported model to start from")
    refreshing.add_argument("--directory", type=Path, default=_DIRECTORY / "refresh")
    refreshing.add_argument("--steps", type=int, default=recipe.REFRESH.num_steps)
    refreshing.add_argument("--resume", type=Path, help="a checkpoint of this stage to go on from")
    refreshing.set_defaults(run=_refresh)
    exporting = commands.add_parser("export", help="write a checkpoint as the artefact")
    exporting.add_argument("checkpoint", type=Path)
    exporting.add_argument("--to", type=Path, default=ARTEFACT)
    exporting.set_defaults(run=_export)
    evaluating = commands.add_parser("evaluate", help="measure a model on drawings that it never saw")
    evaluating.add_argument("--model", type=Path, default=ARTEFACT)
    evaluating.add_argument("--trials", type=int, default=100, help="trials of each kind")
    evaluating.add_argument("--failures", action="store_true", help="print the replies that miss")
    evaluating.add_argument("--text", action="store_true", help="measure what the text model does, too")
    evaluating.set_defaults(run=_evaluate)
    drawing = commands.add_parser("sheet", help="write the drawings that the documentation shows")
    drawing.set_defaults(run=_sheet)
    return parser


def main() -> None:
    """Run the subcommand named on the command line."""
    options = _parser().parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
