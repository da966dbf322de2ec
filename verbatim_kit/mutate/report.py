"""The report of a score as text."""

from collections import Counter

from verbatim_kit.mutate.score import Score


def render(score: Score) -> str:
    """Return a table of mutants by kind and contract, then the survivors and the counts of excuses."""
    contracts = sorted({contract for contract, _ in score.killed | score.lived})
    kinds = sorted({kind for _, kind in score.killed | score.lived})
    width = max(map(len, kinds), default=0) + 2
    lines = [" " * width + "".join(f"{name:>14}" for name in contracts)]
    for kind in kinds:
        cells = (_cell(score, contract, kind) for contract in contracts)
        lines.append(f"{kind:{width}}" + "".join(f"{cell:>14}" for cell in cells))
    lived = Counter(f"{it.contract} {it.operation}: {it.kind} {it.place}" for it in score.survivors)
    lines += ["", *(f"survived: {line}" for line in sorted(lived))]
    lines += [f"recorded answer with a fault: {line}" for line in score.faulty]
    reasons = sum((Counter({reason: count}) for (_, reason), count in score.excused.items()), Counter[str]())
    lines += [f"excused: {count:6} {reason}" for reason, count in reasons.most_common()]
    found = f"{score.killed.total()} found: {score.share:.2%}"
    lines.append(f"{score.num_answers} answers, {score.num_mutants} mutants, {found}")
    return "\n".join(lines)


def _cell(score: Score, contract: str, kind: str) -> str:
    killed, lived = score.killed[contract, kind], score.lived[contract, kind]
    return f"{killed}/{killed + lived}" if killed + lived else ""
