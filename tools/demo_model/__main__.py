"""The making of the demo models, by `python -m tools.demo_model COMMAND`."""

import argparse
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final

import torch
from transformers import PreTrainedModel

from engine.demo_model import DEMO_MODEL
from engine.demo_vision import DEMO_VISION
from tools.demo_model import recipe
from tools.demo_model.corpus import CHAT_TEMPLATE, texts
from tools.demo_model.decisions import measure
from tools.demo_model.evaluation import Examinee, evaluate, scores_of, table
from tools.demo_model.recipe import Schedule
from tools.demo_model.tokenizer import save_tokenizer, train_tokenizer
from tools.demo_model.training import Part, average, export, new_model, train, trained_model
from tools.demo_model.vision import model as vision
from tools.demo_model.vision import recipe as vision_recipe
from tools.demo_model.vision.questions import all_trials
from tools.demo_model.vision.training import Labeller, put_into_words, train_text, train_tower

_TEXT: Final = Path("build/demo_model")
_VISION: Final = Path("build/demo_vision")
_LAST_OF_TOWER: Final = _VISION / "tower" / f"step-{vision_recipe.TOWER.num_steps}.pt"


def _tokenizer(_: argparse.Namespace) -> None:
    tokenizer = train_tokenizer(islice(texts(seed=1), 30_000))
    save_tokenizer(tokenizer, DEMO_MODEL, CHAT_TEMPLATE.read_text(encoding="utf-8"), recipe.CONTEXT_LENGTH)


Train = Callable[[Any, Path, Schedule, Path | None], Path]


def _trained(train: Train, model: PreTrainedModel, options: argparse.Namespace) -> None:
    """Train a model by the schedule and the options, and print its last checkpoint."""
    schedule = replace(options.schedule, num_steps=options.steps, first_seed=options.seed)
    print(train(model, options.directory, schedule, options.resume))


def _train(options: argparse.Namespace) -> None:
    _trained(train, new_model(), options)


def _refresh(options: argparse.Namespace) -> None:
    _trained(train, trained_model(options.weights), options)


def _train_tower(options: argparse.Namespace) -> None:
    _trained(train_tower, vision.new_model(), options)


def _train_vision(options: argparse.Namespace) -> None:
    torch.set_num_threads(vision_recipe.NUM_THREADS)
    model = vision.new_model()
    labeller = Labeller(model)
    labeller.load_state_dict(torch.load(options.weights, weights_only=True)["model"])
    put_into_words(labeller, vision.tokenizer_with_images(), model.lm_head.weight)
    _trained(train_text, model, options)


def _refresh_vision(options: argparse.Namespace) -> None:
    _trained(train_text, vision.trained_picture_model(options.weights), options)


def _export(write: Callable[[Path, Path], None], options: argparse.Namespace) -> None:
    write(options.checkpoint, options.to)


def _part(text: str) -> Part:
    directory, _, share = text.rpartition("=")
    return Part(Path(directory), float(share))


def _evaluate(options: argparse.Namespace) -> None:
    print(table(evaluate(options.model, options.prompts, options.calls, options.failures)))


def _evaluate_vision(options: argparse.Namespace) -> None:
    trials = all_trials(options.prompts)
    print(table(list(scores_of(Examinee(options.model), trials, options.failures))))


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
    for name, write, artefact in (
        ("export", export, DEMO_MODEL),
        ("vision-export", vision.export, DEMO_VISION),
    ):
        added = command(name, partial(_export, write), "write a checkpoint as a model to load")
        added.add_argument("checkpoint", type=Path)
        added.add_argument("--to", type=Path, default=artefact)
    added = command("average", lambda o: average(o.parts, o.to), "write the weighted mean of exported models")
    added.add_argument("parts", nargs="+", type=_part, metavar="DIRECTORY=SHARE")
    added.add_argument("--to", type=Path, default=DEMO_MODEL)
    unseen = "measure a model on what it never saw"
    bias = "measure decisions: right answers, and the bias by the order of choices"
    for name, run, artefact, num_prompts, text in (
        ("evaluate", _evaluate, DEMO_MODEL, 60, unseen),
        ("vision-evaluate", _evaluate_vision, DEMO_VISION, 60, unseen),
        ("decide", lambda o: print(measure(o.model, o.prompts)), DEMO_MODEL, 40, bias),
    ):
        added = command(name, run, text)
        added.add_argument("--model", type=Path, default=artefact)
        added.add_argument("--prompts", type=int, default=num_prompts, help="prompts of each kind")
    for name in ("evaluate", "vision-evaluate"):
        commands.choices[name].add_argument("--failures", action="store_true", help="print replies that miss")
    commands.choices["evaluate"].add_argument("--calls", type=int, default=300, help="prompts of tool calls")
    return parser


def main() -> None:
    """Run the subcommand named on the command line."""
    options = _parser().parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
