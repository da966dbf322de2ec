"""The making of the demo models, by `python -m tools.demo_model COMMAND`."""

import argparse
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

import torch

from engine.demo_model import DEMO_MODEL
from engine.demo_vision import DEMO_VISION
from tools.demo_model import recipe
from tools.demo_model.corpus import CHAT_TEMPLATE, texts
from tools.demo_model.decisions import measure
from tools.demo_model.evaluation import Examinee, evaluate, scores_of, table
from tools.demo_model.export import Part, average, export
from tools.demo_model.recipe import Schedule
from tools.demo_model.tokenizer import save_tokenizer, train_tokenizer
from tools.demo_model.training import new_model, train, trained_model
from tools.demo_model.vision import model as vision
from tools.demo_model.vision import recipe as vision_recipe
from tools.demo_model.vision.questions import all_trials
from tools.demo_model.vision.tower import Labeller, put_into_words, train_tower
from tools.demo_model.vision.train import train_text

_TEXT: Final = Path("build/demo_model")
_VISION: Final = Path("build/demo_vision")
_LAST_OF_TOWER: Final = _VISION / "tower" / f"step-{vision_recipe.TOWER.num_steps}.pt"


def _tokenizer(_: argparse.Namespace) -> None:
    tokenizer = train_tokenizer(islice(texts(seed=1), 30_000))
    save_tokenizer(tokenizer, DEMO_MODEL, CHAT_TEMPLATE.read_text(encoding="utf-8"), recipe.CONTEXT_LENGTH)


def _schedule(options: argparse.Namespace) -> Schedule:
    schedule: Schedule = options.schedule
    return replace(schedule, num_steps=options.steps, first_seed=options.seed)


def _train(options: argparse.Namespace) -> None:
    print(train(new_model(), options.directory, _schedule(options), options.resume))


def _refresh(options: argparse.Namespace) -> None:
    print(train(trained_model(options.weights), options.directory, _schedule(options), options.resume))


def _train_tower(options: argparse.Namespace) -> None:
    model = vision.new_model()
    print(train_tower(model, options.directory, _schedule(options), options.resume))


def _train_vision(options: argparse.Namespace) -> None:
    torch.set_num_threads(vision_recipe.NUM_THREADS)
    model = vision.new_model()
    labeller = Labeller(model)
    labeller.load_state_dict(torch.load(options.weights, weights_only=True)["model"])
    put_into_words(labeller, vision.tokenizer_with_images(), model.lm_head.weight)
    print(train_text(model, options.directory, _schedule(options), options.resume))


def _refresh_vision(options: argparse.Namespace) -> None:
    model = vision.trained_picture_model(options.weights)
    print(train_text(model, options.directory, _schedule(options), options.resume))


def _export(options: argparse.Namespace) -> None:
    export(options.checkpoint, options.to)


def _export_vision(options: argparse.Namespace) -> None:
    vision.export(options.checkpoint, options.to)


def _average(options: argparse.Namespace) -> None:
    average(options.parts, options.to)


def _part(text: str) -> Part:
    directory, _, share = text.rpartition("=")
    return Part(Path(directory), float(share))


def _evaluate(options: argparse.Namespace) -> None:
    print(table(evaluate(options.model, options.prompts, options.calls, options.failures)))


def _evaluate_vision(options: argparse.Namespace) -> None:
    trials = all_trials(options.prompts)
    print(table(list(scores_of(Examinee(options.model), trials, options.failures))))


def _decide(options: argparse.Namespace) -> None:
    print(measure(options.model, options.prompts))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.demo_model", description=__doc__)
    commands = parser.add_subparsers(required=True)

    def command(name: str, run: Callable[[argparse.Namespace], None], text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text)
        added.set_defaults(run=run)
        return added

    def training(
        added: argparse.ArgumentParser, directory: Path, schedule: Schedule, weights: Path | None = None
    ) -> None:
        added.add_argument("--directory", type=Path, default=directory, help="where checkpoints go")
        added.add_argument("--steps", type=int, default=schedule.num_steps)
        added.add_argument("--seed", type=int, default=schedule.first_seed, help="another one for other data")
        added.add_argument("--resume", type=Path, help="a checkpoint of this training to go on from")
        if weights is not None:
            added.add_argument("--weights", type=Path, default=weights, help="what the training starts from")
        added.set_defaults(schedule=schedule)

    command("tokenizer", _tokenizer, "train the tokenizer and write its files")
    added = command("train", _train, "train the weights, about an hour on two cores")
    training(added, _TEXT, recipe.FROM_NOTHING)
    added = command("refresh", _refresh, "train exported weights further, on what the skills have gained")
    training(added, _TEXT / "refresh", recipe.REFRESH, DEMO_MODEL)
    added = command("vision-tower", _train_tower, "train the tower to name what patches show: stage 1")
    training(added, _LAST_OF_TOWER.parent, vision_recipe.TOWER)
    added = command("vision-train", _train_vision, "train the text model to read the tower: stage 2")
    training(added, _VISION, vision_recipe.TEXT, _LAST_OF_TOWER)
    added = command("vision-refresh", _refresh_vision, "train exported weights further: stage 3")
    training(added, _VISION / "refresh", vision_recipe.REFRESH, DEMO_VISION)
    for name, run, artefact in (
        ("export", _export, DEMO_MODEL),
        ("vision-export", _export_vision, DEMO_VISION),
    ):
        added = command(name, run, "write a checkpoint as a model to load")
        added.add_argument("checkpoint", type=Path)
        added.add_argument("--to", type=Path, default=artefact)
    added = command("average", _average, "write the weighted mean of exported models")
    added.add_argument("parts", nargs="+", type=_part, metavar="DIRECTORY=SHARE")
    added.add_argument("--to", type=Path, default=DEMO_MODEL)
    for name, run, artefact in (
        ("evaluate", _evaluate, DEMO_MODEL),
        ("vision-evaluate", _evaluate_vision, DEMO_VISION),
    ):
        added = command(name, run, "measure a model on what it never saw")
        added.add_argument("--model", type=Path, default=artefact)
        added.add_argument("--prompts", type=int, default=60, help="prompts of each kind")
        added.add_argument("--failures", action="store_true", help="print the replies that miss")
    added = command(
        "decide", _decide, "measure decisions: right answers, and the bias by the order of choices"
    )
    added.add_argument("--model", type=Path, default=DEMO_MODEL)
    added.add_argument("--prompts", type=int, default=40, help="questions of each kind")
    commands.choices["evaluate"].add_argument("--calls", type=int, default=300, help="prompts of tool calls")
    return parser


def main() -> None:
    """Run the subcommand named on the command line."""
    options = _parser().parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
