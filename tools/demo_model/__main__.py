"""The making of the demo model, by `python -m tools.demo_model COMMAND`."""

import argparse
from dataclasses import replace
from itertools import islice
from pathlib import Path

from tokenizers import Tokenizer

from tools.demo_model import recipe
from tools.demo_model.corpus import CHAT_TEMPLATE, texts
from tools.demo_model.evaluation.evaluate import evaluate, table
from tools.demo_model.export import ARTEFACT, Part, average, export
from tools.demo_model.tokenizer import save_tokenizer, train_tokenizer
from tools.demo_model.training import new_model, train, trained_model


def _tokenizer(_: argparse.Namespace) -> None:
    tokenizer = train_tokenizer(islice(texts(seed=1), 30_000))
    save_tokenizer(tokenizer, ARTEFACT, CHAT_TEMPLATE.read_text(encoding="utf-8"), recipe.CONTEXT_LENGTH)


def _train(options: argparse.Namespace) -> None:
    tokenizer = Tokenizer.from_file(str(ARTEFACT / "tokenizer.json"))
    schedule = replace(recipe.FROM_NOTHING, num_steps=options.steps)
    print(train(new_model(), tokenizer, options.directory, schedule, options.resume))


def _refresh(options: argparse.Namespace) -> None:
    tokenizer = Tokenizer.from_file(str(ARTEFACT / "tokenizer.json"))
    schedule = replace(recipe.REFRESH, num_steps=options.steps, first_seed=options.seed)
    model = trained_model(options.weights)
    print(train(model, tokenizer, options.directory, schedule, options.resume))


def _export(options: argparse.Namespace) -> None:
    export(options.checkpoint, options.to)


def _part(text: str) -> Part:
    directory, _, share = text.rpartition("=")
    return Part(Path(directory), float(share))


def _average(options: argparse.Namespace) -> None:
    average(options.parts, options.to)


def _evaluate(options: argparse.Namespace) -> None:
    print(table(evaluate(options.model, options.prompts, options.calls, options.failures)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.demo_model", description=__doc__)
    commands = parser.add_subparsers(required=True)
    commands.add_parser("tokenizer", help="train the tokenizer and write its files").set_defaults(
        run=_tokenizer
    )
    training = commands.add_parser("train", help="train the weights, about an hour on two cores")
    training.add_argument(
        "--directory", type=Path, default=Path("build/demo_model"), help="where checkpoints go"
    )
    training.add_argument("--steps", type=int, default=recipe.FROM_NOTHING.num_steps)
    training.add_argument("--resume", type=Path, help="a checkpoint to go on from")
    training.set_defaults(run=_train)
    refreshing = commands.add_parser(
        "refresh", help="train exported weights further, on what was added to the curriculum since"
    )
    refreshing.add_argument("--weights", type=Path, default=ARTEFACT, help="the exported model to start from")
    refreshing.add_argument("--directory", type=Path, default=Path("build/demo_model/refresh"))
    refreshing.add_argument("--steps", type=int, default=recipe.REFRESH.num_steps)
    refreshing.add_argument(
        "--seed", type=int, default=recipe.REFRESH.first_seed, help="another one for a second refresh"
    )
    refreshing.add_argument("--resume", type=Path, help="a checkpoint of this refresh to go on from")
    refreshing.set_defaults(run=_refresh)
    exporting = commands.add_parser("export", help="write a checkpoint as the artefact")
    exporting.add_argument("checkpoint", type=Path)
    exporting.add_argument("--to", type=Path, default=ARTEFACT)
    exporting.set_defaults(run=_export)
    averaging = commands.add_parser("average", help="write the weighted mean of exported models")
    averaging.add_argument("parts", nargs="+", type=_part, metavar="DIRECTORY=SHARE")
    averaging.add_argument("--to", type=Path, default=ARTEFACT)
    averaging.set_defaults(run=_average)
    evaluating = commands.add_parser("evaluate", help="measure a model on dialogues that it never saw")
    evaluating.add_argument("--model", type=Path, default=ARTEFACT)
    evaluating.add_argument("--prompts", type=int, default=60, help="prompts of each kind")
    evaluating.add_argument("--calls", type=int, default=300, help="prompts of each kind of tool call")
    evaluating.add_argument("--failures", action="store_true", help="print the replies that miss")
    evaluating.set_defaults(run=_evaluate)
    return parser


def main() -> None:
    """Run the subcommand named on the command line."""
    options = _parser().parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
