"""The making of the vision demo model, by `python -m tools.demo_model.vision COMMAND`."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Final

import torch

from tools.demo_model.evaluation.evaluate import evaluate as evaluate_text
from tools.demo_model.evaluation.evaluate import scores_of, table
from tools.demo_model.evaluation.examinee import Examinee
from tools.demo_model.export import ARTEFACT as TEXT_MODEL
from tools.demo_model.recipe import Schedule
from tools.demo_model.vision import recipe
from tools.demo_model.vision.drawing import SHEET, sheet
from tools.demo_model.vision.meanings import put_into_words
from tools.demo_model.vision.model import ARTEFACT, export, new_model, trained_picture_model
from tools.demo_model.vision.processor import tokenizer_with_images
from tools.demo_model.vision.tower import Labeller, train_tower
from tools.demo_model.vision.train import train_text
from tools.demo_model.vision.trials import all_trials

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
    print(table(list(scores_of(Examinee(options.model), all_trials(options.trials), options.failures))))
    if options.text:
        print(table(evaluate_text(options.model, options.trials, options.trials, options.failures)))


def _sheet(_: argparse.Namespace) -> None:
    sheet().save(SHEET)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.demo_model.vision", description=__doc__)
    commands = parser.add_subparsers(required=True)
    tower = commands.add_parser("tower", help="train the tower to name what patches show: the first stage")
    _add_training(tower, _TOWER, recipe.TOWER)
    tower.set_defaults(run=_train_tower)
    whole = commands.add_parser("train", help="train the text model to read the tower: the second stage")
    whole.add_argument("--tower", type=Path, default=_TOWER / f"step-{recipe.TOWER.num_steps}.pt")
    _add_training(whole, _DIRECTORY, recipe.TEXT)
    whole.set_defaults(run=_train)
    refreshing = commands.add_parser("refresh", help="train exported weights further: the third stage")
    refreshing.add_argument("--weights", type=Path, default=ARTEFACT, help="the exported model to start from")
    _add_training(refreshing, _DIRECTORY / "refresh", recipe.REFRESH)
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


def _add_training(command: argparse.ArgumentParser, directory: Path, schedule: Schedule) -> None:
    command.add_argument("--directory", type=Path, default=directory, help="where checkpoints go")
    command.add_argument("--steps", type=int, default=schedule.num_steps)
    command.add_argument("--resume", type=Path, help="a checkpoint to go on from")


def main() -> None:
    """Run the subcommand named on the command line."""
    options = _parser().parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
