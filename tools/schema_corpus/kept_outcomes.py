"""Outcomes of trials in a file, so that the trial of a whole corpus can be interrupted and go on."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from tools.schema_corpus.corpus import Case
from tools.schema_corpus.trial import Outcome


class _Line(msgspec.Struct):
    corpus: str
    contender: str
    case: str
    outcome: Outcome


class KeptOutcomes:
    """The outcomes of one library with one corpus."""

    def __init__(self, path: Path | None, corpus: str, contender: str) -> None:
        """path: a file of JSON lines, which may not exist yet; None to keep nothing."""
        self._path = path
        self._corpus = corpus
        self._contender = contender
        lines = path.read_bytes().splitlines() if path is not None and path.exists() else []
        known = [msgspec.json.decode(line, type=_Line) for line in lines]
        self._outcomes = {
            line.case: line.outcome for line in known if (line.corpus, line.contender) == (corpus, contender)
        }

    def of(self, case: Case, try_it: Callable[[], Outcome]) -> Outcome:
        """Return the outcome of a case, tried only if the file does not have it."""
        if case.name not in self._outcomes:
            self._outcomes[case.name] = outcome = try_it()
            if self._path is not None:
                with self._path.open("ab") as file:
                    line = _Line(self._corpus, self._contender, case.name, outcome)
                    file.write(msgspec.json.encode(line) + b"\n")
        return self._outcomes[case.name]
